"""The store in memory, for tests and dry runs: the same promises and refusals, and nothing survives."""

from collections.abc import Callable, Sequence

import msgspec

from events.codec import canonical_bytes, sha256_hex
from events.persons import PersonRecord
from services.failpoints import reach
from services.store.chain import check_batch, check_chain, outrun
from services.store.errors import (
    BlobBroken,
    BlobMissing,
    BlobTooLarge,
    ClockSkew,
    CommandClash,
    LogBroken,
    PersonClash,
)
from services.store.keys import (
    PARTITIONS_MAX,
    check_cause,
    check_digest,
    check_player,
    check_tournament,
    partition_of,
)
from services.store.port import (
    BLOB_BYTES_MAX,
    CLOCK_SKEW_MS_MAX,
    EMPTY,
    Appended,
    Erased,
    Head,
    Outcome,
    now_ms,
)


class _Log(msgspec.Struct):
    entries: list[bytes] = []
    head: Head = EMPTY
    commands: dict[str, Outcome] = {}


class MemoryStore:
    """An `EventStore` of dictionaries. `clock` is the writer's, `server_clock` the store's own, both in ms."""

    def __init__(
        self,
        *,
        partitions: int = 1,
        clock: Callable[[], int] = now_ms,
        server_clock: Callable[[], int] = now_ms,
    ) -> None:
        assert 1 <= partitions <= PARTITIONS_MAX, partitions
        self._partitions = partitions
        self._clock = clock
        self._server_clock = server_clock
        self._logs: dict[str, _Log] = {}
        self._blobs: dict[tuple[int, str], bytes] = {}
        self._persons: dict[tuple[str, str], PersonRecord] = {}

    async def close(self) -> None:
        """Do nothing: there are no connections."""

    @property
    def partitions(self) -> int:
        """How many partitions the store was created with."""
        return self._partitions

    async def append(
        self, tournament: str, entries: Sequence[bytes], *, expected: Head, cause: str, request: str
    ) -> Appended:
        """Append one command's entries; see `EventStore.append`."""
        log = self._log(tournament)
        new_head = check_batch(tournament, entries, expected, cause, request)
        reach("before_append")
        known = log.commands.get(cause)
        if known is not None:
            if known.request != request:
                raise CommandClash(tournament, cause, known.first, known.last)
            return Appended(known.first, known.last, duplicate=True)
        if log.head != expected:
            raise outrun(tournament, expected, log.head)
        skew_ms = self._clock() - self._server_clock()
        if abs(skew_ms) > CLOCK_SKEW_MS_MAX:
            raise ClockSkew(skew_ms, CLOCK_SKEW_MS_MAX)
        log.entries.extend(entries)
        log.commands[cause] = Outcome(expected.version + 1, new_head.version, request)
        log.head = new_head
        self._logs[tournament] = log
        reach("append_before_answer")
        return Appended(expected.version + 1, new_head.version, duplicate=False)

    async def head(self, tournament: str) -> Head:
        """Return the head of the log."""
        return self._log(tournament).head

    async def read(self, tournament: str, after: int = 0, upto: int | None = None) -> list[bytes]:
        """Return the stored entries after version `after`; see `EventStore.read`."""
        log = self._log(tournament)
        if after > log.head.version:
            raise outrun(tournament, Head(after, ""), log.head)
        entries = log.entries[after:upto]
        check_chain(tournament, entries, None if after else EMPTY, after)
        return entries

    async def since(self, tournament: str, known: Head) -> list[bytes]:
        """Return what follows `known`; see `EventStore.since`."""
        entries = await self.read(tournament, known.version)
        head = check_chain(tournament, entries, known)
        if head != self._log(tournament).head:
            raise LogBroken(tournament, known.version, "the last entry is not the one that the head names")
        return entries

    async def outcome(self, tournament: str, cause: str) -> Outcome | None:
        """Return what the command `cause` brought about, or None."""
        return self._log(tournament).commands.get(check_cause(cause))

    async def heads(self, partition: int | None = None) -> dict[str, int]:
        """Return the version of every tournament of `partition`, or of all."""
        return {
            tournament: log.head.version
            for tournament, log in self._logs.items()
            if partition is None or partition_of(tournament, self._partitions) == partition
        }

    async def tournaments(self) -> list[str]:
        """Return the ids of all tournaments that have events, sorted."""
        return sorted(self._logs)

    async def blob_put(self, tournament: str, content: bytes) -> str:
        """Keep `content` and return its digest."""
        if len(content) > BLOB_BYTES_MAX:
            raise BlobTooLarge(tournament, len(content), BLOB_BYTES_MAX)
        digest = sha256_hex(content)
        if self._blobs.setdefault(self._blob(tournament, digest), content) != content:
            raise BlobBroken(tournament, digest)
        return digest

    async def blob_get(self, tournament: str, digest: str) -> bytes:
        """Return the content that has `digest`."""
        content = self._blobs.get(self._blob(tournament, digest))
        if content is None:
            raise BlobMissing(tournament, digest)
        if sha256_hex(content) != digest:
            raise BlobBroken(tournament, digest)
        return content

    async def person_put(self, tournament: str, player: str, record: PersonRecord) -> None:
        """Register who `player` is."""
        canonical_bytes(record)  # what has no such form is refused here as there
        if self._persons.setdefault(self._person(tournament, player), record) != record:
            raise PersonClash(tournament, player)

    async def person_get(self, tournament: str, player: str) -> PersonRecord | None:
        """Return who `player` is, or None."""
        return self._persons.get(self._person(tournament, player))

    async def person_erase(self, tournament: str, player: str) -> Erased:
        """Forget who `player` is."""
        found = self._persons.pop(self._person(tournament, player), None)
        return Erased(found=found is not None, from_disk=True)

    def _log(self, tournament: str) -> _Log:
        return self._logs.get(check_tournament(tournament)) or _Log()

    def _blob(self, tournament: str, digest: str) -> tuple[int, str]:
        return partition_of(tournament, self._partitions), check_digest(digest)

    def _person(self, tournament: str, player: str) -> tuple[str, str]:
        return check_tournament(tournament), check_player(player)
