"""The near end of `tests.benchmarks.load`: starts the load generator, gives it plans, and makes the requests of them."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from rules.commands import AnyCommand
from tests.benchmarks.load import Outcome, Plan, Shot

ROOT = Path(__file__).parents[2]
ANSWER_BYTES_MAX = 2**26  # latencies are many
CREATED = 201


class LoadFailed(Exception):
    """An answer was not as expected, or the generator ended."""


class Generator:
    """A running load generator, and the gateway that it is turned at."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self._process = process
        where = urlsplit(address)
        assert where.hostname is not None
        assert where.port is not None
        self._host, self._port = where.hostname, where.port

    async def send(
        self,
        lanes: Sequence[Sequence[Shot]],
        *,
        expected: int = CREATED,
        rate: float | None = None,
        for_s: float | None = None,
    ) -> Outcome:
        """Send what stands in `lanes`, see `Plan`; raise `LoadFailed` when an answer was not as expected."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        plan = Plan(
            host=self._host,
            port=self._port,
            lanes=tuple(map(tuple, lanes)),
            expected=expected,
            rate=rate,
            for_s=for_s,
        )
        self._process.stdin.write(msgspec.json.encode(plan) + b"\n")
        await self._process.stdin.drain()
        answer = await self._process.stdout.readline()
        if not answer:
            raise LoadFailed(f"the generator ended: {await self._process.wait()}")
        outcome = msgspec.json.decode(answer, type=Outcome)
        if outcome.failure:
            raise LoadFailed(outcome.failure)
        return outcome


@asynccontextmanager
async def generator(address: str) -> AsyncIterator[Generator]:
    """Run a load generator for the length of a `with` statement."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.load"),
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=ANSWER_BYTES_MAX,
    )
    try:
        yield Generator(process, address)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def get(path: str, token: str = "") -> bytes:
    """Return the request for `path`."""
    return _request("GET", path, _bearer(token))


def command(tournament: str, given: AnyCommand, key: str, token: str) -> bytes:
    """Return the request that gives a command under the id `key`."""
    body = msgspec.json.encode(given)
    headers = {
        **_bearer(token),
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Idempotency-Key": key,
    }
    return _request("POST", f"/tournaments/{tournament}/commands", headers) + body


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _request(method: str, path: str, headers: dict[str, str]) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: bench",
        *(f"{name}: {text}" for name, text in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode()
