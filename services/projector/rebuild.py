"""The rebuild: every view made anew from the logs, in a generation beside the one that is shown, then shown instead.

Readers see the old views until the pointer of their partition moves, and the new ones from then on. Wherever it is
killed, the old generation or the new one is shown whole; started again, it removes what was left and begins anew.
The public streams are not touched.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec
import structlog

from services.doorbell.crew import Crew
from services.doorbell.desk import OUTSIDE, is_tournament
from services.failpoints import reach
from services.projector.handler import Projector
from services.projector.keys import (
    FIRST_GENERATION,
    VIEW_KEYS,
    current_key,
    generation_of,
    hold_key,
    published_key,
    versions_key,
    view_keys,
)
from services.projector.shelf import Shelf
from services.store import EventStore, VersionConflict
from services.store.connection import Connection

HOLD_MS = 5_000  # how long the projectors wait at most for one that was killed while it moved a pointer
ROUNDS_MAX = 20  # of taking in what was written meanwhile
TOKEN_BYTES = 4
MEANWHILE = "partition {} was rebuilt by somebody else meanwhile"

log = structlog.get_logger(__name__)


class RebuildFailed(Exception):
    """The pointer of a partition was not moved, and the old views are shown as before."""


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a rebuild."""

    tournaments: int
    taken_over: dict[str, str]  # tournaments that cannot be made anew, and why: their old views are shown on


class Rebuild:
    """One rebuild of all views of a store."""

    def __init__(self, store: EventStore, connection: Connection) -> None:
        self._store = store
        self._connection = connection
        self._flip_script = connection.script("flip.lua", "services.projector")
        self._old: dict[int, str] = {}  # generations by partition
        self._new: dict[int, str] = {}
        self._taken_over: dict[str, str] = {}
        self._projector = Projector(store, Shelf(connection, store.partitions, self._new))

    async def run(self) -> Rebuilt:
        """Make all views anew and show them; raise `RebuildFailed`, and what the store raises."""
        for partition in range(self._store.partitions):
            self._old[partition] = await self._shown(partition)
            self._new[partition] = _next_after(self._old[partition])
        await self._remove_others({*self._old.items()})
        tournaments = 0
        for partition in range(self._store.partitions):
            tournaments += await self._rebuild(partition)
        await self._remove_others({*self._new.items()})
        return Rebuilt(tournaments=tournaments, taken_over=self._taken_over)

    async def _rebuild(self, partition: int) -> int:
        names = await self._published(partition)
        await self._make(partition, names)
        for _ in range(ROUNDS_MAX):
            await self._hold(partition)
            reach("before_flip")
            behind = await self._flip(partition)
            if not behind:
                break
            async with self._holding(partition):
                await self._make(partition, behind)
        else:
            raise RebuildFailed(f"partition {partition} does not come to rest")
        reach("flip_before_removal")
        log.info(
            "generation_shown", partition=partition, generation=self._new[partition], tournaments=len(names)
        )
        return len(names)

    async def _make(self, partition: int, names: Sequence[str]) -> None:
        """Make the views of these tournaments as they are published; what cannot be made is taken over."""
        for tournament in names:
            try:
                if tournament in self._taken_over:
                    raise RebuildFailed(self._taken_over[tournament])  # noqa: TRY301 - handled like the first time
                await self._projector.catch_up(tournament)
            except VersionConflict as error:
                raise RebuildFailed(MEANWHILE.format(partition)) from error
            except OUTSIDE:
                raise
            except Exception as error:  # noqa: BLE001 - whatever it is, the others are rebuilt
                await self._take_over(partition, tournament, error)

    async def _take_over(self, partition: int, tournament: str, error: Exception) -> None:
        """Copy the views that are shown, so that they do not vanish."""
        if tournament not in self._taken_over:
            self._taken_over[tournament] = f"{type(error).__name__}: {error}"
            log.error("views_taken_over", tournament=tournament, reason=self._taken_over[tournament])
        old = view_keys(tournament, self._store.partitions, self._old[partition])
        new = view_keys(tournament, self._store.partitions, self._new[partition])
        views, summary, mark = await self._connection.transaction(
            tournament,
            ("HGETALL", old.views),
            ("HGET", old.summaries, tournament),
            ("HGET", old.published, tournament),
        )
        version = (mark or b"0").partition(b":")[0]
        await self._connection.transaction(
            tournament,
            ("DEL", new.views),
            *([("HSET", new.views, *views)] if views else []),
            *([("HSET", new.summaries, tournament, summary)] if summary else []),
            ("HSET", new.versions, tournament, version),
        )

    async def _flip(self, partition: int) -> list[str]:
        """Move the pointer, or return which tournaments were written to meanwhile."""
        keys = [
            current_key(partition),
            versions_key(partition, self._new[partition]),
            published_key(partition),
            hold_key(partition),
        ]
        arguments = [self._old[partition], self._new[partition]]
        match await self._connection.ask(keys[0], lambda: self._flip_script(keys=keys, args=arguments)):
            case [b"OK"]:
                return []
            case [b"BEHIND", *names]:
                return [name.decode() for name in names]
            case [b"FLIPPED"] if await self._shown(partition) == self._new[partition]:
                return []  # our own question, asked again
            case _:
                raise RebuildFailed(MEANWHILE.format(partition))

    @asynccontextmanager
    async def _holding(self, partition: int) -> AsyncIterator[None]:
        """Keep the projectors waiting for the length of a `with` statement, and for `HOLD_MS` at most after our end."""

        async def keep() -> None:
            while True:
                await asyncio.sleep(HOLD_MS / 2_000)
                await self._hold(partition)

        async with Crew() as holding:
            holding.start(keep())
            yield

    async def _hold(self, partition: int) -> None:
        await self._connection.command(hold_key(partition), "SET", hold_key(partition), "1", "PX", HOLD_MS)

    async def _published(self, partition: int) -> list[str]:
        key = published_key(partition)
        names = [name.decode(errors="replace") for name in await self._connection.command(key, "HKEYS", key)]
        return sorted(filter(is_tournament, names))

    async def _shown(self, partition: int) -> str:
        key = current_key(partition)
        shown = await self._connection.command(key, "GET", key)
        return shown.decode() if shown else FIRST_GENERATION

    async def _remove_others(self, keep: set[tuple[int, str]]) -> None:
        """Remove every generation but those in `keep`."""
        cursor = b"0"
        while True:
            cursor, found = await self._connection.command(
                "(views)", "SCAN", cursor, "MATCH", VIEW_KEYS, "COUNT", 1000
            )
            for key in found:
                generation = generation_of(key.decode(errors="replace"))
                if generation is not None and generation not in keep:
                    await self._connection.command("(views)", "DEL", key)
            if cursor == b"0":
                return


def _next_after(generation: str) -> str:
    number = generation.partition("-")[0]
    return f"{int(number) + 1 if number.isdigit() else 2}-{secrets.token_hex(TOKEN_BYTES)}"
