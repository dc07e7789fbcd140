"""The HTTP server of this process: granian in our own event loop, so that one signal ends everything in order."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import msgspec
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from litestar import Litestar

from services.gateway.problems import MEDIA_TYPE, RETRY_AFTER_S, Problem

DRAIN_S_MAX = 8.0  # for requests under way at the end: more than the store's patience
HEADERS_MS_MAX = 10_000  # for a client to send its headers
CONNECTIONS_MAX = 1_024  # waiting to be accepted


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


class Doorway:
    """Lets requests in, and at the end waits for those inside: granian would drop them."""

    def __init__(self, app: Litestar) -> None:
        self._app = app
        self._inside = 0
        self._closing = False
        self._empty = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI, in two spellings
        """Pass a request on, or turn it away."""
        if self._closing and scope["type"] == "http":
            await _turn_away(send)
            return
        self._inside += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._inside -= 1
            if not self._inside:
                self._empty.set()

    async def close(self) -> None:
        """Let nobody in any more, and wait for who is inside, not for ever."""
        self._closing = True
        self._empty.clear()
        if self._inside:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), DRAIN_S_MAX)


@contextlib.asynccontextmanager
async def listening(app: Litestar, host: str, port: int) -> AsyncIterator[asyncio.Task[None]]:
    """Serve `app` for the length of a `with` statement; the task ends early when the server failed."""
    doorway = Doorway(app)
    server = Server(
        doorway,
        address=host,
        port=port,
        interface=Interfaces.ASGINL,  # the application has nothing to do at its start and end
        http=HTTPModes.http1,
        websockets=False,
        backlog=CONNECTIONS_MAX,
        log_enabled=False,
        http1_settings=HTTP1Settings(header_read_timeout=HEADERS_MS_MAX),
    )
    serving = asyncio.create_task(server.serve())
    try:
        await _answers(serving, host, port)
        yield serving
    finally:
        await doorway.close()
        server.stop()  # type: ignore[no-untyped-call] # granian ships types without this one's
        with contextlib.suppress(asyncio.CancelledError):
            await serving


async def _turn_away(send: Any) -> None:  # noqa: ANN401 - ASGI
    problem = Problem("stopping", "the service is being stopped; send the request again")
    headers = {"content-type": MEDIA_TYPE, "retry-after": str(RETRY_AFTER_S), "connection": "close"}
    await send(
        {
            "type": "http.response.start",
            "status": problem.status,
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": msgspec.json.encode(problem.document)})


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
