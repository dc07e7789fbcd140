"""What the gateway reads of the projector's work: `services.gateway.views.Views`, on the store's server.

Names of views: summary, start-list, names, standings, cross-table, boards:<round>, seal. All are JSON. Names of
persons are in none that is stored: "names" is joined from the register whenever it is asked for, so that a person
who is erased there is gone here at once, and no file ever held a second copy.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import structlog

from events.codec import sha256_hex
from events.persons import PersonRecord
from services.projector.keys import (
    ETAG_LENGTH,
    FIRST_GENERATION,
    ViewKeys,
    current_key,
    summaries_key,
    view_keys,
)
from services.store.connection import Connection
from services.store.keys import partition_of, tournament_keys

FLIPS_MAX = 5  # that one question may meet

Questions = Callable[[str], list[tuple[str, ...]]]  # commands, once the generation is known

log = structlog.get_logger(__name__)
_canonical = msgspec.json.Encoder(order="sorted")


class View(msgspec.Struct, frozen=True):
    """One read model as it is sent."""

    body: bytes  # JSON
    etag: str  # strong, with its quotation marks
    n: int  # public messages that it takes in: whoever has it goes on after this number


class RedisViews:
    """Reads views of one store. None: there is no such tournament, or no such view yet."""

    def __init__(self, connection: Connection, partitions: int) -> None:
        self._connection = connection
        self._partitions = partitions
        self._generations: dict[int, str] = {}  # by partition, as last seen

    async def get(self, tournament: str, name: str) -> View | None:
        """Return a view by its name; raise `BadName`."""
        if name == "names":
            return await self._names(tournament)
        stored, mark = await self._read(tournament, name)
        body = _body(stored, tournament)
        if stored is None or body is None:
            return None
        return View(body, f'"{stored[:ETAG_LENGTH].decode()}"', _number(mark))

    async def tournaments(self) -> View:
        """Return the summaries of all tournaments, by id."""
        found: dict[bytes, bytes] = {}
        for partition in range(self._partitions):
            [flat] = await self._asked(partition, partial(_summaries, partition))
            found.update(zip(flat[::2], flat[1::2], strict=True))
        bodies = (
            _body(found[tournament], tournament.decode(errors="replace")) for tournament in sorted(found)
        )
        body = b"[" + b",".join(body for body in bodies if body is not None) + b"]"
        return View(body, etag_of(body), 0)

    async def public(self, tournament: str, after: int, limit: int) -> Sequence[bytes] | None:
        """Return at most `limit` public messages after number `after`, oldest first; each says its number `n`."""
        key = self._keys(tournament, FIRST_GENERATION).public
        if limit < 1:
            return []
        rows = await self._connection.command(tournament, "XRANGE", key, f"({after}-0", "+", "COUNT", limit)
        return [fields[1] for _, fields in rows]

    async def _names(self, tournament: str) -> View | None:
        """Join the players of the start list with the register; who is not in it, or not any more, has no name."""
        stored, mark = await self._read(tournament, "start-list")
        listed = _body(stored, tournament)
        if listed is None:
            return None
        register = tournament_keys(tournament, self._partitions).persons
        flat = await self._connection.command(tournament, "HGETALL", register)
        records = dict(zip(flat[::2], flat[1::2], strict=True))
        players = msgspec.json.decode(listed, type=tuple[_Listed, ...])
        known = ((entry.player, _name(records.get(entry.player.encode()))) for entry in players)
        names = {player: name for player, name in known if name is not None}
        body = _canonical.encode(names)
        return View(body, etag_of(body), _number(mark))

    async def _read(self, tournament: str, name: str) -> tuple[bytes | None, bytes | None]:
        """Return a stored view, and the mark of the public stream at the same moment."""

        def questions(generation: str) -> list[tuple[str, ...]]:
            keys = self._keys(tournament, generation)
            return [("HGET", keys.views, name), ("HGET", keys.published, tournament)]

        stored, mark = await self._asked(partition_of(tournament, self._partitions), questions)
        return stored, mark

    async def _asked(self, partition: int, questions: Questions) -> list[Any]:
        """Return the answers of the generation that is shown, which is asked for in the same transaction."""
        current = current_key(partition)
        for _ in range(FLIPS_MAX):
            generation = self._generations.get(partition, FIRST_GENERATION)
            shown, *answers = await self._connection.transaction(
                current, ("GET", current), *questions(generation)
            )
            now = shown.decode() if shown else FIRST_GENERATION
            if now == generation:
                return answers
            self._generations[partition] = now
        raise AssertionError(f"{current} changes all the time")

    def _keys(self, tournament: str, generation: str) -> ViewKeys:
        return view_keys(tournament, self._partitions, generation)


class _Listed(msgspec.Struct):
    """What we need of an entry of the start list."""

    player: str


def _summaries(partition: int, generation: str) -> list[tuple[str, ...]]:
    return [("HGETALL", summaries_key(partition, generation))]


def etag_of(body: bytes) -> str:
    """Return the strong entity tag of a body: its digest."""
    return f'"{sha256_hex(body)[:ETAG_LENGTH]}"'


def stored_form(body: bytes) -> tuple[bytes, bytes]:
    """Return the form in which the body of a view is stored, and the digest that it begins with."""
    digest = sha256_hex(body)[:ETAG_LENGTH].encode()
    return digest + body, digest


def _body(stored: bytes | None, tournament: str) -> bytes | None:
    """Return the body of a stored view; None when there is none, or when it is not the one that was written."""
    if stored is None:
        return None
    body = stored[ETAG_LENGTH:]
    if stored_form(body)[0] != stored:
        log.error("view_is_not_ours", tournament=tournament)  # a rebuild makes it anew
        return None
    return body


def _number(mark: bytes | None) -> int:
    told = (mark or b"").partition(b":")[2]
    return int(told) if told.isdigit() else 0


def _name(record: bytes | None) -> str | None:
    try:
        return None if record is None else msgspec.json.decode(record, type=PersonRecord).name
    except (msgspec.DecodeError, UnicodeDecodeError):  # a foreign hand wrote it: the others keep their names
        log.warning("person_unreadable")
        return None
