"""Projectors as processes of their own, on a real server: started, waited for, killed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from services.doorbell.crew import end
from services.failpoints import VARIABLE
from services.projector.app import work
from services.settings import load
from tests.services.pairing.live import ROOT

PATIENCE_S = 60.0  # a test starts several processes, on a machine that others may use


class Process:
    """One projector process, or one of its commands; ended by `stop` or at the end of its `with`."""

    def __init__(self, url: str, folder: Path, *options: str, failpoint: str = "") -> None:
        self.output = folder / f"{time.monotonic_ns()}.log"
        reader, writer = os.pipe()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TIRAGE_")}
        environment["TIRAGE_STORE_URL"] = url
        if failpoint:
            environment[VARIABLE] = failpoint
        command = [sys.executable, "-m", "services.projector", "--ready-fd", str(writer), *options]
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


@asynccontextmanager
async def projecting(url: str, **given: str) -> AsyncIterator[None]:
    """A projector in this process, which spares a second of imports; all but signals and options is the same."""
    task = asyncio.create_task(work(load({}, store_url=url, **given)))
    try:
        yield
        assert not task.done(), task.exception()
    finally:
        await end([task])
