"""`tirage serve`: the server and the services in one process group, and the demonstration tournament."""

import asyncio
import signal
from collections.abc import Coroutine
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from rules.state import replay
from rules.trf import read
from services.cli.connect import opened, run
from services.cli.exits import ExitCode
from services.cli.play.command import perform
from services.cli.play.script import script_of
from services.cli.show import console
from services.server import Server, default_data_dir
from services.store.port import EMPTY, EventStore
from services.store.reader import decoded
from services.supervisor import Supervised, worker_command

DEMONSTRATION = "demonstration"  # id of its tournament
SEAL_KEY_FILE = "seal.key"
WORKER_LOG_FILE = "worker.log"


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

    async def work() -> ExitCode:
        if url is not None:
            return await _with_services(url, where, demo=demo, once=once, allow_unsafe=allow_unsafe)
        with Server(where) as server:
            return await _with_services(server.url, where, demo=demo, once=once, allow_unsafe=allow_unsafe)

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
        command = worker_command(url, data / SEAL_KEY_FILE, allow_unsafe=allow_unsafe)
        async with Supervised("pairing worker", command, data / WORKER_LOG_FILE):
            code = await _until(ending, _demonstration(store)) if demo else ExitCode.OK
            if not once and not ending.is_set():
                out.print("Tirage is up. Ctrl-C ends it.")
                await ending.wait()
        out.print("Tirage has ended; the data stay.")
        return code


async def _until(ending: asyncio.Event, work: Coroutine[None, None, ExitCode]) -> ExitCode:
    """Return what `work` returns, or give it up when we are told to end."""
    doing = asyncio.create_task(work)
    told = asyncio.create_task(ending.wait())
    told.add_done_callback(lambda _: doing.cancel())
    try:
        return await doing
    except asyncio.CancelledError:
        return ExitCode.OK
    finally:
        told.cancel()


async def _say_what_is_there(store: EventStore) -> None:
    tournaments = await store.tournaments()
    if not tournaments:
        console().print("no tournaments yet: this is a new store")
        return
    console().print(f"found {len(tournaments)} tournament(s) of earlier runs:")
    for tournament in tournaments:
        state = replay(decoded(tournament, await store.read(tournament), EMPTY))
        assert state.announced is not None
        end = "closed" if state.closed else f"{state.published_rounds} of {state.announced.rounds} rounds"
        console().print(f"  {tournament}: {state.announced.name}, {len(state.players)} players, {end}")


async def _demonstration(store: EventStore) -> ExitCode:
    file = read((files("services.cli") / "demonstration.trf").read_bytes())
    state = replay(decoded(DEMONSTRATION, await store.read(DEMONSTRATION), EMPTY))
    if state.closed:
        console().print(f"the demonstration was played before: `tirage log {DEMONSTRATION}` tells it")
        return ExitCode.OK
    return await perform(store, script_of(file, DEMONSTRATION), file)
