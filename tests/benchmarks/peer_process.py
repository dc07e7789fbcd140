"""The other end of `peer.py`: starts it in its environment, asks it, and says so when there is none."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

PROGRAM = Path(__file__).with_name("peer.py")
PYTHON = Path(sys.prefix) / "bench" / "bin" / "python"  # made by `make bench`
ABSENT = "not installed: run `make bench`"


class PeerFailed(Exception):
    """The peer ended instead of answering; what it wrote is the message."""


class Peer:
    """A running peer."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ask(self, *question: str | int) -> Any:
        """Return the answer to a line of `peer.py`'s language."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(" ".join(map(str, question)).encode() + b"\n")
        answer = await self._process.stdout.readline()
        if not answer:
            raise PeerFailed(f"{question[0]}: exit code {await self._process.wait()}")
        return msgspec.json.decode(answer)


@asynccontextmanager
async def peer(folder: Path) -> AsyncIterator[Peer | None]:
    """Run the peer, its database in `folder`, for the length of a `with` statement; None when it is not installed."""
    if not PYTHON.exists():
        yield None
        return
    process = await asyncio.create_subprocess_exec(
        *(str(PYTHON), str(PROGRAM), str(folder)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        yield Peer(process)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
