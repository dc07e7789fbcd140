"""A line to the server that breaks in the middle of answers."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

CHUNK = 65_536


class Line:
    """Counts answers, and breaks the connection in the middle of one in `every` of those that are longer than `least`."""

    def __init__(self, every: int, seed: int) -> None:
        self._every = every
        self._luck = random.Random(seed)
        self.broken = 0
        self.whole = 0

    def breaks(self) -> bool:
        """Return whether this answer is cut."""
        cut = self._luck.randrange(self._every) == 0
        self.broken += cut
        self.whole += not cut
        return cut


@asynccontextmanager
async def proxied(socket: Path, line: Line) -> AsyncIterator[str]:
    """Listen on a loopback port for the server at `socket`, and give the URL."""

    open_lines: set[asyncio.Task[None]] = set()

    def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_connect(socket, line, reader, writer))
        open_lines.add(task)
        task.add_done_callback(open_lines.discard)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        server.close()
        for task in open_lines:
            task.cancel()
        await asyncio.gather(*open_lines, return_exceptions=True)


async def _connect(
    socket: Path, line: Line, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    upstream, downstream = await asyncio.open_unix_connection(socket)
    questions = asyncio.create_task(_copy(reader, downstream))
    try:
        with suppress(ConnectionError):
            while answer := await upstream.read(CHUNK):
                if line.breaks():
                    writer.write(answer[: len(answer) // 2])
                    await writer.drain()
                    return
                writer.write(answer)
                await writer.drain()
    finally:
        questions.cancel()
        for end in (writer, downstream):
            end.close()
            with suppress(ConnectionError):
                await end.wait_closed()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while question := await reader.read(CHUNK):
            writer.write(question)
            await writer.drain()
