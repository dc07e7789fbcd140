"""Services behind the feeds as processes of their own, for tests that play whole tournaments."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from tests.support.program import ROOT


def running_worker(url: str, folder: Path) -> AbstractAsyncContextManager[None]:
    """Run a pairing worker on the store at `url` for the length of a `with` statement; its log is in `folder`."""
    return _running("pairing", folder / "worker.log", "--url", url, "--seal-key", str(folder / "seal.key"))


def running_projector(url: str, folder: Path) -> AbstractAsyncContextManager[None]:
    """Run a projector in the same way."""
    return _running("projector", folder / "projector.log", "--url", url)


@contextlib.asynccontextmanager
async def _running(service: str, log: Path, *options: str) -> AsyncIterator[None]:
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", f"services.{service}", *options), cwd=ROOT, stdout=output, stderr=output
        )
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        assert await process.wait() == 0, log
