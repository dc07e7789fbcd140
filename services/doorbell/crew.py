"""Tasks that work side by side and end together, however often they must be told.

Instead of `asyncio.TaskGroup`, which tells each task once: `asyncio.wait_for` of Python 3.11, through which the
Redis client sends every command, loses a cancellation that comes in the moment of sending.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from types import TracebackType
from typing import Any, NoReturn, Self

AGAIN_S = 0.2


async def end(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel `tasks` until all have ended; being cancelled meanwhile is heeded afterwards."""
    cancelled = False
    ending = {task for task in tasks if not task.done()}
    while ending:
        for task in ending:
            task.cancel()
        try:
            await asyncio.wait(ending, timeout=AGAIN_S)
        except asyncio.CancelledError:
            cancelled = True
        ending = {task for task in ending if not task.done()}
    if cancelled:
        raise asyncio.CancelledError


class Crew:
    """Tasks that last as long as an `async with` statement; when one fails, `stay` raises what it raised."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        """Begin; tasks are started by `start`."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the tasks."""
        await end(self._tasks)
        if not self._failed.cancel() and not self._failed.cancelled():
            self._failed.exception()  # who left without staying does not ask

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Start a task."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._note_end)

    async def stay(self) -> NoReturn:
        """Wait until a task fails, and raise what it raised."""
        await self._failed
        raise AssertionError

    def _note_end(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not self._failed.done():
            self._failed.set_exception(error)
