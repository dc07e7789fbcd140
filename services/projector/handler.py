"""The projector's logic: look how far a tournament is shown, fold the rest of its log, write what has changed.

The checkpoint drives everything, so it does not matter how often, by whom or why a tournament is looked at. One
visit takes in all entries that are new, however many doorbells they rang.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from time import thread_time
from typing import Final, TypeVar

import msgspec
import structlog

from services.failpoints import reach
from services.projector.folding import NOTHING, Copy, base_of, check_history, make
from services.projector.shelf import Applied, Change, Held, Seen, Shelf
from services.store import EMPTY, EventStore, VersionConflict

PROJECTIONS: Final = "tirage-projections/0.1.0"  # another version tries again what was set aside
ENTRIES_MAX = 700_000  # folded in all copies together; some 450 bytes each, so 0.3 GB
GAP_S = 0.015  # at a hundred entries a second
VISITS_MAX = 16  # at a time: reading folds a log, and a store has few connections
HELD_S = 0.02  # between two tries while a rebuild moves the pointer, which takes moments
LOOKS_MAX = 50  # each but the last finds that somebody else wrote
ENTRIES_INLINE_MAX = 64  # more are folded in a thread, so that whoever else waits is heard meanwhile
INLINE_S_MAX = 0.005  # the same for a tournament that took longer the last time

T = TypeVar("T")

log = structlog.get_logger(__name__)


class _Kept(msgspec.Struct, frozen=True):
    """What we have of a tournament in memory."""

    copy: Copy = NOTHING
    there: Seen | None = None  # how far it is in the server, when that is what we made of `copy`
    took_s: float = 0.0  # of processor time, to make it


class _Task(msgspec.Struct, frozen=True):
    """What is to be folded and written."""

    base: Copy
    entries: Sequence[bytes]  # after it
    seen: Seen
    there: Copy | None  # what the views in the server were made of, where that is known


_NEVER_SEEN = _Kept()


class Projector:
    """Keeps views and public streams of one store. Not to be called twice at once for the same tournament."""

    def __init__(self, store: EventStore, shelf: Shelf, *, entries_max: int = ENTRIES_MAX) -> None:
        self._store = store
        self._shelf = shelf
        self._entries_max = entries_max
        self._entries = 0  # folded in all that is kept
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._room = asyncio.Semaphore(VISITS_MAX)

    @property
    def engine(self) -> str:
        """Name and version of what makes the views."""
        return PROJECTIONS

    @property
    def gap_s(self) -> float:
        """How far apart visits to the same tournament are kept; see `services.doorbell.pace`."""
        return GAP_S

    @property
    def kept(self) -> dict[str, int]:
        """Up to which version each tournament is folded that is kept in memory."""
        return {tournament: kept.copy.head.version for tournament, kept in self._kept.items()}

    async def catch_up(self, tournament: str) -> None:
        """Show and tell all that the log of `tournament` gives.

        Raises `LogBroken`, also for a log that is not the one that was shown; `ViewsBroken`, and what else the
        store raises. `VersionConflict` when others were faster every time.
        """
        try:
            for _ in range(LOOKS_MAX):
                if await self._visit(tournament):
                    return
        except BaseException:
            self._forget(tournament)
            raise
        raise VersionConflict(tournament, EMPTY, await self._store.head(tournament))

    def reached(self, tournament: str) -> int:
        """Return the version up to which `tournament` is shown, as far as that is in memory."""
        return self._kept.get(tournament, _NEVER_SEEN).copy.head.version

    async def _visit(self, tournament: str) -> bool:
        """Return whether there is nothing left to do. While a rebuild moves the pointer, wait until it has."""
        while True:
            with suppress(Held):
                async with self._room:
                    return await self._look(tournament)
            await asyncio.sleep(HELD_S)  # outside: others need not wait for this partition

    async def _look(self, tournament: str) -> bool:
        kept = self._kept.get(tournament, _NEVER_SEEN)
        task = await self._task(tournament, kept)
        if task is None:
            return True
        check_history(tournament, task.base, task.entries, task.seen)
        busy = len(task.entries) > ENTRIES_INLINE_MAX or kept.took_s > INLINE_S_MAX
        work = partial(_timed, partial(make, tournament, task.base, task.entries, task.seen.mark, task.there))
        (made, change), took_s = await asyncio.to_thread(work) if busy else work()
        reach("before_apply")
        applied = await self._shelf.apply(tournament, task.seen, change)
        _note(tournament, applied, task, change, took_s)
        done = applied is Applied.DONE
        self._keep(
            tournament, _Kept(made if done else task.base, change.seen(task.seen) if done else None, took_s)
        )
        return done

    async def _task(self, tournament: str, kept: _Kept) -> _Task | None:
        """Return what there is to do; None: nothing."""
        if kept.there is not None and not self._shelf.building:
            entries = await self._store.since(tournament, kept.copy.head)
            return _Task(kept.copy, entries, kept.there, kept.copy) if entries else None
        seen = await self._shelf.look(tournament)
        if self._shelf.building:
            return await self._task_of_builder(tournament, kept, seen)
        if seen.is_at(await self._store.head(tournament)):
            return None
        base = base_of(kept.copy, seen)
        return _Task(base, await self._store.since(tournament, base.head), seen, None)

    async def _task_of_builder(self, tournament: str, kept: _Kept, seen: Seen) -> _Task | None:
        """Return the same in a generation that is being built: it goes as far as the public stream, never further.

        So whoever reads on in the stream from the number that goes with a view misses nothing and hears nothing twice.
        """
        published = seen.mark.version
        if seen.ours.version == published:
            return None
        base = base_of(kept.copy, seen)
        return _Task(base, await self._store.read(tournament, base.head.version, published), seen, None)

    def _keep(self, tournament: str, kept: _Kept) -> None:
        """Keep a copy, and let go of those used longest ago."""
        self._forget(tournament)
        self._kept[tournament] = kept
        self._entries += kept.copy.head.version
        while self._entries > self._entries_max and len(self._kept) > 1:
            self._forget(next(iter(self._kept)))

    def _forget(self, tournament: str) -> None:
        kept = self._kept.pop(tournament, None)
        if kept is not None:
            self._entries -= kept.copy.head.version


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what `work` returns, and the processor time that it took, in seconds."""
    started = thread_time()
    return work(), thread_time() - started


def _note(tournament: str, applied: Applied, task: _Task, change: Change, took_s: float) -> None:
    if applied is not Applied.DONE:
        log.info("views_outrun", tournament=tournament, version=change.head.version, found=applied.value)
        return
    log.info(
        "views_written",
        tournament=tournament,
        version=change.head.version,
        entries=len(task.entries),
        views=len(change.views),
        messages=len(change.messages),
        cpu_ms=round(took_s * 1000, 1),
    )
