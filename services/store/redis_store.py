"""The store on one Redis or Valkey server: keys, commands and the one script that writes logs.

Every command here is safe to repeat, the append by its command id. Feeds are not trimmed yet; tournament streams
never are.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import msgspec
import structlog

from events.codec import canonical_bytes, sha256_hex
from events.persons import PersonRecord
from services.failpoints import reach
from services.store.chain import check_batch, check_chain, outcomes_in
from services.store.connection import Argument, Connection
from services.store.errors import (
    BlobBroken,
    BlobMissing,
    BlobTooLarge,
    LogBroken,
    PersonClash,
    RegisterBroken,
)
from services.store.keys import (
    TournamentKeys,
    blob_key,
    check_cause,
    check_player,
    index_key,
    tournament_keys,
)
from services.store.layout import fix_layout
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
from services.store.probe import Durability, probe
from services.store.replies import appended_from, head_from, outcome_from, outcome_text

PAGE = 2_000  # entries asked for at once: at most 120 MB, usually one
ATTEMPTS_MAX = 5  # to append or look up while the table of commands must be rebuilt
TIMEOUT_S = 5.0  # for one answer
PATIENCE_S = 5.0  # for a server that went away to come back

log = structlog.get_logger(__name__)


class RedisStore:
    """An `EventStore` on the server at a URL; made by `RedisStore.open`, to be closed."""

    def __init__(
        self, connection: Connection, partitions: int, promised: Durability, clock: Callable[[], int] = now_ms
    ) -> None:
        self._connection = connection
        self._partitions = partitions
        self._clock = clock
        self._append_script = connection.script("append.lua")
        self._rebuild_script = connection.script("rebuild.lua")
        self.durability = promised
        self.address = connection.address  # as it may be shown

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        partitions: int | None = None,
        allow_unsafe: bool = False,
        clock: Callable[[], int] = now_ms,
        timeout_s: float = TIMEOUT_S,
    ) -> Self:
        """Connect to the store at `url`, probe its server, and create the store when there is none.

        `partitions`: what the store must have, and what a new one gets; None takes it as it is, a new one with 1.
        `clock` gives the writer's time in milliseconds since 1970. `timeout_s` bounds each answer of the server.

        Raises `BadStoreUrl`, `StoreUnreachable` (at once: nobody is waited for), `StoreRefused`,
        `UnsupportedServer`, `UnsafeServer` unless `allow_unsafe`, and `StoreMismatch`.
        """
        connection = Connection(url, timeout_s, patience_s=0)
        try:
            promised = await probe(connection, allow_unsafe=allow_unsafe)
            fixed = await fix_layout(connection, partitions)
        except BaseException:
            await connection.close()
            raise
        connection.patience_s = PATIENCE_S
        log.info("store_opened", address=connection.address, partitions=fixed, durability=promised.in_words())
        return cls(connection, fixed, promised, clock)

    async def close(self) -> None:
        """Let go of the connections."""
        await self._connection.close()

    @property
    def partitions(self) -> int:
        """How many partitions the store was created with."""
        return self._partitions

    async def append(
        self, tournament: str, entries: Sequence[bytes], *, expected: Head, cause: str, request: str
    ) -> Appended:
        """Append one command's entries; see `EventStore.append`."""
        keys = self._keys(tournament)
        new_head = check_batch(tournament, entries, expected, cause, request)
        touched = [keys.stream, keys.head, keys.commands, keys.feed, keys.index]

        async def question() -> Any:  # noqa: ANN401 - a reply; see services.store.connection
            moment: list[Argument] = [
                tournament,
                expected.version,
                expected.hash,
                cause,
                request,
                self._clock(),
                CLOCK_SKEW_MS_MAX,
            ]
            return await self._append_script(keys=touched, args=[*moment, new_head.hash, *entries])

        reach("before_append")
        answer: list[Any] = []
        for attempt in range(ATTEMPTS_MAX):
            answer = await self._connection.ask(tournament, question)
            if answer[0] == b"REBUILD":
                await self._rebuild_commands(tournament, keys)
            elif answer[0] != b"CLOCK" or attempt:  # a question long under way makes a good clock look late
                break
        appended = appended_from(tournament, answer, expected)
        if not appended.duplicate:
            reach("append_before_answer")
        return appended

    async def head(self, tournament: str) -> Head:
        """Return the head of the log."""
        noted, length, indexed = await self._connection.transaction(
            tournament, *self._head_questions(tournament)
        )
        return head_from(tournament, noted, length, indexed)

    async def read(self, tournament: str, after: int = 0, upto: int | None = None) -> list[bytes]:
        """Return the stored entries after version `after`; see `EventStore.read`."""
        return await self._read(tournament, None if after else EMPTY, after, upto)

    async def since(self, tournament: str, known: Head) -> list[bytes]:
        """Return what follows `known`; see `EventStore.since`."""
        return await self._read(tournament, known, known.version, None)

    async def outcome(self, tournament: str, cause: str) -> Outcome | None:
        """Return what the command `cause` brought about, or None."""
        keys = self._keys(tournament)
        check_cause(cause)
        for _ in range(ATTEMPTS_MAX):
            noted, length, indexed, known, remembered, count = await self._connection.transaction(
                tournament,
                *self._head_questions(tournament),
                ("HGET", keys.commands, cause),
                ("HLEN", keys.commands),
                ("HGET", keys.head, "n"),
            )
            head_from(tournament, noted, length, indexed)
            outcome = outcome_from(known)
            if outcome or (known is None and remembered == int(count or 0)):
                return outcome
            await self._rebuild_commands(tournament, keys)
        raise LogBroken(tournament, 0, "its table of commands is lost again as soon as it is rebuilt")

    async def heads(self, partition: int | None = None) -> dict[str, int]:
        """Return the version of every tournament of `partition`, or of all."""
        heads: dict[str, int] = {}
        for number in range(self.partitions) if partition is None else [partition]:
            assert 0 <= number < self.partitions, number
            key = index_key(number)
            flat = await self._connection.command(key, "ZRANGE", key, 0, -1, "WITHSCORES")
            heads.update(
                (name.decode(), int(version)) for name, version in zip(flat[::2], flat[1::2], strict=True)
            )
        return heads

    async def tournaments(self) -> list[str]:
        """Return the ids of all tournaments that have events, sorted."""
        return sorted(await self.heads())

    async def blob_put(self, tournament: str, content: bytes) -> str:
        """Keep `content` and return its digest."""
        if len(content) > BLOB_BYTES_MAX:
            raise BlobTooLarge(tournament, len(content), BLOB_BYTES_MAX)
        digest = sha256_hex(content)
        key = blob_key(tournament, digest, self.partitions)
        _, kept = await self._connection.transaction(tournament, ("SET", key, content, "NX"), ("GET", key))
        if kept != content:
            raise BlobBroken(tournament, digest)
        return digest

    async def blob_get(self, tournament: str, digest: str) -> bytes:
        """Return the content that has `digest`."""
        key = blob_key(tournament, digest, self.partitions)
        content: bytes | None = await self._connection.command(tournament, "GET", key)
        if content is None:
            raise BlobMissing(tournament, digest)
        if sha256_hex(content) != digest:
            raise BlobBroken(tournament, digest)
        return content

    async def person_put(self, tournament: str, player: str, record: PersonRecord) -> None:
        """Register who `player` is."""
        key, stored = self._keys(tournament).persons, canonical_bytes(record)
        put = ("HSETNX", key, check_player(player), stored)
        _, kept = await self._connection.transaction(tournament, put, ("HGET", key, player))
        if kept != stored:
            raise PersonClash(tournament, player)

    async def person_get(self, tournament: str, player: str) -> PersonRecord | None:
        """Return who `player` is, or None."""
        key = self._keys(tournament).persons
        stored: bytes | None = await self._connection.command(tournament, "HGET", key, check_player(player))
        if stored is None:
            return None
        try:
            return msgspec.json.decode(stored, type=PersonRecord)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise RegisterBroken(tournament, player, str(error)) from error

    async def person_erase(self, tournament: str, player: str) -> Erased:
        """Forget who `player` is: in memory now, and on disk by having the server rewrite its file.

        What the disk's own blocks or backups still hold is outside our reach.
        """
        key = self._keys(tournament).persons
        found = await self._connection.command(tournament, "HDEL", key, check_player(player))
        from_disk = await self._connection.rewrite_file()
        if not from_disk:
            log.warning("erasure_left_traces", tournament=tournament, player=player, address=self.address)
        return Erased(found=bool(found), from_disk=from_disk)

    def _keys(self, tournament: str) -> TournamentKeys:
        return tournament_keys(tournament, self.partitions)

    def _head_questions(self, tournament: str) -> tuple[tuple[str, ...], ...]:
        keys = self._keys(tournament)
        return ("HMGET", keys.head, "v", "h"), ("XLEN", keys.stream), ("ZSCORE", keys.index, tournament)

    async def _read(self, tournament: str, onto: Head | None, after: int, upto: int | None) -> list[bytes]:
        """Return what follows `onto`, or version `after` when its hash is not known."""
        entries: list[bytes] = []
        while True:
            page, head = await self._page(tournament, after, upto)
            onto = check_chain(tournament, page, onto, after)
            entries += page
            after += len(page)
            if after == head.version and onto is not None and onto != head:
                raise LogBroken(tournament, after, "the last entry is not the one that the head names")
            if len(page) < PAGE:
                return entries

    async def _page(self, tournament: str, after: int, upto: int | None) -> tuple[list[bytes], Head]:
        """Return at most `PAGE` entries after version `after`, and the head at that moment."""
        # From just behind `<after>-0`, not from the next version: a foreign entry in between must be seen.
        start, end = f"({after}-0", "+" if upto is None else f"{upto}-0"
        noted, length, indexed, rows = await self._connection.transaction(
            tournament,
            *self._head_questions(tournament),
            ("XRANGE", self._keys(tournament).stream, start, end, "COUNT", PAGE),
        )
        head = head_from(tournament, noted, length, indexed)
        if after > head.version:
            raise LogBroken(
                tournament, head.version, f"it ends here, but it was read up to version {after} before"
            )
        entries: list[bytes] = []
        for version, (entry_id, fields) in enumerate(rows, start=after + 1):
            if version > head.version or entry_id != b"%d-0" % version:
                raise LogBroken(
                    tournament, version, f"entry {entry_id.decode()} is foreign, or one before it is gone"
                )
            if len(fields) != 2 or fields[0] != b"e":  # noqa: PLR2004 - one field and its value
                raise LogBroken(tournament, version, "the entry is foreign: it has other fields than ours")
            entries.append(fields[1])
        last = after + len(rows)
        if len(rows) < PAGE and last < (head.version if upto is None else min(upto, head.version)):
            raise LogBroken(tournament, last + 1, f"the entry is gone; the head says {head.version}")
        return entries, head

    async def _rebuild_commands(self, tournament: str, keys: TournamentKeys) -> None:
        """Write the table of commands anew from the log, unless the log grows meanwhile: then there will be another try."""
        entries = await self.read(tournament)
        head = EMPTY if not entries else Head(len(entries), sha256_hex(entries[-1]))
        table = outcomes_in(tournament, entries)
        flat = [text for cause, known in table.items() for text in (cause, outcome_text(known))]
        replaced = await self._connection.ask(
            tournament,
            lambda: self._rebuild_script(
                keys=[keys.head, keys.commands], args=[head.version, head.hash, *flat]
            ),
        )
        log.warning("commands_rebuilt", tournament=tournament, commands=len(table), replaced=bool(replaced))
