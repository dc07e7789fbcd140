"""A program of ours as a process: started with a line to say on when it is ready, waited for, told to stop."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from tests.support.patience import PATIENCE_S
from tests.support.program import ROOT

WORDS_MAX = 200  # bytes, of what it says when it is ready


class Process:
    """`python -m MODULE` with options, away from whatever the caller's environment says of a store.

    Its output goes to the file `output`. Ended by `stop`, or by force at the end of its `with`.
    """

    def __init__(self, module: str, output: Path, *options: str, **environment: str) -> None:
        self.output = output
        self._ready, writer = os.pipe()
        clean = {name: value for name, value in os.environ.items() if not name.startswith("TIRAGE_")}
        with output.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, *options, "--ready-fd", str(writer)],
                cwd=ROOT,
                stdout=file,
                stderr=file,
                env={**clean, **environment},
                pass_fds=[writer],
            )
        os.close(writer)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ready)

    async def said(self) -> str:
        """Return what it says when it is ready; empty when it ends before."""
        words = await asyncio.wait_for(asyncio.to_thread(os.read, self._ready, WORDS_MAX), PATIENCE_S)
        return words.decode().strip()

    async def ready(self) -> Self:
        """Wait until it says that it is ready."""
        assert await self.said() == "ready", self.words
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
