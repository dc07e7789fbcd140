"""The port to a tournament's log: what every store promises, whatever holds the bytes.

A log is a list of entries, the canonical bytes of `events.envelope.Recorded`, as versions 1, 2, 3 … without a
gap. Writers name the head they decided from; who was overtaken is refused. Two implementations pass one contract
test: `services.store.redis_store` and `services.store.memory`.
"""

import time
from collections.abc import Sequence
from typing import Protocol

import msgspec

from events.codec import sha256_hex
from events.envelope import GENESIS
from events.persons import PersonRecord

BATCH_MAX = 1_000  # entries that one command may append
BLOB_BYTES_MAX = 16 * 2**20
CLOCK_SKEW_MS_MAX = 2_000  # design section 4


class Head(msgspec.Struct, frozen=True):
    """The last entry of a log: its version, and the SHA-256 of its bytes. `EMPTY` before the first."""

    version: int
    hash: str

    def after(self, stored: bytes) -> "Head":
        """Return the head of the log once the entry `stored` follows."""
        return Head(self.version + 1, sha256_hex(stored))


EMPTY = Head(0, GENESIS)


class Appended(msgspec.Struct, frozen=True):
    """The answer to an append: the versions that the command's entries have, both ends included."""

    first: int
    last: int
    duplicate: bool  # True: the command had been carried out before, nothing was written now


class Outcome(msgspec.Struct, frozen=True):
    """What a command that was carried out has brought about: its versions, and the digest of its request."""

    first: int
    last: int
    request: str


class Erased(msgspec.Struct, frozen=True):
    """What became of an erasure."""

    found: bool  # there was a record
    from_disk: bool  # the server's files no longer hold it either


def now_ms() -> int:
    """Return this machine's clock, milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class EventStore(Protocol):
    """Logs of tournaments, and beside them the blobs and personal records that their facts name by digest.

    Every method that is given a tournament raises `BadName` unless it is a `TournamentId`, and those that look
    at its log raise `LogBroken` when it is not what was written. All are safe to repeat.
    """

    @property
    def partitions(self) -> int:
        """How many partitions the store was created with; partitions are 0-based."""

    async def head(self, tournament: str) -> Head:
        """Return the head of the log; `EMPTY` for a tournament that has no events."""

    async def read(self, tournament: str, after: int = 0, upto: int | None = None) -> list[bytes]:
        """Return the stored entries after version `after`, oldest first, up to `upto` or the head.

        Contiguity and chain are verified, except that the first entry's `prev` is only known from version 1 on;
        see `since`. Raises `LogBroken` also when the log is shorter than `after`.
        """

    async def since(self, tournament: str, known: Head) -> list[bytes]:
        """Return what follows `known`, oldest first, verified to continue exactly that history."""

    async def append(
        self, tournament: str, entries: Sequence[bytes], *, expected: Head, cause: str, request: str
    ) -> Appended:
        """Append `entries`, the facts that the command `cause` brought about, in one piece or not at all.

        `expected` is the head they were decided from, `request` the digest of the command as it came in. A
        command that was carried out before is answered as then, whatever `expected` is.

        Raises `VersionConflict` when the log has grown meanwhile, `CommandClash` when `cause` stands for another
        request, `ClockSkew`, `LogBroken`, and `NotAppendable` for entries that are not the next of a chain.
        """

    async def outcome(self, tournament: str, cause: str) -> Outcome | None:
        """Return what the command `cause` brought about, or None when it was not carried out."""

    async def heads(self, partition: int | None = None) -> dict[str, int]:
        """Return the version of every tournament of `partition`, or of all, by id: the list to sweep.

        It is what the last append noted, one cheap question a partition; the logs themselves are not looked at.
        """

    async def tournaments(self) -> list[str]:
        """Return the ids of all tournaments that have events, sorted."""

    async def blob_put(self, tournament: str, content: bytes) -> str:
        """Keep `content` and return its digest; raise `BlobTooLarge`."""

    async def blob_get(self, tournament: str, digest: str) -> bytes:
        """Return the content that has `digest`; raise `BlobMissing`, or `BlobBroken` when it was changed."""

    async def person_put(self, tournament: str, player: str, record: PersonRecord) -> None:
        """Register who `player` is; raise `PersonClash` when another record is there."""

    async def person_get(self, tournament: str, player: str) -> PersonRecord | None:
        """Return who `player` is, or None: never registered, or erased. Raises `RegisterBroken`."""

    async def person_erase(self, tournament: str, player: str) -> Erased:
        """Forget who `player` is, with the salt, so that the commitment in the log says nothing any more."""

    async def close(self) -> None:
        """Let go of connections; the store is not used afterwards."""
