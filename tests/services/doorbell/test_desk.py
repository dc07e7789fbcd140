import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from events.facts import PairingPublished, PairingSealed
from rules.commands import WithdrawPlayer
from services.doorbell.desk import Desk, Worker
from services.doorbell.parking import MemoryParking
from services.gateway.commands import Commands
from services.pairing.engine import InlineEngine
from services.pairing.handler import PairingWorker
from services.pairing.work import Pair
from services.store import MemoryStore, StoreUnreachable
from services.wallclock import wall_clock
from tests.services.pairing.by_order import ENGINE, by_order, unusable
from tests.services.pairing.live import until
from tests.services.pairing.scene import FIRST_PUBLISHED, KEY, Arbiter, Scene, facts, times_from

SWEEP_S = 0.02


class Hand:
    """What all workers made for a test have in common."""

    engine = ENGINE
    gap_s = 0.0

    def reached(self, _: str) -> int:
        return 0


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def parking() -> MemoryParking:
    return MemoryParking()


@asynccontextmanager
async def running(desk: Desk) -> AsyncIterator[None]:
    task = asyncio.create_task(desk.run())
    yield
    assert not task.done(), task.exception()
    task.cancel()
    await asyncio.wait({task})


def desk_of(scene: Scene, parking: MemoryParking, pair: Pair = by_order, *, engine: str = ENGINE) -> Desk:
    worker = scene.worker(pair, engine=engine)
    return Desk(scene.store, worker, parking, sweep_s=SWEEP_S, clock=scene.clock)


async def enter(scene: Scene, *tournaments: str) -> None:
    for tournament in tournaments:
        await scene.arbiter.enter(tournament)
        await scene.arbiter.close_entries(tournament)


async def sealed(scene: Scene, tournament: str, count: int = 1) -> None:
    async def there() -> bool:
        return len(await facts(scene.store, PairingSealed, tournament)) == count

    await until(there, f"{tournament} is sealed")


def counted(pair: Pair, calls: list[str]) -> Pair:
    def counting(seen: object) -> object:
        calls.append("pair")
        return pair(seen)  # type: ignore[arg-type]

    return counting  # type: ignore[return-value]


def failing_for(first_player_gone: str) -> Pair:
    """Return an engine that fails while the player named takes part."""

    def pair(seen: object) -> object:
        if any(e.player == first_player_gone and e.present for e in seen.entrants):  # type: ignore[attr-defined]
            return unusable(seen)  # type: ignore[arg-type]
        return by_order(seen)  # type: ignore[arg-type]

    return pair  # type: ignore[return-value]


async def test_the_sweep_finds_what_no_doorbell_announced(scene: Scene, parking: MemoryParking) -> None:
    async with running(desk_of(scene, parking)):
        await enter(scene, "t", "u")

        await sealed(scene, "t")
        await sealed(scene, "u")


async def test_a_tournament_that_has_not_grown_is_not_looked_at_again(
    scene: Scene, parking: MemoryParking
) -> None:
    await enter(scene, "t")
    looks: list[str] = []

    class Looking(Hand):
        async def catch_up(self, tournament: str) -> None:
            looks.append(tournament)

    async with running(Desk(scene.store, Looking(), parking, sweep_s=SWEEP_S, clock=scene.clock)):
        await asyncio.sleep(5 * SWEEP_S)

    assert looks == ["t"]


async def test_the_sweep_passes_by_where_a_doorbell_has_called(scene: Scene, parking: MemoryParking) -> None:
    await enter(scene, "t", "u")
    desk = desk_of(scene, parking)
    await desk.visit("t")
    visited = len(desk._pace._began)

    async with running(desk):
        await sealed(scene, "u")

    assert visited == 1
    assert list(desk._pace._began) == ["t", "u"]
    assert "t" not in desk._seen


async def test_a_publication_happens_within_a_second_of_its_time_without_any_doorbell() -> None:
    store = MemoryStore()
    arbiter = Arbiter(store, wall_clock)
    await arbiter.enter(times=times_from(wall_clock(), 3, first_in_s=0.6))
    await arbiter.close_entries()
    worker = PairingWorker(store, Commands(store), InlineEngine(ENGINE, by_order), KEY)

    async with running(Desk(store, worker, MemoryParking(), sweep_s=3600)):
        await asyncio.sleep(0.4)
        assert not await facts(store, PairingPublished)

        async def published() -> bool:
            return bool(await facts(store, PairingPublished))

        await until(published, "it is published", 1.2)


async def test_a_clock_that_is_set_is_noticed_while_a_publication_is_awaited(
    scene: Scene, parking: MemoryParking
) -> None:
    await enter(scene, "t")
    async with running(desk_of(scene, parking)):
        await sealed(scene, "t")
        scene.clock.set(FIRST_PUBLISHED)

        async def published() -> bool:
            return bool(await facts(scene.store, PairingPublished))

        await until(published, "it is published", 2)


