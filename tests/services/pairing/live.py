"""Workers as processes of their own, on a real server: started, waited for, killed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from services.doorbell.crew import end
from services.failpoints import VARIABLE
from services.pairing import app
from services.settings import load
from tests.services.pairing import by_order
from tests.support.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]


class Worker:
    """One worker process, on a server's URL, with a small engine; ended by `stop` or at the end of its `with`."""

    def __init__(
        self, url: str, key: Path, *options: str, failpoint: str = "", engine: str = "by_order"
    ) -> None:
        self.output = key.with_name(f"{time.monotonic_ns()}.log")
        reader, writer = os.pipe()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TIRAGE_")}
        if failpoint:
            environment[VARIABLE] = failpoint
        command = [sys.executable, "-m", "tests.services.pairing.small_worker", engine]
        command += ["--url", url, "--seal-key", str(key), "--ready-fd", str(writer), *options]
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdout=output, stderr=output, env=environment, pass_fds=[writer]
            )
        os.close(writer)
        self._ready = reader

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ready)

    async def ready(self) -> Self:
        """Wait until it says that it is ready."""
        said = await asyncio.wait_for(asyncio.to_thread(os.read, self._ready, 16), PATIENCE_S)
        assert said == b"ready\n", self.words
        return self

    async def ended(self) -> int:
        """Wait until it has ended and return its exit code."""
        return await asyncio.to_thread(self.process.wait, PATIENCE_S)

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end, and return its exit code."""
        self.process.send_signal(how)
        return await self.ended()

    @property
    def words(self) -> str:
        """What it has written until now."""
        return self.output.read_text()

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
