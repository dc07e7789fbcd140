"""Workers as processes of their own, on a real server: started, waited for, killed."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from services.doorbell.crew import end
from services.failpoints import VARIABLE
from services.pairing import app
from services.settings import load
from tests.services.pairing import by_order
from tests.support.patience import PATIENCE_S
from tests.support.process import Process


class Worker(Process):
    """One worker process, on a server's URL, with a small engine."""

    def __init__(
        self, url: str, key: Path, *options: str, failpoint: str = "", engine: str = "by_order"
    ) -> None:
        armed = {VARIABLE: failpoint} if failpoint else {}
        output = key.with_name(f"{time.monotonic_ns()}.log")
        given = (engine, "--url", url, "--seal-key", str(key), *options)
        super().__init__("tests.services.pairing.small_worker", output, *given, **armed)

    @property
    def cpu_s(self) -> float:
        """Processor time that it has used, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def children(self) -> list[int]:
        """Process ids of its children."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(pid) for pid in path.read_text().split()]


@asynccontextmanager
async def working(url: str, key: Path, **given: str) -> AsyncIterator[None]:
    """A worker in this process, which spares a second of imports; all but signals and options is the same."""
    settings = load({}, store_url=url, seal_key=str(key), **given)
    task = asyncio.create_task(app._work(settings, by_order.ENGINE, by_order.by_order, None))
    try:
        yield
        assert not task.done(), task.exception()
    finally:
        await end([task])


async def until(true: Callable[[], Awaitable[bool]], what: str, patience_s: float = PATIENCE_S) -> None:
    """Wait until `true` is."""
    give_up_at = time.monotonic() + patience_s
    while not await true():
        assert time.monotonic() < give_up_at, f"waited in vain: {what}"
        await asyncio.sleep(0.02)
