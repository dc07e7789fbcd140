"""A pairing worker as a process of its own, for tests that play whole tournaments."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


@contextlib.asynccontextmanager
async def running_worker(url: str, folder: Path) -> AsyncIterator[None]:
    """Run a worker on the store at `url` for the length of a `with` statement; its log is in `folder`."""
    with (folder / "worker.log").open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "services.pairing", "--url", url, "--seal-key", str(folder / "seal.key")),
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )
    try:
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        code = await process.wait()
        assert code == 0, (folder / "worker.log").read_text()
