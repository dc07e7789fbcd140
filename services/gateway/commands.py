"""Carrying out commands: read the log, decide, append; again when somebody was faster.

A command arrives at least once. Its id is the cause of its events, so one that was carried out is answered as
then and not carried out again. Reads no projection: a read model may lag.
"""

import secrets
from typing import Annotated

import msgspec
import structlog
from msgspec import Meta

from events.codec import canonical_bytes, sha256_hex
from events.envelope import CommandId
from events.facts import AnyFact, Instant, Label
from events.persons import SALT_BYTES, PersonRecord, commitment
from rules.commands import AnnounceTournament, AnyCommand, RegisterPlayer
from rules.instants import NoSuchInstant, instant, later, milliseconds
from rules.refusals import ContradictoryRegulations, NoSuchMoment, RuleViolation
from rules.state import ImpossibleHistory, Tournament, evolve
from rules.tournament import Occasion, decide
from services.store.chain import link
from services.store.errors import CommandClash, LogBroken, VersionConflict
from services.store.port import Appended, EventStore, Outcome
from services.store.reader import Copy, Reader
from services.wallclock import Clock, wall_clock

EPOCH = "1970-01-01T00:00:00Z"
APPEND_ATTEMPTS_MAX = 50  # each lost race means that somebody else's command was carried out

log = structlog.get_logger(__name__)


class Order(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who gives a command, and when it was reported. `id` makes it safe to send again."""

    id: CommandId
    actor: Label
    reported_at: Instant | None = None  # None: now
    device: Label | None = None
    device_time: Instant | None = None
    venue: Label | None = None


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a command has brought about: the versions of its events, both ends included, and the facts."""

    first: int
    last: int
    duplicate: bool  # it had been carried out before
    facts: tuple[AnyFact, ...] = ()  # empty for a duplicate


class Person(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who a player is, before a salt is drawn."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    birth_date: Annotated[str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$")] | None = None
    contact: Annotated[str, Meta(max_length=500)] | None = None


class _Request(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What makes two sendings of a command the same request."""

    command: AnyCommand
    actor: str
    reported_at: str | None = None
    venue: str | None = None


def request_digest(command: AnyCommand, order: Order) -> str:
    """Return the digest that `Recorded.request` keeps; raise `NotCanonical` for text that cannot be stored."""
    request = _Request(command=command, actor=order.actor, reported_at=order.reported_at, venue=order.venue)
    return sha256_hex(canonical_bytes(request))


class Commands:
    """Carries out commands on the tournaments of one store."""

    def __init__(self, store: EventStore, clock: Clock = wall_clock) -> None:
        self._store = store
        self._clock = clock
        self._reader: Reader[Tournament] = Reader(store, Tournament(), evolve)

    async def state(self, tournament: str) -> Copy[Tournament]:
        """Return the present state, and the head it was folded to; raise `LogBroken`."""
        try:
            return await self._reader.catch_up(tournament)
        except ImpossibleHistory as error:
            raise LogBroken(tournament, error.version, error.reason) from error

    async def carry_out(self, tournament: str, command: AnyCommand, order: Order) -> Answer:
        """Carry out `command` and return what it has brought about.

        Raises `RuleViolation` if the rules refuse it, `CommandClash` if its id stands for another request,
        `NotCanonical` if it cannot be stored, `VersionConflict` if every attempt lost its race, and what else
        the store raises.
        """
        request = request_digest(command, order)
        with structlog.contextvars.bound_contextvars(tournament=tournament, command=order.id):
            done = await self._done(tournament, order, request)
            if done is not None:
                return done
            for _ in range(APPEND_ATTEMPTS_MAX):
                copy = await self.state(tournament)
                try:
                    return await self._attempt(tournament, command, order, request, copy)
                except RuleViolation as refusal:
                    # The same command, sent twice at once, is refused because its twin was carried out.
                    done = await self._done(tournament, order, request)
                    if done is not None:
                        return done
                    log.warning("command_refused", kind=refusal.kind(), version=copy.head.version)
                    raise
                except VersionConflict as lost:
                    log.info("command_retried", version=lost.found.version)
                    conflict = lost
            raise conflict

    async def register(
        self, tournament: str, command: RegisterPlayer, person: Person, order: Order
    ) -> Answer:
        """Put a person into the register beside the log and carry out the entry that commits to it.

        `command.person` is replaced by the commitment. Sent again, the record of the first time is used.
        """
        state = (await self.state(tournament)).state
        there = await self._store.person_get(tournament, command.player)
        entered = command.player in state.players
        if there is not None and not entered and not _same_person(there, person):
            await self._store.person_erase(tournament, command.player)  # left by an entry that never was
            there = None
        record = there or _salted(person)
        if there is None and not entered:
            await self._store.person_put(tournament, command.player, record)
        entry = msgspec.structs.replace(command, person=commitment(record))
        try:
            return await self.carry_out(tournament, entry, order)
        except (RuleViolation, CommandClash):
            if there is None and command.player not in (await self.state(tournament)).state.players:
                await self._store.person_erase(tournament, command.player)
            raise

    async def _done(self, tournament: str, order: Order, request: str) -> Answer | None:
        outcome: Outcome | None = await self._store.outcome(tournament, order.id)
        if outcome is None:
            return None
        if outcome.request != request:
            raise CommandClash(tournament, order.id, outcome.first, outcome.last)
        return Answer(first=outcome.first, last=outcome.last, duplicate=True)

    async def _attempt(
        self, tournament: str, command: AnyCommand, order: Order, request: str, copy: Copy[Tournament]
    ) -> Answer:
        if isinstance(command, AnnounceTournament) and command.tournament != tournament:
            raise ContradictoryRegulations(
                f"{command.tournament!r} is announced in the log of {tournament!r}"
            )
        now = instant(self._clock())
        at = later(now, copy.state.at) if copy.state.at else now
        _check_instants(order)
        facts = decide(command, copy.state, Occasion(at=at, reported_at=order.reported_at or at))
        entries = link(
            facts,
            copy.head,
            at=at,
            actor=order.actor,
            cause=order.id,
            request=request,
            reported_at=order.reported_at,
            device=order.device,
            device_time=order.device_time,
            venue=order.venue,
        )
        appended: Appended = await self._store.append(
            tournament, entries, expected=copy.head, cause=order.id, request=request
        )
        log.info("command_done", kind=type(command).__name__, first=appended.first, last=appended.last)
        return Answer(
            first=appended.first, last=appended.last, duplicate=appended.duplicate, facts=tuple(facts)
        )


def _salted(person: Person) -> PersonRecord:
    return PersonRecord(
        name=person.name,
        birth_date=person.birth_date,
        contact=person.contact,
        salt=secrets.token_hex(SALT_BYTES),
    )


def _same_person(record: PersonRecord, person: Person) -> bool:
    known = (record.name, record.birth_date, record.contact)
    return known == (person.name, person.birth_date, person.contact)


def _check_instants(order: Order) -> None:
    for field, given in (("reported_at", order.reported_at), ("device_time", order.device_time)):
        try:
            milliseconds(given or EPOCH)
        except NoSuchInstant as error:
            raise NoSuchMoment(field, str(error)) from error
