"""A writer that is killed at a named point: what it had written is there once, what it had not is not there."""

import os
import signal
import subprocess
import sys

import pytest

from services.failpoints import VARIABLE
from services.server import Server
from services.store import Appended, EventStore, RedisStore
from tests.support.entries import T, put

WRITER = """
import asyncio, sys
from services.store import RedisStore
from tests.support.entries import put
async def main():
    store = await RedisStore.open(sys.argv[1])
    for number in range(5):
        print((await put(store, f"c{number}", 2)).last, flush=True)
asyncio.run(main())
"""


def write_until_killed(url: str, failpoint: str) -> list[int]:
    """Return the versions that a writer which is armed with `failpoint` was answered before it died."""
    died = subprocess.run(
        [sys.executable, "-c", WRITER, url],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), VARIABLE: failpoint},
        capture_output=True,
        text=True,
        check=False,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    return [int(line) for line in died.stdout.splitlines() if line.isdigit()]


@pytest.mark.parametrize(
    ("failpoint", "answered", "written"),
    [
        ("before_append", [], 0),
        ("before_append:3", [2, 4], 4),
        ("append_before_answer", [], 2),
        ("append_before_answer:3", [2, 4], 6),
    ],
)
async def test_a_killed_writer_can_send_its_command_again(
    server: Server, store: EventStore, failpoint: str, answered: list[int], written: int
) -> None:
    assert write_until_killed(server.url, failpoint) == answered
    assert (await store.head(T)).version == written

    server.kill()
    server.start()

    assert len(await store.read(T)) == written
    number = len(answered)
    last = 2 * number + 2
    assert await put(store, f"c{number}", 2) == Appended(last - 1, last, duplicate=written > 2 * number)
    assert len(await store.read(T)) == last


async def test_a_repeated_command_is_no_append_at_which_to_die(server: Server, store: RedisStore) -> None:
    await put(store, "c0", 2)

    assert write_until_killed(server.url, "append_before_answer:2") == [2, 4]
