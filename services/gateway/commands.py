"""Carrying out commands: decide from the log, append; read and decide again when somebody was faster.

A command arrives at least once. Its id is the cause of its events, so one that was carried out is answered as
then and not carried out again. Reads no projection: a read model may lag.

In the common case a command costs one question to the store: it is decided from the copy at hand, which this
process's own commands keep up to date. The append script notices both a copy that lags and a command that comes
again; a refusal is only believed when it was decided from the present log.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated
from weakref import WeakValueDictionary

import msgspec
import structlog
from msgspec import Meta

from events.codec import canonical_bytes, sha256_hex
from events.envelope import CommandId
from events.facts import AnyFact, Instant, Label
from events.persons import SALT_BYTES, PersonRecord, commitment
from rules.commands import AnnounceTournament, AnyCommand, CorrectResult, RegisterPlayer
from rules.instants import NoSuchInstant, instant, later, milliseconds
from rules.refusals import ContradictoryRegulations, NoSuchMoment, RuleViolation
from rules.state import ImpossibleHistory, Tournament, replay
from rules.tournament import Occasion, decide
from services.store.chain import link
from services.store.errors import CommandClash, LogBroken, PersonClash, VersionConflict
from services.store.port import Appended, EventStore, Outcome
from services.store.reader import Copy, Reader
from services.wallclock import Clock, wall_clock

EPOCH = "1970-01-01T00:00:00Z"
APPEND_ATTEMPTS_MAX = 50  # each lost race means that somebody else's command was carried out
COPIES_MAX = 1_024  # tournaments whose state is kept, about 150 kB each with 100 players
TURN_S_MAX = 10.0  # to wait for the commands before one's own in the same tournament
NO_PERSON = "0" * 64  # stands for a commitment that is not made yet

log = structlog.get_logger(__name__)


class Order(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who gives a command, and when it was reported. `id` makes it safe to send again."""

    id: CommandId
    actor: Label
    reported_at: Instant | None = None  # None: now
    device: Label | None = None
    device_time: Instant | None = None
    venue: Label | None = None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever gives a command has seen; the command is refused when that has changed meanwhile."""

    versions: tuple[int, ...] | None = None  # of the log, any of these; None: whatever it is
    revision: int | None = None  # of the board whose result is corrected


WHATEVER = Seen()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a command has brought about: the versions of its events, both ends included, and the facts."""

    first: int
    last: int
    duplicate: bool  # it had been carried out before
    facts: tuple[AnyFact, ...] = ()  # empty for a duplicate


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who a player is, before a salt is drawn."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    birth_date: Annotated[str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$(?!\n)")] | None = None
    contact: Annotated[str, Meta(max_length=500)] | None = None


@dataclass(eq=False)
class VersionHasMoved(RuleViolation):
    """The tournament is not at the version that the command was given for."""

    seen: str
    version: int
    text = "the tournament is at version {version}, not {seen}"


@dataclass(eq=False)
class BoardWasRevised(RuleViolation):
    """The result of the board was recorded again since it was seen."""

    round: int
    board: int
    seen: int
    revision: int
    result: str
    text = "board {board} of round {round} is at revision {revision} ({result}), not {seen}"


class TooManyWaiting(Exception):
    """The commands before this one in the same tournament take too long; nothing was done."""

    def __init__(self, tournament: str) -> None:
        super().__init__(f"commands to {tournament} wait for more than {TURN_S_MAX:.0f} s; nothing was done")
        self.tournament = tournament


