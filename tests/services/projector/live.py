"""Projectors as processes of their own, on a real server: started, waited for, killed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from services.doorbell.crew import end
from services.failpoints import VARIABLE
from services.projector.app import work
from services.settings import load
from tests.support.process import Process as Program


class Process(Program):
    """One projector process, or one of its commands."""

    def __init__(self, url: str, folder: Path, *options: str, failpoint: str = "") -> None:
        armed = {VARIABLE: failpoint} if failpoint else {}
        output = folder / f"{time.monotonic_ns()}.log"
        super().__init__("services.projector", output, *options, TIRAGE_STORE_URL=url, **armed)


@asynccontextmanager
async def projecting(url: str, **given: str) -> AsyncIterator[None]:
    """A projector in this process, which spares a second of imports; all but signals and options is the same."""
    task = asyncio.create_task(work(load({}, store_url=url, **given)))
    try:
        yield
        assert not task.done(), task.exception()
    finally:
        await end([task])
