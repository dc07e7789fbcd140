"""A line to the server that breaks in the middle of answers."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

CHUNK = 65_536
OF_SCRIPT = b"EVALSHA"  # how whatever is written is asked for


class Line:
    """Breaks connections in the middle of one answer in `every`, by the luck that `seed` gives."""

    def __init__(self, every: int, seed: int) -> None:
        self._every = every
        self._luck = random.Random(seed)
        self.whole = 0
        self.broken = 0
        self.broken_scripts = 0  # of those, what was an answer of a script

    def breaks(self, question: bytes) -> bool:
        """Return whether the answer to `question` is cut."""
        cut = self._luck.randrange(self._every) == 0
        self.whole += not cut
        self.broken += cut
        self.broken_scripts += cut and OF_SCRIPT in question
        return cut


@asynccontextmanager
async def proxied(socket: Path, line: Line) -> AsyncIterator[str]:
    """Listen on a loopback port for the server at `socket`, and give the URL."""
    connections: set[asyncio.Task[None]] = set()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_Connection(line).carry(socket, reader, writer))
        connections.add(task)
        task.add_done_callback(connections.discard)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.close()
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)


class _Connection:
    """One connection of a client, on which a question is answered before the next one is asked."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._question = b""

    async def carry(self, socket: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry questions and answers until an end is closed or the line breaks."""
        upstream, downstream = await asyncio.open_unix_connection(socket)
        asking = asyncio.create_task(self._ask(reader, downstream))
        try:
            with suppress(ConnectionError):
                await self._answer(upstream, writer)
        finally:
            asking.cancel()
            for end in (writer, downstream):
                end.close()
                with suppress(ConnectionError):
                    await end.wait_closed()

    async def _answer(self, upstream: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while answer := await upstream.read(CHUNK):
            cut = self._line.breaks(self._question)
            writer.write(answer[: len(answer) // 2] if cut else answer)
            await writer.drain()
            if cut:
                return

    async def _ask(self, reader: asyncio.StreamReader, downstream: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while question := await reader.read(CHUNK):
                self._question = question
                downstream.write(question)
                await downstream.drain()
            downstream.write_eof()
