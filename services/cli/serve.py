"""`tirage serve`: the server and the services in one process group, and the demonstration tournament."""

import asyncio
import os
import signal
from collections.abc import Coroutine
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from rules.state import replay
from rules.trf import read
from services.cli.connect import PAIRING, URL_VARIABLE, opened, run, set_aside
from services.cli.exits import ExitCode, say
from services.cli.history import in_words
from services.cli.play.command import perform
from services.cli.play.script import script_of
from services.cli.show import console
from services.server import Server, default_data_dir
from services.store.port import EMPTY, EventStore
from services.store.reader import decoded
from services.supervisor import Supervised, worker_command, worker_environment

DEMONSTRATION = "demonstration"  # id of its tournament
SEAL_KEY_FILE = "seal.key"
WORKER_LOG_FILE = "worker.log"
CANCEL_AGAIN_S = 0.2
SERVER_EVERY_S = 0.5  # between two looks whether our own server lives


def serve(
    data: Annotated[
        Path | None, typer.Option(help="Data directory; default: the user's application data.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="Use this store (redis://, rediss://, unix://) instead of a server of one's own."),
    ] = None,
    *,
    demo: Annotated[bool, typer.Option("--demo", help="Play the demonstration tournament first.")] = False,
    once: Annotated[
        bool, typer.Option("--once", help="With --demo: end when it is played, instead of staying up.")
    ] = False,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Use a server that may lose events.")
    ] = False,
) -> None:
    """Start a server of one's own and the services on it; Ctrl-C ends everything in good order.

    The data stay: the next start finds every tournament again.

    Exit codes: 0 ended in good order, 6 no server or an unsafe one, 9 the demonstration went wrong.

    Запускает сервер и службы; Ctrl-C завершает всё.
    """
    where = data or default_data_dir()

    named = url or os.environ.get(URL_VARIABLE)

    async def work() -> ExitCode:
        if named:
            return await _with_services(named, where, demo=demo, once=once, allow_unsafe=allow_unsafe)
        with Server(where) as server:
            serving = _with_services(server.url, where, demo=demo, once=once, allow_unsafe=allow_unsafe)
            return await _while_alive(server, serving)

    code = run(work)
    if code is not ExitCode.OK:
        raise typer.Exit(int(code))


async def _with_services(url: str, data: Path, *, demo: bool, once: bool, allow_unsafe: bool) -> ExitCode:
    out = console()
    ending = asyncio.Event()
    for ends in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(ends, ending.set)
    async with opened(url, allow_unsafe=allow_unsafe) as store:
        out.print(f"store: {store.address}; {store.durability.in_words()}", soft_wrap=True)
        out.print(f"data:  {data}; the worker's log is {WORKER_LOG_FILE} there", soft_wrap=True)
        await _say_what_is_there(store)
        data.mkdir(mode=0o700, parents=True, exist_ok=True)  # noqa: ASYNC240 - once, before anything runs
        command = worker_command(data / SEAL_KEY_FILE, allow_unsafe=allow_unsafe)
        async with Supervised("pairing worker", command, data / WORKER_LOG_FILE, worker_environment(url)):
            code = await _until(ending, _demonstration(store, url)) if demo else ExitCode.OK
            if not once and not ending.is_set():
                out.print("Tirage is up. Ctrl-C ends it.")
                await ending.wait()
        out.print("Tirage has ended; the data stay.")
        return code


async def _until(ending: asyncio.Event, work: Coroutine[None, None, ExitCode]) -> ExitCode:
    """Return what `work` returns, or give it up when we are told to end."""
    doing = asyncio.create_task(work)
    told = asyncio.create_task(ending.wait())
    await asyncio.wait({doing, told}, return_when=asyncio.FIRST_COMPLETED)
    while not doing.done():
        doing.cancel()  # again: the client can lose a cancellation (Python 3.11)
        await asyncio.wait({doing}, timeout=CANCEL_AGAIN_S)
    told.cancel()
    return ExitCode.OK if doing.cancelled() else doing.result()


async def _while_alive(server: Server, serving: Coroutine[None, None, ExitCode]) -> ExitCode:
    """Return what `serving` returns, or end it when our own server has died."""
    work = asyncio.create_task(serving)
    while not work.done():
        await asyncio.wait({work}, timeout=SERVER_EVERY_S)
        if server.pid is None and not work.done():
            say(f"the server on {server.data} has died; start again, the data stay")
            while not work.done():
                work.cancel()
                await asyncio.wait({work}, timeout=CANCEL_AGAIN_S)
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


async def _demonstration(store: EventStore, url: str) -> ExitCode:
    file = read((files("services.cli") / "demonstration.trf").read_bytes())
    state = replay(decoded(DEMONSTRATION, await store.read(DEMONSTRATION), EMPTY))
    if state.closed:
        console().print(f"the demonstration was played before: `tirage log {DEMONSTRATION}` tells it")
        return ExitCode.OK
    async with set_aside(url, store.partitions, PAIRING) as parking:
        return await perform(store, parking, script_of(file, DEMONSTRATION), file)
