import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.pairing.engine import ProcessEngine
from services.pairing.work import Failed, Pair, Paired, work
from tests.services.pairing.by_order import by_order, deadly, endless, mistaken
from tests.services.pairing.live import until
from tests.support.ledger import ready
from tests.support.program import ROOT

OWNER = """
import asyncio, sys
from services.pairing.engine import ProcessEngine
from tests.services.pairing.by_order import endless
from tests.support.ledger import ready

async def read():
    print("reading", flush=True)
    return ready(4).entries

async def main():
    engine = ProcessEngine("endless", endless, benches=2)
    await asyncio.gather(engine.pair(read, 1), engine.pair(read, 1))

if __name__ == "__main__":
    asyncio.run(main())
"""


async def read() -> Sequence[bytes]:
    return ready(4).entries


@contextmanager
def engine_of(pair: Pair, limit_s: float = 60.0) -> Iterator[ProcessEngine]:
    engine = ProcessEngine("small", pair, benches=1, limit_s=limit_s)
    yield engine
    engine.close()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_a_process_pairs_as_we_do_and_the_loop_runs_meanwhile() -> None:
    with engine_of(by_order) as engine:
        verdict = await engine.pair(read, 1)

    assert isinstance(verdict, Paired)
    assert verdict == work(ready(4).entries, 1, by_order)


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (mistaken, "KeyError: 'a mistake of ours'"),
        (deadly, "process died"),
        (endless, "no pairing after 0.3 s"),
    ],
)
async def test_an_engine_that_fails_dies_or_hangs_gives_a_reason_and_the_next_pairing_a_new_chance(
    pair: Pair, reason: str
) -> None:
    with engine_of(pair, limit_s=0.3 if pair is endless else 60.0) as engine:
        for _ in range(2):
            verdict = await engine.pair(read, 1)

            assert isinstance(verdict, Failed)
            assert reason in verdict.reason


async def test_a_pairing_that_is_given_up_leaves_no_process_behind() -> None:
    with engine_of(endless) as engine:
        before = children_of(os.getpid())
        pairing = asyncio.create_task(engine.pair(read, 1))
        await asyncio.sleep(0.3)
        [child] = set(children_of(os.getpid())) - set(before) - tracker()

        pairing.cancel()

        async def gone() -> bool:
            return not alive(child)

        await until(gone, "the process has ended")


def tracker() -> set[int]:
    """Return the resource tracker that Python starts beside the first spawned process."""
    return {
        pid
        for pid in children_of(os.getpid())
        if b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    }


def test_processes_do_not_outlive_an_owner_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    owner = subprocess.Popen([sys.executable, script], env=environment, stdout=subprocess.PIPE)
    assert owner.stdout is not None
    assert [owner.stdout.readline() for _ in range(2)] == [b"reading\n"] * 2
    wait_until(lambda: len(children_of(owner.pid)) >= 3, "two engines and their tracker run")
    children = children_of(owner.pid)

    owner.send_signal(signal.SIGKILL)
    owner.wait()
    owner.stdout.close()

    wait_until(lambda: not any(map(alive, children)), "all children have ended")


def wait_until(true: Callable[[], bool], what: str) -> None:
    give_up_at = time.monotonic() + 10
    while not true():
        assert time.monotonic() < give_up_at, f"waited in vain: {what}"
        time.sleep(0.02)
