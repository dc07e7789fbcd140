"""Where views and public streams stand in the store's server: looked at, and written by the script alone.

Everything here is safe to repeat: what has been written already is answered as somebody else's work.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Final

import msgspec

from services.doorbell.desk import WorkFailed
from services.projector.keys import FIRST_GENERATION, ViewKeys, current_key, view_keys
from services.store.connection import Connection
from services.store.keys import partition_of
from services.store.port import EMPTY, Head

FLIPS_MAX = 5  # that one question may meet

Stored = Mapping[str, bytes]  # views by name, each as it is stored: entity tag and body


class ViewsBroken(WorkFailed):
    """What stands in the server is not what a projector wrote, and cannot be made good without losing something."""


class Mark(msgspec.Struct, frozen=True):
    """How far a log is published."""

    version: int = 0  # up to this one
    told: int = 0  # so many public messages

    def text(self) -> str:
        """Return the form in which it is kept."""
        return f"{self.version}:{self.told}"


class Seen(msgspec.Struct, frozen=True):
    """How far one tournament is, in the server."""

    generation: str  # the one that is shown
    shown: Head = EMPTY  # the entry that its views are made up to
    ours: Head = EMPTY  # the same in the generation that we write, which is mostly the same one
    mark: Mark = Mark()

    def is_at(self, head: Head) -> bool:
        """Return whether everything up to `head`, the end of the log, is shown and told."""
        return self.ours == head and self.mark.version == head.version


class Change(msgspec.Struct, frozen=True):
    """What is to be written, once it is known what is there."""

    head: Head
    mark: Mark
    views: Stored  # those to be written
    gone: Sequence[str] = ()  # names of those that are no more
    before: int | None = None  # how many there are; None: replace whatever is there
    messages: Sequence[bytes] = ()  # those that follow the mark that was seen

    def seen(self, before: Seen) -> Seen:
        """Return what is to be seen once it is written."""
        return Seen(before.generation, shown=self.head, ours=self.head, mark=self.mark)


class Applied(Enum):
    """What came of a change."""

    DONE = "done"
    AGAIN = "again"  # somebody was faster or changed something: look again
    FLIPPED = "flipped"  # another generation is shown than the one seen


class Held(Exception):
    """The pointer of the partition is being moved, and nothing was written."""


class Shelf:
    """Views and public streams of one store; of the generation that is shown, or of one that is being built."""

    def __init__(
        self, connection: Connection, partitions: int, building: Mapping[int, str] | None = None
    ) -> None:
        self.connection: Final = connection
        self.partitions: Final = partitions
        self._building = building  # generation by partition
        self._shown: dict[int, str] = {}  # by partition, as last seen
        self._apply = connection.script("apply.lua", "services.projector")

    @property
    def building(self) -> bool:
        """Whether what is written is not shown yet."""
        return self._building is not None

    async def look(self, tournament: str) -> Seen:
        """Return how far `tournament` is; raise `ViewsBroken` when that is not readable."""
        partition = partition_of(tournament, self.partitions)
        for _ in range(FLIPS_MAX):
            shown = self._shown.get(partition, FIRST_GENERATION)
            keys, ours = self._keys(tournament, shown), self._keys(tournament, self._ours(partition, shown))
            now, at_shown, at_ours, mark = await self.connection.transaction(
                tournament,
                ("GET", keys.current),
                ("HMGET", keys.views, "v", "h"),
                ("HMGET", ours.views, "v", "h"),
                ("HGET", keys.published, tournament),
            )
            generation = now.decode() if now else FIRST_GENERATION
            if generation == shown:
                return Seen(shown, _head(at_shown), _head(at_ours), _mark(tournament, mark))
            self._shown[partition] = generation
        raise AssertionError(f"{current_key(partition)} changes all the time")

    async def apply(self, tournament: str, seen: Seen, change: Change) -> Applied:
        """Write `change` if everything is as `seen`; raise `Held` or `ViewsBroken`."""
        partition = partition_of(tournament, self.partitions)
        keys = self._keys(tournament, self._ours(partition, seen.generation))
        arguments = _arguments(tournament, seen, change, shown=self._building is None)

        async def question() -> Any:  # noqa: ANN401 - a reply; see services.store.connection
            return await self._apply(
                keys=[
                    keys.current,
                    keys.views,
                    keys.summaries,
                    keys.versions,
                    keys.public,
                    keys.published,
                    keys.hold,
                ],
                args=arguments,
            )

        match await self.connection.ask(tournament, question):
            case [b"OK"]:
                return Applied.DONE
            case [b"STALE"] | [b"FOREIGN"]:
                return Applied.AGAIN
            case [b"FLIPPED"]:
                self._shown.pop(partition, None)
                return Applied.FLIPPED
            case [b"HELD"]:
                raise Held
            case [b"BROKEN", bytes(reason)]:
                raise ViewsBroken(reason.decode(errors="replace"))
            case answer:
                raise AssertionError(answer)

    def _ours(self, partition: int, shown: str) -> str:
        return shown if self._building is None else self._building[partition]

    def _keys(self, tournament: str, generation: str) -> ViewKeys:
        return view_keys(tournament, self.partitions, generation)


def _arguments(tournament: str, seen: Seen, change: Change, *, shown: bool) -> list[str | bytes | int]:
    """Return the arguments of the script, in its order."""
    return [
        tournament,
        seen.generation,
        int(shown),
        seen.ours.version,
        seen.ours.hash,
        seen.mark.text(),
        change.head.version,
        change.head.hash,
        change.mark.text(),
        int(change.before is None),
        change.before or 0,
        len(change.views),
        len(change.gone),
        *(part for name, stored in change.views.items() for part in (name, stored)),
        *change.gone,
        *change.messages,
    ]


def _head(noted: list[bytes | None]) -> Head:
    """Return the checkpoint; `EMPTY` when there is none, or a foreign hand left one that cannot be read."""
    version, last_hash = (text or b"" for text in noted)
    if not version.isdigit() or len(last_hash) != len(EMPTY.hash):
        return EMPTY
    return Head(int(version), last_hash.decode("ascii", "replace"))


def _mark(tournament: str, noted: bytes | None) -> Mark:
    if noted is None:
        return Mark()
    version, _, told = noted.partition(b":")
    if not (version.isdigit() and told.isdigit()):
        raise ViewsBroken(f"it cannot be read how far {tournament} is published")
    return Mark(int(version), int(told))
