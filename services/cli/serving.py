"""What `tirage serve` does: the server and the services in one process group, and the demonstration tournament."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import msgspec

from events.codec import sha256_hex
from services.cli.connect import Inaccessible, opened
from services.cli.demonstration import DEMONSTRATION, demonstrate
from services.cli.exits import ExitCode, report, say
from services.cli.history import in_words
from services.cli.show import console
from services.doorbell.crew import end
from services.gateway.listening import CannotListen, free_port
from services.gateway.tokens import TokensUnusable, new_token, read
from services.server import Server
from services.settings import HOST, PORT, SEAL_KEY_FILE, TOKENS_FILE
from services.store.port import EventStore
from services.supervisor import Supervised, service_command, service_environment

TOKEN_NAME = "arbiter"  # noqa: S105 - whom it names
TOKEN_FILE = "arbiter.token"  # noqa: S105 - where it is
START_S_MAX = 60.0
READY_EVERY_S = 0.1
SERVER_EVERY_S = 0.5  # between two looks whether our own server lives


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What the user asked for."""

    data: Path
    url: str | None  # of a store; None: a server of one's own
    port: int | None
    demo: bool
    once: bool
    allow_unsafe: bool


async def serve_all(wanted: Wanted) -> ExitCode:
    """Serve until told to end, and return what the exit code should be."""
    port = _port(wanted.port)
    if wanted.url:
        return await _serve(wanted, wanted.url, port)
    with Server(wanted.data) as server:
        return await _while_alive(server, _serve(wanted, server.url, port))


async def _serve(wanted: Wanted, url: str, port: int) -> ExitCode:
    data = wanted.data
    out = console()
    ending = asyncio.Event()
    for ends in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(ends, ending.set)
    pages = f"http://{HOST}:{port}"
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(opened(url, allow_unsafe=wanted.allow_unsafe))
        out.print(f"store: {store.address}; {store.durability.in_words()}", soft_wrap=True)
        await _say_what_is_there(store)
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        token = _token(data)
        for service in _services(url, data, port, allow_unsafe=wanted.allow_unsafe):
            await stack.enter_async_context(service)
        out.print(f"data:  {data}; each service's log is there", soft_wrap=True)
        out.print(
            f"pages: {pages}  (API: {pages}/openapi.json; token: {TOKEN_FILE} in the data)", soft_wrap=True
        )
        code = await _until(ending, _at_work(store, url, pages, token, demo=wanted.demo))
        if not wanted.once and not ending.is_set():
            shown = f"{pages}/t/{DEMONSTRATION}" if wanted.demo else pages
            out.print(f"Tirage is up: {shown}  Ctrl-C ends it.", soft_wrap=True)
            await ending.wait()
    out.print("Tirage has ended; the data stay.")
    return code


async def _at_work(store: EventStore, url: str, pages: str, token: str, *, demo: bool) -> ExitCode:
    """Wait until the gateway answers, and play the demonstration if that is asked for."""
    clock = asyncio.get_running_loop().time
    give_up_at = clock() + START_S_MAX
    ours = {"Authorization": f"Bearer {token}"}  # another gateway at this port does not know it
    async with httpx.AsyncClient(base_url=pages, headers=ours, trust_env=False) as client:
        while not await _answers(client):
            if clock() > give_up_at:
                return report(
                    ExitCode.FILE_ACCESS, f"our gateway does not answer at {pages}; its log is in the data"
                )
            await asyncio.sleep(READY_EVERY_S)
    return await demonstrate(store, url, pages, token) if demo else ExitCode.OK


async def _answers(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/health/ready")).is_success
    except httpx.TransportError:
        return False


def _services(url: str, data: Path, port: int, *, allow_unsafe: bool) -> list[Supervised]:
    environment = service_environment(url)

    def service(name: str, *options: str) -> Supervised:
        command = service_command(f"services.{name}", *options, allow_unsafe=allow_unsafe)
        return Supervised(name, command, data / f"{name}.log", environment)

    return [
        service("pairing", "--seal-key", str(data / SEAL_KEY_FILE)),
        service("projector"),
        service("gateway", "--tokens", str(data / TOKENS_FILE), "--host", HOST, "--port", str(port)),
    ]


def _port(asked: int | None) -> int:
    """Return the port asked for, or the usual one, or a free one where that is taken."""
    try:
        if asked is not None:
            return free_port(HOST, asked)
        try:
            return free_port(HOST, PORT)
        except CannotListen:
            return free_port(HOST, 0)
    except CannotListen as error:
        raise Inaccessible(str(error)) from error


def _token(data: Path) -> str:
    """Return the token of whoever runs this, made at the first start; only he can read the file."""
    file, digests = data / TOKEN_FILE, data / TOKENS_FILE
    try:
        known = {token.sha256: token.name for token in read(digests)} if digests.exists() else {}
        presented = file.read_text().strip() if file.exists() else ""
        if sha256_hex(presented.encode()) in known:
            return presented
        name = TOKEN_NAME
        while name in known.values():  # of one that was lost
            name += "-"
        presented = new_token(
            digests, {"name": name, "scopes": ["command:*", "operate"], "tournaments": ["*"]}
        )
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as secret:
            secret.write(presented + "\n")
    except TokensUnusable as error:
        raise Inaccessible(str(error)) from error
    return presented


async def _until(ending: asyncio.Event, work: Coroutine[None, None, ExitCode]) -> ExitCode:
    """Return what `work` returns, or give it up when we are told to end."""
    doing = asyncio.create_task(work)
    told = asyncio.create_task(ending.wait())
    await asyncio.wait({doing, told}, return_when=asyncio.FIRST_COMPLETED)
    await end({doing, told})
    return ExitCode.OK if doing.cancelled() else doing.result()


async def _while_alive(server: Server, serving: Coroutine[None, None, ExitCode]) -> ExitCode:
    """Return what `serving` returns, or end it when our own server has died."""
    work = asyncio.create_task(serving)
    while not work.done():
        await asyncio.wait({work}, timeout=SERVER_EVERY_S)
        if server.pid is None and not work.done():
            say(f"the server on {server.data} has died; start again, the data stay")
            await end({work})
            return ExitCode.NO_STORE
    return work.result()


async def _say_what_is_there(store: EventStore) -> None:
    tournaments = await store.tournaments()
    if not tournaments:
        console().print("no tournaments yet: this is a new store")
        return
    console().print(f"found {len(tournaments)} tournament(s) of earlier runs:")
    for tournament in tournaments:
        console().print(f"  {tournament}: {await in_words(store, tournament)}", soft_wrap=True)
