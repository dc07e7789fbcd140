"""The worker as a process on a real server: started, stopped, killed at named points, started again."""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Coroutine
from pathlib import Path

import pytest

from events.facts import PairingPublished, PairingSealed
from services.server import Server
from services.store import RedisStore
from services.wallclock import wall_clock
from tests.services.pairing.live import Worker, until, working
from tests.services.pairing.scene import Arbiter, all_facts, facts, times_from
from tests.support.patience import PATIENCE_S
from tests.support.program import ROOT

QUICK = ("--claim-idle-ms", "100", "--sweep-s", "0.3")
SOON = {"claim_idle_ms": "100", "sweep_s": "0.3"}


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "seal.key"


@pytest.fixture
async def arbiter(store: RedisStore) -> Arbiter:
    return Arbiter(store, wall_clock)


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}/cmdline").exists()


async def enter(arbiter: Arbiter, tournament: str = "t", *, first_in_s: float = 0.0) -> None:
    await arbiter.enter(tournament, times=times_from(wall_clock(), 3, first_in_s))
    await arbiter.close_entries(tournament)


async def published(arbiter: Arbiter, round_: int = 1, tournament: str = "t") -> None:
    async def there() -> bool:
        return round_ in [f.round for f in await facts(arbiter.store, PairingPublished, tournament)]

    await until(there, f"round {round_} of {tournament} is published")


async def assert_each_round_once(arbiter: Arbiter, rounds: int, tournament: str = "t") -> None:
    happened = await all_facts(arbiter.store, tournament)  # a read verifies versions and chain
    public = Counter(fact.round for fact in happened if isinstance(fact, PairingPublished))
    sealed = Counter((f.round, f.cutoff) for f in happened if isinstance(f, PairingSealed))
    assert public == Counter(range(1, rounds + 1))
    assert set(sealed.values()) == {1}


async def test_a_tournament_is_played_to_its_end_and_the_worker_ends_when_told(
    server: Server, arbiter: Arbiter, key: Path
) -> None:
    with Worker(server.url, key) as worker:
        await worker.ready()
        await enter(arbiter)
        for round_ in (1, 2, 3):
            await published(arbiter, round_)
            await arbiter.end(round_)

        assert await worker.stop() == 0

    await assert_each_round_once(arbiter, 3)
    lines = [json.loads(line) for line in worker.words.splitlines()]
    assert {"worker_ready", "pairing_sealed", "pairing_published", "worker_stopped"} <= {
        line["event"] for line in lines
    }
    assert {line["level"] for line in lines} == {"info"}


async def test_a_publication_comes_by_itself_and_not_before_its_time(
    server: Server, arbiter: Arbiter, key: Path
) -> None:
    async with working(server.url, key, sweep_s="3600"):
        due_ms = wall_clock() + 1_500
        await enter(arbiter, first_in_s=(due_ms - wall_clock()) / 1000)

        await published(arbiter)

    assert wall_clock() - due_ms >= -10


KILLS = [  # of the seal, of the publication, and of the doorbell; tests/faults kills more often and under load
    ("before_append:1", 0),
    ("append_before_answer:2", 2),
    ("before_ack:1", 2),
]


async def test_a_worker_that_is_killed_anywhere_leaves_nothing_undone_and_nothing_twice(
    server: Server, tmp_path: Path
) -> None:
    def case(number: int, failpoint: str, written: int) -> Coroutine[None, None, None]:
        url = server.url.replace("db=0", f"db={number}")  # each in a database of its own
        return kill_and_start_again(url, tmp_path / f"{number}.key", failpoint, written)

    await asyncio.gather(*(case(number, *kill) for number, kill in enumerate(KILLS)))


async def kill_and_start_again(url: str, key: Path, failpoint: str, written: int) -> None:
    store = await RedisStore.open(url)
    arbiter = Arbiter(store, wall_clock)
    await enter(arbiter)
    closed_at = (await store.head("t")).version
    with Worker(url, key, *QUICK, failpoint=failpoint) as doomed:
        assert await doomed.ended() == -signal.SIGKILL
    assert (await store.head("t")).version == closed_at + written, failpoint

    async with working(url, key, **SOON):
        await published(arbiter)
        await arbiter.end(1)
        await published(arbiter, 2)

    await assert_each_round_once(arbiter, 2)
    await store.close()


async def test_two_workers_publish_each_round_once(server: Server, arbiter: Arbiter, key: Path) -> None:
    names = [f"t{number}" for number in range(5)]
    async with working(server.url, key, **SOON), working(server.url, key, **SOON):
        for name in names:
            await enter(arbiter, name)
        for name in names:
            await published(arbiter, 1, name)
            await arbiter.end(1, name)
        for name in names:
            await published(arbiter, 2, name)

    for name in names:
        await assert_each_round_once(arbiter, 2, name)