@pytest.mark.parametrize("break_it", [lambda log: log.entries.pop(2), lambda log: log.entries.reverse()])
async def test_a_tournament_whose_log_is_broken_is_parked_alone(
    scene: Scene, parking: MemoryParking, break_it: Callable[[object], object]
) -> None:
    await enter(scene, "t", "u")
    break_it(scene.store._logs["t"])

    with capture_logs() as logs:
        async with running(desk_of(scene, parking)):
            await sealed(scene, "u")

            async def parked() -> bool:
                return set(await parking.parked(0)) == {"t"}

            await until(parked, "t is parked")
            await asyncio.sleep(5 * SWEEP_S)

    assert (await parking.parked(0))["t"].reason.startswith("LogBroken: the log of t is broken at version")
    assert [line["log_level"] for line in logs if line["event"] == "tournament_parked"] == ["error"]


async def test_a_parked_tournament_waits_for_its_release(scene: Scene, parking: MemoryParking) -> None:
    await enter(scene, "t")
    calls: list[str] = []
    desk = desk_of(scene, parking, counted(unusable, calls))
    async with running(desk):

        async def parked_after(count: int) -> None:
            async def parked() -> bool:
                return len(calls) == count and "t" in await parking.parked(0)

            await until(parked, "t is parked")

        await parked_after(1)
        assert await desk.visit("t")
        await asyncio.sleep(5 * SWEEP_S)
        assert len(calls) == 1  # neither sweeps nor doorbells try it again

        await parking.release("t")

        await parked_after(2)


async def test_a_parked_tournament_is_tried_again_when_its_log_grows_and_goes_on(
    scene: Scene, parking: MemoryParking
) -> None:
    await enter(scene, "t")
    async with running(desk_of(scene, parking, failing_for("p4"))):

        async def parked() -> bool:
            return "t" in await parking.parked(0)

        await until(parked, "t is parked")

        await scene.arbiter.do("t", WithdrawPlayer(player="p4"))

        await sealed(scene, "t")
        await until(lambda: negated(parked), "t is released")


async def negated(true: Callable[[], object]) -> bool:
    return not await true()  # type: ignore[misc]


async def test_another_version_of_the_engine_tries_what_the_last_one_parked(
    scene: Scene, parking: MemoryParking
) -> None:
    await enter(scene, "t")
    await desk_of(scene, parking, unusable).visit("t")
    assert "t" in await parking.parked(0)

    async with running(desk_of(scene, parking, engine="by-order 2")):
        await sealed(scene, "t")


async def test_a_mistake_of_ours_parks_with_its_place(scene: Scene, parking: MemoryParking) -> None:
    class Mistaken(Hand):
        async def catch_up(self, tournament: str) -> None:
            raise KeyError(tournament)

    with capture_logs() as logs:
        assert await Desk(scene.store, Mistaken(), parking).visit("t")

    assert (await parking.parked(0))["t"].reason == "KeyError: 't'"
    assert isinstance(logs[-1]["exc_info"], KeyError)


class Faltering(Hand):
    """A worker whose store is down, a number of times."""

    def __init__(self, inner: Worker, times: int) -> None:
        self.inner = inner
        self.times = times

    async def catch_up(self, tournament: str) -> int | None:
        if self.times:
            self.times -= 1
            raise StoreUnreachable("redis://nowhere", "it does not answer")
        return await self.inner.catch_up(tournament)


async def test_when_the_store_is_down_nothing_is_parked_and_the_sweep_comes_back(
    scene: Scene, parking: MemoryParking
) -> None:
    await enter(scene, "t")
    desk = Desk(scene.store, Faltering(scene.worker(), 3), parking, sweep_s=SWEEP_S, clock=scene.clock)
    assert not await desk.visit("t")

    async with running(desk):
        await sealed(scene, "t")

    assert not await parking.parked(0)


async def test_a_publication_that_was_missed_because_the_store_was_down_is_made_up_for(
    scene: Scene, parking: MemoryParking
) -> None:
    await enter(scene, "t")
    worker = Faltering(scene.worker(), 0)
    async with running(Desk(scene.store, worker, parking, sweep_s=SWEEP_S, clock=scene.clock)):
        await sealed(scene, "t")
        await asyncio.sleep(3 * SWEEP_S)
        worker.times = 2
        scene.clock.set(FIRST_PUBLISHED)

        async def published() -> bool:
            return bool(await facts(scene.store, PairingPublished))

        await until(published, "it is published", 3)


class Foreign(MemoryStore):
    """A store in whose index a foreign hand wrote."""

    garbled = 0

    async def heads(self, partition: int | None = None) -> dict[str, int]:
        if self.garbled:
            self.garbled -= 1
            raise UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no text")
        return {"Not A Name!": 3, **await super().heads(partition)}


async def test_an_index_that_a_foreign_hand_wrote_disturbs_nobody(
    scene: Scene, parking: MemoryParking
) -> None:
    scene.store = Foreign(clock=scene.clock, server_clock=scene.clock)
    scene.arbiter = Arbiter(scene.store, scene.clock)
    await enter(scene, "t")
    scene.store.garbled = 2

    async with running(desk_of(scene, parking)):
        await sealed(scene, "t")


async def test_nobody_is_sent_twice_at_once_to_a_tournament(scene: Scene, parking: MemoryParking) -> None:
    there = 0

    class Slow(Hand):
        async def catch_up(self, _: str) -> None:
            nonlocal there
            there += 1
            assert there == 1
            await asyncio.sleep(0.01)
            there -= 1

    desk = Desk(scene.store, Slow(), parking)

    assert all(await asyncio.gather(*(desk.visit("t") for _ in range(5))))
    assert not await parking.parked(0)
