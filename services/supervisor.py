"""Keeps a service's process alive as long as a `with` statement lasts, and ends it with it.

The child stays in our process group, so Ctrl-C on the terminal reaches it, too.
"""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog

from services.settings import URL_VARIABLE

RESTART_FIRST_S = 0.5
RESTART_LAST_S = 10.0
STEADY_S = 30.0  # a child that lived as long is restarted without delay the next time
STOP_S_MAX = 10.0

log = structlog.get_logger(__name__)


def service_command(module: str, *options: str, allow_unsafe: bool = False) -> list[str]:
    """Return the command that runs a service, e.g. "services.pairing", as long as this process lives."""
    command = [sys.executable, "-m", module, *options, "--end-with", str(os.getpid())]
    return [*command, "--allow-unsafe"] if allow_unsafe else command


def service_environment(url: str) -> dict[str, str]:
    """Return the environment that names the store to a service: its URL may hold a password, which `ps` shows."""
    return {**os.environ, URL_VARIABLE: url}


class Supervised:
    """One child process, started again when it ends by itself, a little later each time it does.

    What it writes is appended to the file `output`.
    """

    def __init__(self, name: str, command: list[str], output: Path, environment: Mapping[str, str]) -> None:
        self._name = name
        self._command = command
        self._output = output
        self._environment = environment
        self._watching: asyncio.Task[None] | None = None
        self._child: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        """Start the child."""
        self._child = await self._start()
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the child in good order, after `STOP_S_MAX` seconds by force."""
        assert self._watching is not None
        self._watching.cancel()
        await asyncio.wait({self._watching})
        await self._stop()

    @property
    def pid(self) -> int | None:
        """Process id of the child, None while there is none."""
        return self._child.pid if self._child is not None and self._child.returncode is None else None

    async def _start(self) -> asyncio.subprocess.Process:
        with self._output.open("ab") as output:
            child = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self._environment,
            )
        log.info("service_started", service=self._name, pid=child.pid)
        return child

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop().time
        delay_s = RESTART_FIRST_S
        while True:
            assert self._child is not None
            started = clock()
            code = await self._child.wait()
            if clock() - started > STEADY_S:
                delay_s = RESTART_FIRST_S
            log.error("service_ended", service=self._name, code=code, restart_in_s=delay_s)
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, RESTART_LAST_S)
            self._child = await self._start()

    async def _stop(self) -> None:
        child = self._child
        if child is None or child.returncode is not None:
            return
        child.terminate()
        try:
            await asyncio.wait_for(child.wait(), STOP_S_MAX)
        except TimeoutError:
            log.warning("service_killed", service=self._name, pid=child.pid)
            child.kill()
            await child.wait()
