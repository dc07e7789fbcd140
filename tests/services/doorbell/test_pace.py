"""Who rings when little is written is visited at once; the more is written, the more a visit takes in."""

import asyncio

from services.doorbell.desk import Desk
from services.doorbell.pace import GAP_S_MAX, Pace
from services.doorbell.parking import MemoryParking
from services.store import MemoryStore


async def test_nobody_waits_for_the_first_visit_nor_after_a_while() -> None:
    pace = Pace(10.0)
    pace.count(10_000)
    async with asyncio.timeout(1):
        for number in range(50):
            await pace.wait(f"t{number}")

    assert pace.gap_s(asyncio.get_running_loop().time()) == GAP_S_MAX
    assert pace.gap_s(asyncio.get_running_loop().time() + 60) < 0.001


async def test_the_gap_is_the_one_asked_for_at_a_hundred_entries_a_second_and_grows_with_their_square() -> (
    None
):
    pace, now = Pace(0.02), asyncio.get_running_loop().time
    gaps = []
    for _ in range(4):
        pace.count(100)
        gaps.append(pace.gap_s(now()))

    assert [round(gap, 2) for gap in gaps] == [0.02, 0.08, 0.18, 0.32]
    assert Pace(0.0).gap_s(now()) == 0


async def test_two_visits_to_one_tournament_are_kept_apart() -> None:
    pace, clock = Pace(0.2), asyncio.get_running_loop().time
    await pace.wait("t")
    pace.count(100)
    began = clock()

    await pace.wait("t")

    assert clock() - began > 0.15


async def test_it_remembers_no_more_tournaments_than_were_visited_lately() -> None:
    pace = Pace(0.0)
    await pace.wait("t")
    for number in range(1000):
        await pace.wait(f"t{number}")
    pace._began["t0"] = asyncio.get_running_loop().time() - 2 * GAP_S_MAX
    pace._began.move_to_end("t0", last=False)

    await pace.wait("u")

    assert "t0" not in pace._began


class Counting:
    """A worker that takes its time."""

    engine = "counting 1"
    gap_s = 0.0

    def __init__(self, reached: int = 0) -> None:
        self.log_has = reached
        self.visits: list[str] = []
        self.go_on = asyncio.Event()

    async def catch_up(self, tournament: str) -> None:
        self.visits.append(tournament)
        await self.go_on.wait()

    def reached(self, tournament: str) -> int:
        assert tournament in self.visits
        return self.log_has


async def test_rings_that_wait_for_a_visit_are_all_answered_by_it() -> None:
    worker = Counting()
    desk = Desk(MemoryStore(), worker, MemoryParking())
    under_way = asyncio.create_task(desk.visit("t"))
    await asyncio.sleep(0)

    rings = [asyncio.create_task(desk.visit("t")) for _ in range(20)]
    other = asyncio.create_task(desk.visit("u"))
    await asyncio.sleep(0)
    worker.go_on.set()

    assert await asyncio.gather(under_way, other, *rings) == [True] * 22
    assert sorted(worker.visits) == ["t", "t", "u"]


async def test_a_ring_that_comes_during_a_visit_is_answered_by_another() -> None:
    worker = Counting()
    desk = Desk(MemoryStore(), worker, MemoryParking())
    under_way = asyncio.create_task(desk.visit("t"))
    await asyncio.sleep(0)
    late = asyncio.create_task(desk.visit("t"))
    await asyncio.sleep(0)
    assert worker.visits == ["t"]
    worker.go_on.set()

    assert list(await asyncio.gather(under_way, late)) == [True, True]
    assert worker.visits == ["t", "t"]


async def test_when_a_visit_is_broken_off_whoever_waited_for_it_asks_again() -> None:
    worker = Counting()
    desk = Desk(MemoryStore(), worker, MemoryParking())
    first, second, third = (asyncio.create_task(desk.visit("t")) for _ in range(3))
    await asyncio.sleep(0)
    worker.go_on.set()
    await first
    worker.go_on.clear()
    await asyncio.wait({third}, timeout=0.05)
    assert worker.visits == ["t", "t"]
    second.cancel()

    assert await third is False
    assert worker.visits == ["t", "t"]


async def test_what_was_taken_in_already_is_not_visited_for_again() -> None:
    worker = Counting(reached=7)
    worker.go_on.set()
    desk = Desk(MemoryStore(), worker, MemoryParking())
    for version in (5, 6, 7, 8, 0, 7):
        assert await desk.visit("t", version)

    assert len(worker.visits) == 3  # for 5, for 8, and for one that was not said


async def test_after_a_failure_every_ring_is_heard() -> None:
    worker = Counting(reached=7)
    worker.go_on.set()
    parking = MemoryParking()
    desk = Desk(MemoryStore(), worker, parking)
    assert await desk.visit("t", 7)
    worker.go_on = asyncio.Event()
    broken_off = asyncio.create_task(desk.visit("t", 8))
    await asyncio.wait({broken_off}, timeout=0.05)
    broken_off.cancel()
    await asyncio.wait({broken_off})
    worker.go_on.set()

    assert await desk.visit("t", 7)
    assert len(worker.visits) == 3


async def test_what_visits_take_in_sets_the_pace_and_a_first_reading_does_not() -> None:
    worker = Counting(reached=9_000)
    worker.gap_s = 0.1
    worker.go_on.set()
    desk = Desk(MemoryStore(), worker, MemoryParking())
    now = asyncio.get_running_loop().time
    assert await desk.visit("t")
    assert desk._pace.gap_s(now()) == 0

    worker.log_has = 9_200
    assert await desk.visit("t")

    assert 0.3 < desk._pace.gap_s(now()) <= 0.4
