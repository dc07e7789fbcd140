"""The HTTP server of this process: granian in our own event loop, so that one signal ends everything in order."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import structlog
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from litestar import Litestar

HEADERS_S_MAX = 10_000  # ms for a client to send its headers
CONNECTIONS_MAX = 1_024  # waiting to be accepted

log = structlog.get_logger(__name__)


class CannotListen(Exception):
    """The address is taken, not ours, or no address."""

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(f"cannot listen at {host}:{port}: {reason}")


def free_port(host: str, port: int) -> int:
    """Return `port`, or a free one for 0; raise `CannotListen` when somebody listens there already.

    granian itself would share the port with him (SO_REUSEPORT) and say nothing.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind(address)
            found: int = tried.getsockname()[1]
            return found
    except OSError as error:
        raise CannotListen(host, port, error.strerror or str(error)) from None


@contextlib.asynccontextmanager
async def listening(app: Litestar, host: str, port: int) -> AsyncIterator[asyncio.Task[None]]:
    """Serve `app` for the length of a `with` statement; the task ends early when the server failed."""
    server = Server(
        app,
        address=host,
        port=port,
        interface=Interfaces.ASGI,
        http=HTTPModes.http1,
        websockets=False,
        backlog=CONNECTIONS_MAX,
        log_enabled=False,
        http1_settings=HTTP1Settings(header_read_timeout=HEADERS_S_MAX),
    )
    serving = asyncio.create_task(server.serve())
    try:
        await _answers(serving, host, port)
        yield serving
    finally:
        server.stop()  # type: ignore[no-untyped-call] # granian ships types without this one's
        with contextlib.suppress(asyncio.CancelledError):
            await serving


async def _answers(serving: asyncio.Task[None], host: str, port: int) -> None:
    """Wait until somebody answers at the address."""
    while not serving.done():
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(0.01)
            continue
        writer.close()
        await writer.wait_closed()
        return
    serving.result()
