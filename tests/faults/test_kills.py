"""kill -9 of worker, writer and server at named points under load: what was acknowledged is there, exactly once.

Each kill is one small tournament among others on the same server, with the victim armed; whoever dies is started
again, as a supervisor would, and the tournament is played to its end.
"""

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from events.envelope import Recorded
from services.failpoints import VARIABLE
from services.server import Server
from services.store import EMPTY, RedisStore
from services.store.reader import decoded
from tests.faults.checks import check_acks, check_rounds
from tests.faults.system import Ack
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).parents[2]
KILLED = -signal.SIGKILL
PLAYERS, ROUNDS, TOURNAMENTS = 8, 3, 3
VICTIMS = (
    ("worker", "before_append"),
    ("worker", "append_before_answer"),
    ("worker", "before_ack"),
    ("writer", "before_append"),
    ("writer", "append_before_answer"),
    ("server", "anywhere"),
)


class Cast:
    """The processes of one kill."""

    def __init__(self, server: Server, key: Path) -> None:
        self.server = server
        self.acks: list[Ack] = []
        self.deaths: Counter[str] = Counter()
        self._key = key
        self._heard = asyncio.Event()

    async def worker(self, failpoint: str | None) -> None:
        """Run a pairing worker for ever, the first time armed."""
        while True:
            arguments = ["services.pairing", "--url", self.server.url, "--seal-key", str(self._key)]
            process = await _start([*arguments, "--claim-idle-ms", "500", "--sweep-s", "0.5"], failpoint)
            failpoint = None
            try:
                code = await process.wait()
            except asyncio.CancelledError:
                process.terminate()
                await process.wait()
                raise
            self.deaths["worker"] += code == KILLED

    async def writer(self, tournament: str, failpoint: str | None) -> None:
        """Play a tournament to its end, the first time armed."""
        while True:
            process = await _start(
                ["tests.faults.writer", self.server.url, tournament, str(PLAYERS), str(ROUNDS)], failpoint
            )
            failpoint = None
            assert process.stdout is not None
            async for line in process.stdout:
                if line.endswith(b"\n"):  # the last words of somebody killed may be half a line
                    self.acks.append(msgspec.convert(json.loads(line), Ack))
                    self._heard.set()
            code = await process.wait()
            if code == 0:
                return
            assert code == KILLED, f"the writer of {tournament} ended with {code}"
            self.deaths["writer"] += 1

    async def kill_server_after(self, acks: int) -> None:
        """Kill the server once so many answers were given, and start it again on its data."""
        while len(self.acks) < acks:
            self._heard.clear()
            await self._heard.wait()
        self.server.kill()
        self.deaths["server"] += 1
        await asyncio.to_thread(self.server.start)


async def _start(arguments: list[str], failpoint: str | None) -> asyncio.subprocess.Process:
    environment = {**os.environ, **({VARIABLE: failpoint} if failpoint else {})}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        *arguments,
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.PIPE if "writer" in arguments[0] else asyncio.subprocess.DEVNULL,
        stderr=None if "writer" in arguments[0] else asyncio.subprocess.DEVNULL,
    )


async def _perform(cast: Cast, number: int) -> None:
    who, point = VICTIMS[number % len(VICTIMS)]
    luck = random.Random(number)
    worker = asyncio.create_task(cast.worker(f"{point}:{luck.randint(1, 4)}" if who == "worker" else None))
    writers = [
        cast.writer(
            f"t{number}-{index}", f"{point}:{luck.randint(1, 40)}" if who == "writer" and index == 0 else None
        )
        for index in range(TOURNAMENTS)
    ]
    everything = [*writers]
    if who == "server":
        everything.append(cast.kill_server_after(luck.randint(1, 60)))
    try:
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*everything)
    finally:
        worker.cancel()
        await asyncio.wait({worker})
    assert cast.deaths[who] == 1, f"the {who} did not die at {point}: this kill proves nothing"


async def _logs(url: str) -> AsyncIterator[tuple[str, list[Recorded]]]:
    store = await RedisStore.open(url)
    try:
        for tournament in await store.tournaments():
            yield tournament, list(decoded(tournament, await store.read(tournament), EMPTY))
    finally:
        await store.close()


async def kill_and_check(server: Server, key: Path, number: int) -> None:
    cast = Cast(server, key)
    await _perform(cast, number)
    seen = 0
    async for tournament, history in _logs(server.url):
        check_acks([ack for ack in cast.acks if ack.tournament == tournament], history)
        check_rounds(history)
        seen += 1
    assert seen == TOURNAMENTS
    assert cast.acks


@pytest.mark.parametrize("number", range(20))
async def test_a_kill_loses_nothing_and_repeats_nothing(server: Server, tmp_path: Path, number: int) -> None:
    await kill_and_check(server, tmp_path / "seal.key", number)


@pytest.mark.full
@pytest.mark.parametrize("number", range(20, 200))
async def test_many_kills_lose_nothing_and_repeat_nothing(
    server: Server, tmp_path: Path, number: int
) -> None:
    await kill_and_check(server, tmp_path / "seal.key", number)
