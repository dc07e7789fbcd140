"""The projector as a process: store, shelf, desk and doorbells wired together, started and stopped.

`python -m services.projector --url URL` runs in the foreground until SIGTERM or SIGINT; with `--rebuild` it makes all
views anew instead, and ends. It needs no port: how far it is, the gateway reads off the store. Exit codes are those of
`services.cli.exits`; an error that a user can do something about is one line.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress

import structlog

from services import logs
from services.cli.exits import ExitCode, say
from services.doorbell.attending import attend
from services.doorbell.desk import Desk
from services.doorbell.parking import RedisParking
from services.doorbell.tending import tend
from services.failpoints import UnknownFailpoint
from services.options import add_doorbell_options, service_parser
from services.process import open_store, until_told
from services.projector.handler import Projector
from services.projector.rebuild import Rebuild, RebuildFailed
from services.projector.shelf import Shelf
from services.settings import BadSetting, Settings, load
from services.store import RedisStore, StoreError
from services.store.connection import Connection
from services.store.redis_store import PATIENCE_S, TIMEOUT_S

SERVICE = "projector"  # its group at the feeds, and the key of what it sets aside
NICE = 5  # where processor time is scarce, commands come first: views that lag take in more at a time

log = structlog.get_logger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Keep the views up to date until told to stop, or do what the options say; return the exit code."""
    options = _parser().parse_args(arguments)
    given = {name: value for name, value in vars(options).items() if name not in _OWN}
    try:
        settings = load(os.environ, **given)
        logs.configure()
        if options.parked or options.release:
            return asyncio.run(tend(settings, SERVICE, options.release))
        with suppress(PermissionError):  # where a unit's filter forbids it, the unit says so itself
            os.nice(NICE)
        if options.rebuild:
            return asyncio.run(rebuild(settings))
        asyncio.run(until_told(work(settings, options.ready_fd), settings.end_with))
    except (BadSetting, UnknownFailpoint) as error:
        return _fail(ExitCode.INVALID_REQUEST, error)
    except RebuildFailed as error:
        return _fail(ExitCode.DIFFERENT, error)
    except StoreError as error:
        return _fail(ExitCode.NO_STORE, error)
    except Exception:  # the last door: whoever supervises us starts us again
        log.critical("worker_failed", exc_info=True)
        return ExitCode.UNEXPECTED
    log.info("worker_stopped")
    return ExitCode.OK


async def work(settings: Settings, ready_fd: int | None = None) -> None:
    """Keep the views of a store up to date, for ever."""
    async with AsyncExitStack() as stack:
        store, connection = await _opened(stack, settings)
        projector = Projector(store, Shelf(connection, store.partitions))
        parking = RedisParking(connection, store.partitions, SERVICE)
        desk = Desk(store, projector, parking, sweep_s=settings.sweep_s)
        await attend(settings, store, desk, SERVICE, ready_fd)


async def rebuild(settings: Settings) -> int:
    """Make all views anew and show them; return the exit code."""
    async with AsyncExitStack() as stack:
        store, connection = await _opened(stack, settings)
        rebuilt = await Rebuild(store, connection).run()
    for tournament, reason in sorted(rebuilt.taken_over.items()):
        say(f"{tournament} could not be made anew and is shown as before: {reason}")
    say(f"the views of {rebuilt.tournaments - len(rebuilt.taken_over)} tournament(s) are made anew and shown")
    return ExitCode.BROKEN_LOG if rebuilt.taken_over else ExitCode.OK


async def _opened(stack: AsyncExitStack, settings: Settings) -> tuple[RedisStore, Connection]:
    store = await open_store(settings)
    stack.push_async_callback(store.close)
    connection = Connection(settings.store_url, TIMEOUT_S, PATIENCE_S)
    stack.push_async_callback(connection.close)
    return store, connection


def _fail(code: ExitCode, error: Exception) -> int:
    say(str(error))
    return code


_OWN = {"ready_fd", "parked", "release", "rebuild"}


def _parser() -> argparse.ArgumentParser:
    parser = service_parser(
        "services.projector", "Keep the views and public streams of a store's tournaments up to date."
    )
    add_doorbell_options(parser).add_argument(
        "--rebuild",
        action="store_true",
        help="make all views anew from the logs beside those that are shown, show them, and end; may be killed "
        "and started again",
    )
    return parser
