"""A line to the server that breaks in the middle of answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

CHUNK = 65_536
OF_SCRIPT = b"EVALSHA"  # how whatever is written is asked for


class Line:
    """Breaks connections in the middle of answers, until it is mended: one in so many of scripts, one in so many others.

    It counts and does not draw, so that a test is never without its faults. A line that broke so for ever could fall
    into step with a service that tries again every few seconds, and never let it through.
    """

    def __init__(self, *, scripts: int, others: int) -> None:
        self._every = {True: scripts, False: others}
        self._answers = {True: 0, False: 0}
        self.broken = {True: 0, False: 0}  # by whether it was an answer of a script
        self.mended = False

    def breaks(self, question: bytes) -> bool:
        """Return whether the answer to `question` is cut."""
        of_script = OF_SCRIPT in question
        self._answers[of_script] += 1
        cut = not self.mended and self._answers[of_script] % self._every[of_script] == 0
        self.broken[of_script] += cut
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