async def test_a_server_that_is_restarted_with_its_data_is_worked_on_again(
    server: Server, arbiter: Arbiter, key: Path
) -> None:
    async with working(server.url, key, **SOON):
        await enter(arbiter)
        await published(arbiter)
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        await asyncio.sleep(0.3)
        server.start()

        await arbiter.end(1)
        await published(arbiter, 2)

    await assert_each_round_once(arbiter, 2)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_it_ends_at_once_in_the_middle_of_a_pairing_and_leaves_no_process(
    server: Server, arbiter: Arbiter, key: Path, how: signal.Signals
) -> None:
    with Worker(server.url, key, engine="endless") as worker:
        await worker.ready()
        await enter(arbiter)
        await asyncio.sleep(0.5)
        children = worker.children
        assert children

        assert await worker.stop(how) == 0, "the pairing itself would never end"

        async def gone() -> bool:
            return not any(map(exists, children))

        await until(gone, "its processes have ended", 3)
    assert not await facts(arbiter.store, PairingSealed)
    assert "Traceback" not in worker.words, worker.words


async def test_while_one_tournament_awaits_its_minute_the_others_go_on(
    server: Server, arbiter: Arbiter, key: Path
) -> None:
    async with working(server.url, key, **SOON):
        await enter(arbiter, "sealed", first_in_s=2.0)

        async def sealed() -> bool:
            return bool(await facts(arbiter.store, PairingSealed, "sealed"))

        await until(sealed, "it is sealed")
        await enter(arbiter, "other")
        await published(arbiter, 1, "other")
        await published(arbiter, 1, "sealed")
    await assert_each_round_once(arbiter, 1, "other")


async def test_a_parked_tournament_is_listed_and_released_from_the_command_line(
    server: Server, arbiter: Arbiter, key: Path
) -> None:
    await enter(arbiter)
    with Worker(server.url, key, *QUICK, engine="unusable") as worker:

        async def parked() -> bool:
            return "tournament_parked" in worker.words

        await until(parked, "it is parked")
    with Worker(server.url, key, "--parked") as listing:
        assert await listing.ended() == 0
    assert "tirage: t at version" in listing.words
    assert "UnusableInput: player p1 has a record too many" in listing.words

    async with working(server.url, key, **SOON):
        await asyncio.sleep(0.7)
        assert not await facts(arbiter.store, PairingSealed)
        with Worker(server.url, key, "--release", "t") as release:
            assert await release.ended() == 0

        await published(arbiter)


async def test_a_store_that_comes_later_is_waited_for(data: Path, key: Path) -> None:
    server = Server(data)
    server.start()
    server.stop()
    with Worker(server.url, key) as worker:

        async def waits() -> bool:
            return "store_awaited" in worker.words

        await until(waits, "it waits")
        with server:
            await worker.ready()
            assert await worker.stop() == 0


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--store-wait-s", "0.2"), 6, "no store at unix:///nowhere/server.sock"),
        (("--partitions", "0"), 3, "--partitions: '0' is not a whole number from 1 to 1024"),
        (("--seal-key", "/dev/null"), 5, "seal key /dev/null: it must hold 32 bytes, it holds 0"),
    ],
)
async def test_what_a_user_can_set_right_is_said_in_one_line(
    key: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    with Worker("unix:///nowhere/server.sock", key, *options) as worker:
        assert await worker.ended() == code

    said = [line for line in worker.words.splitlines() if not line.startswith("{")]
    assert len(said) == 1
    assert said[0].startswith(f"tirage: {words}")


async def test_a_worker_with_another_seal_key_is_told_so_at_its_start(
    server: Server, arbiter: Arbiter, key: Path, tmp_path: Path
) -> None:
    with Worker(server.url, key) as worker:
        await worker.ready()
        await enter(arbiter)
        await published(arbiter)
        with Worker(server.url, tmp_path / "other.key") as other:
            assert await other.ended() == 5
        assert await worker.stop() == 0
    with Worker(server.url, key) as worker:
        await worker.ready()

    assert "other.key: the store at" in other.words
    assert "is sealed with another key" in other.words


async def test_an_unknown_failpoint_does_not_go_unnoticed(key: Path) -> None:
    with Worker("unix:///nowhere/server.sock", key, failpoint="before_everything") as worker:
        assert await worker.ended() != 0


async def test_it_ends_when_the_process_that_started_it_is_gone(server: Server, key: Path) -> None:
    script = (
        "import os, subprocess, sys, time\n"
        f"worker = subprocess.Popen([sys.executable, '-m', 'tests.services.pairing.small_worker', '--url', "
        f"{server.url!r}, '--seal-key', {str(key)!r}, '--end-with', str(os.getpid())], stderr=subprocess.PIPE)\n"
        "while b'worker_ready' not in worker.stderr.readline(): pass\n"
        "print(worker.pid, flush=True)\n"
    )
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    said, _ = await asyncio.wait_for(parent.communicate(), PATIENCE_S)

    async def gone() -> bool:
        return not exists(int(said))

    await until(gone, "it has ended")
