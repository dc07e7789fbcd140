"""The pairing worker as a process: store, engine, desk and doorbells wired together, started and stopped.

`python -m services.pairing --url URL` runs in the foreground until SIGTERM or SIGINT. Exit codes are those of
`services.cli.exits`; an error that a user can do something about is one line.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack

import structlog

from services import logs
from services.cli.exits import ExitCode, say
from services.doorbell.attending import attend
from services.doorbell.desk import Desk
from services.doorbell.parking import RedisParking
from services.doorbell.tending import tend
from services.failpoints import UnknownFailpoint
from services.gateway.commands import Commands
from services.options import add_doorbell_options, service_parser
from services.pairing.engine import ProcessEngine
from services.pairing.handler import PairingWorker
from services.pairing.seal_key import SealKeyUnusable, claim, seal_key
from services.pairing.work import Pair
from services.process import open_store, until_told
from services.settings import BadSetting, Settings, load
from services.store import StoreError
from services.store.connection import Connection
from services.store.redis_store import PATIENCE_S, TIMEOUT_S

SERVICE = "pairing"  # its group at the feeds, and the key of what it sets aside

log = structlog.get_logger(__name__)


def main(engine: str, pair: Pair, arguments: Sequence[str] | None = None) -> int:
    """Run the worker with an engine until it is told to stop; return the exit code."""
    options = _parser().parse_args(arguments)
    given = {name: value for name, value in vars(options).items() if name not in _OWN}
    try:
        settings = load(os.environ, **given)
        logs.configure()
        if options.parked or options.release:
            return asyncio.run(tend(settings, SERVICE, options.release))
        asyncio.run(serve(settings, engine, pair, ready_fd=options.ready_fd))
    except (BadSetting, UnknownFailpoint) as error:
        return _fail(ExitCode.INVALID_REQUEST, error)
    except SealKeyUnusable as error:
        return _fail(ExitCode.FILE_ACCESS, error)
    except StoreError as error:
        return _fail(ExitCode.NO_STORE, error)
    except Exception:  # the last door: whoever supervises us starts us again
        log.critical("worker_failed", exc_info=True)
        return ExitCode.UNEXPECTED
    return ExitCode.OK


async def serve(settings: Settings, engine: str, pair: Pair, *, ready_fd: int | None = None) -> None:
    """Work until SIGTERM or SIGINT, or until the process `end_with`, which started us, is gone."""
    await until_told(_work(settings, engine, pair, ready_fd), settings.end_with)
    log.info("worker_stopped")


async def _work(settings: Settings, engine: str, pair: Pair, ready_fd: int | None) -> None:
    key = seal_key(settings.seal_key)
    async with AsyncExitStack() as stack:
        store = await open_store(settings)
        stack.push_async_callback(store.close)
        connection = Connection(settings.store_url, TIMEOUT_S, PATIENCE_S)
        stack.push_async_callback(connection.close)
        await claim(connection, settings.seal_key, key)
        processes = ProcessEngine(engine, pair)
        stack.callback(processes.close)
        processes.warm()
        worker = PairingWorker(store, Commands(store), processes, key)
        parking = RedisParking(connection, store.partitions, SERVICE)
        desk = Desk(store, worker, parking, sweep_s=settings.sweep_s)
        await attend(settings, store, desk, SERVICE, ready_fd)


def _fail(code: ExitCode, error: Exception) -> int:
    say(str(error))
    return code


_OWN = {"ready_fd", "parked", "release"}


def _parser() -> argparse.ArgumentParser:
    parser = service_parser("services.pairing", "Seal and publish the pairings of a store's tournaments.")
    parser.add_argument("--seal-key", metavar="FILE", help="key of the seals; made when it is not there")
    parser.add_argument("--data-dir", metavar="DIR", help="where the key is without --seal-key")
    add_doorbell_options(parser)
    return parser