class _Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What makes two sendings of a command the same request."""

    command: AnyCommand
    actor: str
    reported_at: str | None = None
    venue: str | None = None


class _Given(msgspec.Struct, frozen=True, kw_only=True):
    """A command with everything that was said about it."""

    tournament: str
    command: AnyCommand
    order: Order
    seen: Seen
    request: str  # see `request_digest`


def request_digest(command: AnyCommand, order: Order) -> str:
    """Return the digest that `Recorded.request` keeps; raise `NotCanonical` for text that cannot be stored."""
    request = _Request(command=command, actor=order.actor, reported_at=order.reported_at, venue=order.venue)
    return sha256_hex(canonical_bytes(request))


class Commands:
    """Carries out commands on the tournaments of one store, those of one tournament one after the other.

    `on_append` is told how long each append took, in seconds.
    """

    def __init__(
        self,
        store: EventStore,
        clock: Clock = wall_clock,
        *,
        on_append: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._on_append = on_append
        self._reader: Reader[Tournament] = Reader(store, Tournament(), replay, copies_max=COPIES_MAX)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def state(self, tournament: str) -> Copy[Tournament]:
        """Return the present state, and the head it was folded to; raise `LogBroken`."""
        try:
            return await self._reader.catch_up(tournament)
        except ImpossibleHistory as error:
            raise LogBroken(tournament, error.version, error.reason) from error

    async def carry_out(
        self, tournament: str, command: AnyCommand, order: Order, seen: Seen = WHATEVER
    ) -> Answer:
        """Carry out `command` and return what it has brought about.

        Raises `RuleViolation` if the rules refuse it or it is not as `seen`, `CommandClash` if its id stands for
        another request, `NotCanonical` if it cannot be stored, `VersionConflict` if every attempt lost its race,
        `TooManyWaiting`, and what else the store raises.
        """
        given = _given(tournament, command, order, seen)
        with structlog.contextvars.bound_contextvars(tournament=tournament, command=order.id):
            async with self._turn(tournament):
                return await self._carry_out(given)

    async def rehearse(
        self, tournament: str, command: AnyCommand, order: Order, seen: Seen = WHATEVER
    ) -> Answer:
        """Return what `carry_out` would, and append nothing; raises the same."""
        given = _given(tournament, command, order, seen)
        done = await self._done(given)
        if done is not None:
            return done
        copy = await self.state(tournament)
        facts, at = self._decided(given, copy.state)
        _entries(given, facts, at, copy)  # raises `NotCanonical` here as there
        first, last = copy.head.version + 1, copy.head.version + len(facts)
        return Answer(first=first, last=last, duplicate=False, facts=tuple(facts))

    async def _carry_out(self, given: _Given) -> Answer:
        copy = self._reader.known(given.tournament)
        for attempt in range(APPEND_ATTEMPTS_MAX):
            present = copy is None
            copy = copy or await self.state(given.tournament)
            try:
                return await self._attempt(given, copy)
            except RuleViolation as refusal:
                if present:
                    # The same command, sent twice, is refused because it was carried out the first time.
                    done = await self._done(given)
                    if done is not None:
                        log.info("command_repeated", first=done.first, last=done.last)
                        return done
                    log.warning("command_refused", kind=refusal.kind(), version=copy.head.version)
                    raise
            except VersionConflict as lost:
                log.info("command_retried", version=lost.found.version)
                if attempt == APPEND_ATTEMPTS_MAX - 1:
                    raise
            copy = None
        raise AssertionError

    async def register(
        self,
        tournament: str,
        command: RegisterPlayer,
        person: Person,
        order: Order,
        seen: Seen = WHATEVER,
    ) -> Answer:
        """Put a person into the register beside the log and carry out the entry that commits to it.

        `command.person` is replaced by the commitment. Sent again, the record of the first time is used.
        """
        state = (await self.state(tournament)).state
        found = there = await self._store.person_get(tournament, command.player)
        entered = command.player in state.players
        if there is not None and not entered and not _same_person(there, person):
            await self._store.person_erase(tournament, command.player)  # left by an entry that never was
            there = None
        # Another person than the one entered gets a commitment of his own, so that the id is not taken for his.
        record = there if there is not None and _same_person(there, person) else _salted(person)
        if there is None and not entered:
            record = await self._put_person(tournament, command.player, record)
        entry = msgspec.structs.replace(command, person=commitment(record))
        try:
            answer = await self.carry_out(tournament, entry, order, seen)
        except (RuleViolation, CommandClash):
            if there is None:
                await self._settle_register(tournament, command.player, found)
            raise
        if not answer.duplicate:  # a record that was erased since the first time stays away
            await self._settle_register(tournament, command.player, record)
        return answer

    async def committed(self, tournament: str, command: RegisterPlayer, person: Person) -> RegisterPlayer:
        """Return the entry with the commitment that `register` made for this person, when it was sent before."""
        there = await self._store.person_get(tournament, command.player)
        if there is None or not _same_person(there, person):
            return command
        return msgspec.structs.replace(command, person=commitment(there))

    async def _settle_register(self, tournament: str, player: str, ours: PersonRecord | None) -> None:
        """See that the register holds whom the log committed to under an id that two were entered with at once.

        `ours` is put back where it is the one; a record that nobody committed to goes.
        """
        entry = (await self.state(tournament)).state.players.get(player)
        there = await self._store.person_get(tournament, player)
        right = None if entry is None else entry.registered.person
        if there is not None and commitment(there) == right:
            return
        if there is not None:
            await self._store.person_erase(tournament, player)
        if ours is not None and commitment(ours) == right:
            await self._store.person_put(tournament, player, ours)

    async def _put_person(self, tournament: str, player: str, record: PersonRecord) -> PersonRecord:
        """Register `record` and return it, or what a twin of this entry has registered meanwhile."""
        try:
            await self._store.person_put(tournament, player, record)
        except PersonClash:
            there = await self._store.person_get(tournament, player)
            if there is None or not _same_person(there, _as_person(record)):
                raise
            return there
        return record

    async def _done(self, given: _Given) -> Answer | None:
        outcome: Outcome | None = await self._store.outcome(given.tournament, given.order.id)
        if outcome is None:
            return None
        if outcome.request != given.request:
            raise CommandClash(given.tournament, given.order.id, outcome.first, outcome.last)
        return Answer(first=outcome.first, last=outcome.last, duplicate=True)

    async def _attempt(self, given: _Given, copy: Copy[Tournament]) -> Answer:
        facts, at = self._decided(given, copy.state)
        entries = _entries(given, facts, at, copy)
        started = perf_counter()
        appended: Appended = await self._store.append(
            given.tournament, entries, expected=copy.head, cause=given.order.id, request=given.request
        )
        self._on_append(perf_counter() - started)
        if not appended.duplicate:
            self._reader.follow(given.tournament, copy, entries)
        kind = type(given.command).__name__
        log.info("command_done", kind=kind, first=appended.first, last=appended.last)
        return Answer(
            first=appended.first,
            last=appended.last,
            duplicate=appended.duplicate,
            facts=() if appended.duplicate else tuple(facts),
        )

    def _decided(self, given: _Given, state: Tournament) -> tuple[list[AnyFact], str]:
        """Return the facts and the time of recording."""
        command, order, tournament = given.command, given.order, given.tournament
        if isinstance(command, AnnounceTournament) and command.tournament != tournament:
            raise ContradictoryRegulations(
                f"{command.tournament!r} is announced in the log of {tournament!r}"
            )
        _check_seen(command, state, given.seen)
        now = instant(self._clock())
        at = later(now, state.at) if state.at else now
        _check_instants(order)
        return decide(command, state, Occasion(at=at, reported_at=order.reported_at or at)), at

    @asynccontextmanager
    async def _turn(self, tournament: str) -> AsyncIterator[None]:
        """Wait until the commands before have been carried out: racing each other, they would only repeat work."""
        turn = self._turns.setdefault(tournament, asyncio.Lock())
        try:
            async with asyncio.timeout(TURN_S_MAX if turn.locked() else None):
                await turn.acquire()
        except TimeoutError:
            raise TooManyWaiting(tournament) from None
        try:
            yield
        finally:
            turn.release()


def _given(tournament: str, command: AnyCommand, order: Order, seen: Seen) -> _Given:
    return _Given(
        tournament=tournament,
        command=command,
        order=order,
        seen=seen,
        request=request_digest(command, order),
    )


def _entries(given: _Given, facts: Sequence[AnyFact], at: str, copy: Copy[Tournament]) -> list[bytes]:
    order = given.order
    return link(
        facts,
        copy.head,
        at=at,
        actor=order.actor,
        cause=order.id,
        request=given.request,
        reported_at=order.reported_at,
        device=order.device,
        device_time=order.device_time,
        venue=order.venue,
    )


def _check_seen(command: AnyCommand, state: Tournament, seen: Seen) -> None:
    if seen.versions is not None and state.version not in seen.versions:
        raise VersionHasMoved(" or ".join(map(str, seen.versions)) or "none", state.version)
    if seen.revision is None or not isinstance(command, CorrectResult):
        return
    boards = state.round(command.round).boards
    if command.board > len(boards):
        return  # `decide` says so
    board = boards[command.board - 1]
    if board.revision != seen.revision:
        result = board.result or "no result"
        raise BoardWasRevised(command.round, command.board, seen.revision, board.revision, result)


def _salted(person: Person) -> PersonRecord:
    return PersonRecord(
        name=person.name,
        birth_date=person.birth_date,
        contact=person.contact,
        salt=secrets.token_hex(SALT_BYTES),
    )


def _as_person(record: PersonRecord) -> Person:
    return Person(name=record.name, birth_date=record.birth_date, contact=record.contact)


def _same_person(record: PersonRecord, person: Person) -> bool:
    known = (record.name, record.birth_date, record.contact)
    return known == (person.name, person.birth_date, person.contact)


def _check_instants(order: Order) -> None:
    for field, given in (("reported_at", order.reported_at), ("device_time", order.device_time)):
        try:
            milliseconds(given or EPOCH)
        except NoSuchInstant as error:
            raise NoSuchMoment(field, str(error)) from error
