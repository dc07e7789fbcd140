"""Finding and opening the store that a command line is about, and saying in one line what went wrong."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import structlog

from events.codec import NotCanonical
from rules.refusals import RuleViolation
from rules.state import ImpossibleHistory
from services.cli.exits import ExitCode, fail
from services.server import ServerError, default_data_dir, find_running
from services.settings import URL_VARIABLE
from services.store.errors import (
    BadName,
    CommandClash,
    LogBroken,
    PersonClash,
    StoreError,
)
from services.store.redis_store import RedisStore

PAIRING = "pairing"  # what the pairing worker calls itself, see `services.pairing.app`

T = TypeVar("T")


class NothingRuns(Exception):
    """No store was named and none is running on this machine's data."""

    def __init__(self, data: Path) -> None:
        super().__init__(
            f"no running system found on {data}: start one with `tirage serve`, "
            f"or name a store with --url or {URL_VARIABLE}"
        )


class Inaccessible(Exception):
    """A file or a port cannot be had; the message says which, and why."""


def store_url(url: str | None, data: Path | None) -> str:
    """Return the store's URL: the one given, the environment's, or that of the server running on `data`."""
    named = url or os.environ.get(URL_VARIABLE)
    if named:
        return named
    where = data or default_data_dir()
    running = find_running(where)
    if running is None:
        raise NothingRuns(where)
    return running


@asynccontextmanager
async def opened(url: str, *, allow_unsafe: bool = False) -> AsyncIterator[RedisStore]:
    """Open the store at `url` for the length of a `with` statement."""
    store = await RedisStore.open(url, allow_unsafe=allow_unsafe)
    try:
        yield store
    finally:
        await store.close()


def run(work: Callable[[], Coroutine[object, object, T]]) -> T:
    """Run `work` and return what it returns; leave with one line and an exit code for what a user can do about."""
    _quiet()
    try:
        return asyncio.run(work())
    except KeyboardInterrupt:
        fail(ExitCode.INTERRUPTED, "interrupted")
    except (LogBroken, ImpossibleHistory) as error:
        fail(ExitCode.BROKEN_LOG, str(error))
    except Inaccessible as error:
        fail(ExitCode.FILE_ACCESS, str(error))
    except RuleViolation as error:
        fail(ExitCode.REFUSED, f"refused: {error}")
    except (NotCanonical, BadName) as error:
        fail(ExitCode.INVALID_REQUEST, str(error))
    except (CommandClash, PersonClash) as error:
        fail(ExitCode.REFUSED, str(error))
    except (NothingRuns, ServerError, StoreError) as error:
        fail(ExitCode.NO_STORE, str(error))


def _quiet() -> None:
    # On the command line the answer is the output; the services' own log lines are for their processes.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
