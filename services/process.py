"""What every service's process does: wait for its store at the start, work until it is told to stop, say so."""

import asyncio
import os
import signal
from collections.abc import Coroutine

import structlog

from services.doorbell.crew import end
from services.settings import Settings
from services.store import RedisStore, StoreUnreachable

RETRY_FIRST_S = 0.1
RETRY_LAST_S = 2.0
PARENT_EVERY_S = 0.5

log = structlog.get_logger(__name__)


async def until_told(work: Coroutine[None, None, None], end_with: int | None) -> None:
    """Run `work` until SIGTERM or SIGINT, or until the process `end_with`, our parent, is gone.

    `work` is cancelled then; what it raises by itself is raised.
    """
    stop = asyncio.Event()
    for ends in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(ends, stop.set)
    working = asyncio.create_task(work)
    told: list[asyncio.Task[object]] = [asyncio.create_task(stop.wait())]
    if end_with is not None:
        told.append(asyncio.create_task(_parent_gone(end_with)))
    await asyncio.wait({working, *told}, return_when=asyncio.FIRST_COMPLETED)
    await end({working, *told})
    if not working.cancelled():
        working.result()  # it ended by itself: raises why


async def open_store(settings: Settings) -> RedisStore:
    """Open the store, waiting for a server that is not there yet; raise what `RedisStore.open` raises."""
    clock = asyncio.get_running_loop().time
    give_up_at = clock() + settings.store_wait_s
    delay_s = RETRY_FIRST_S
    while True:
        try:
            return await RedisStore.open(
                settings.store_url, partitions=settings.partitions, allow_unsafe=settings.allow_unsafe
            )
        except StoreUnreachable as error:
            if clock() + delay_s > give_up_at:
                raise
            log.warning("store_awaited", reason=str(error), retry_in_s=delay_s)
        await asyncio.sleep(delay_s)
        delay_s = min(2 * delay_s, RETRY_LAST_S)


def say_ready(descriptor: int | None, words: str = "ready") -> None:
    """Write a line to the descriptor that whoever started us waits at, and close it."""
    if descriptor is not None:
        os.write(descriptor, words.encode() + b"\n")
        os.close(descriptor)


async def _parent_gone(parent: int) -> None:
    # Its id comes from itself: asked here, it could be gone already, and another be taken for it.
    while os.getppid() == parent:  # noqa: ASYNC110 - there is no event: see below
        await asyncio.sleep(PARENT_EVERY_S)  # nothing tells a process that its parent is gone
    log.warning("parent_gone", parent=parent)
