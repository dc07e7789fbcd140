"""The pairing worker's logic: look at a tournament's log, seal the pairing that is due, publish it at its time.

The state drives everything, so it does not matter how often, by whom or why a tournament is looked at. Command
ids are made of round and cutoff: a second worker, a redelivery or a restart repeats a command and never adds one.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Sequence
from functools import partial

import msgspec
import structlog
from structlog.contextvars import bound_contextvars

from events.codec import sha256_hex
from rules.commands import AnyCommand, PublishPairing, ReportDispute, ReportNoPairing, SealPairing
from rules.instants import milliseconds
from rules.proof import salt_message, seal
from rules.refusals import RuleViolation, TooEarly
from rules.state import RoundState, Tournament
from rules.swiss.pairing_input import PairingOutput
from rules.timetable import times_of
from services.doorbell.desk import WorkFailed
from services.gateway.commands import Answer, Commands, Order
from services.pairing.engine import Engine
from services.pairing.work import Disputed, Failed, Impossible, Paired
from services.store import CommandClash, EventStore, LogBroken
from services.store.reader import Copy
from services.wallclock import Clock, wall_clock

ACTOR = "pairing-worker"
LOOKS_MAX = 50  # each but the last finds that somebody else, or we, moved the log
GAP_S = 0.2  # at a hundred visits a second: a round may wait a moment while results pour in
READS_MAX = 16  # at a time: reading folds a log, and a store has few connections

log = structlog.get_logger(__name__)


class PairingFailed(WorkFailed):
    """A round cannot be paired from its log."""

    def __init__(self, round_: int, reason: str, trace: str = "") -> None:
        super().__init__(f"round {round_}: {reason}", trace)
        self.round = round_
        self.reason = reason


class _Made(msgspec.Struct, frozen=True):
    """A pairing that was made here and awaits its minute."""

    round: int
    attempt: int
    output: PairingOutput


class PairingWorker:
    """Seals and publishes the pairings of one store's tournaments. Not to be called twice at once for one of them."""

    def __init__(
        self,
        store: EventStore,
        commands: Commands,
        engine: Engine,
        seal_key: bytes,
        clock: Clock = wall_clock,
    ) -> None:
        self._store = store
        self._commands = commands
        self._engine = engine
        self._seal_key = seal_key
        self._clock = clock
        self._made: dict[str, _Made] = {}  # by tournament; after a restart the pairing is made again
        self._looked: dict[str, int] = {}  # tournament → version
        self._reading = asyncio.Semaphore(READS_MAX)

    @property
    def engine(self) -> str:
        """Name and version of the engine."""
        return self._engine.name

    @property
    def gap_s(self) -> float:
        """How far apart visits to the same tournament are kept; see `services.doorbell.pace`."""
        return GAP_S

    async def catch_up(self, tournament: str) -> int | None:
        """Do what is due in `tournament`; return when its next publication is, in ms since 1970, or None.

        Raises `PairingFailed`, `LogBroken`, and what else the store raises; `RuleViolation` or `CommandClash`
        when the log refuses what it itself demands.
        """
        with bound_contextvars(tournament=tournament):
            round_ = None
            for _ in range(LOOKS_MAX):
                copy = await self._look(tournament)
                round_ = _open_round(copy.state)
                if round_ is None:
                    return None
                self._check_undisputed(copy.state.round(round_), round_)
                due = milliseconds(times_of(copy.state, round_).published)
                sealed = copy.state.round(round_).sealed is not None
                if sealed and self._clock() < due:
                    return due
                step = self._publish if sealed else self._seal
                try:
                    await step(tournament, copy.state, round_)
                except TooEarly:
                    return due  # the clock was set back
                except (RuleViolation, CommandClash):
                    # Refused because somebody was faster is no refusal; refused in the same state is.
                    if (await self._look(tournament)).head == copy.head:
                        raise
            raise PairingFailed(round_ or 0, f"nothing was settled in {LOOKS_MAX} looks at the log")

    def _check_undisputed(self, the_round: RoundState, round_: int) -> None:
        """Raise `PairingFailed` for a round whose pairing by this very engine was not confirmed."""
        if the_round.disputed is not None and the_round.disputed.engine == self._engine.name:
            raise PairingFailed(round_, f"the second opinion differs: {the_round.disputed.detail}")

    def reached(self, tournament: str) -> int:
        """Return the version at which `tournament` was last looked at; 0: never."""
        return self._looked.get(tournament, 0)

    async def _look(self, tournament: str) -> Copy[Tournament]:
        async with self._reading:
            copy = await self._commands.state(tournament)
        self._looked[tournament] = copy.head.version
        return copy

    async def _seal(self, tournament: str, state: Tournament, round_: int) -> None:
        """Commit to the pairing of the round, or state that there is none."""
        assert state.announced is not None
        the_round = state.round(round_)
        started = asyncio.get_running_loop().time()
        verdict = await self._make(tournament, the_round, round_)
        took_ms = round((asyncio.get_running_loop().time() - started) * 1000)
        attempt, cutoff = the_round.attempts + 1, the_round.cutoff
        assert cutoff is not None
        proof = {
            "round": round_,
            "attempt": attempt,
            "cutoff": cutoff,
            "head": the_round.cutoff_head,
            "system": state.announced.system,
            "engine": self._engine.name,
            "input": verdict.input,
        }
        order_id = f"seal:{round_}:{cutoff}"
        if isinstance(verdict, Impossible):
            none = msgspec.convert({**proof, "detail": verdict.detail}, ReportNoPairing)
            await self._carry_out(tournament, none, order_id)
            log.warning("no_pairing_found", round=round_, attempt=attempt, duration_ms=took_ms)
            return
        if isinstance(verdict, Disputed):
            report = msgspec.convert({**proof, "detail": verdict.detail}, ReportDispute)
            await self._carry_out(tournament, report, f"dispute:{round_}:{cutoff}:{attempt}")
            log.error("pairing_disputed", round=round_, attempt=attempt, detail=verdict.detail)
            return
        self._made[tournament] = _Made(round_, attempt, verdict.output)
        commitment = seal(self._salt(tournament, round_, attempt), verdict.output)
        command = msgspec.convert({**proof, "seal": commitment}, SealPairing)
        answer = await self._carry_out(tournament, command, order_id)
        log.info("pairing_sealed", round=round_, attempt=attempt, version=answer.last, duration_ms=took_ms)

    async def _publish(self, tournament: str, state: Tournament, round_: int) -> None:
        """Reveal the sealed pairing, which must be the one that the log gives."""
        the_round = state.round(round_)
        sealed = the_round.sealed
        assert sealed is not None
        made = self._made.get(tournament)
        if made is not None and (made.round, made.attempt) == (round_, sealed.attempt):
            output = made.output
        else:
            verdict = await self._make(tournament, the_round, round_)
            if not isinstance(verdict, Paired) or verdict.input != sealed.input:
                raise PairingFailed(
                    round_, f"the log gives another pairing than the one sealed by {sealed.engine}"
                )
            output = verdict.output
        salt = self._salt(tournament, round_, sealed.attempt)
        if seal(salt, output) != sealed.seal:
            raise PairingFailed(
                round_,
                f"the seal does not open: made with another seal key, or {sealed.engine} pairs otherwise than "
                f"{self._engine.name}",
            )
        command = PublishPairing(round=round_, pairs=output.pairs, pab=output.pab, salt=salt)
        answer = await self._carry_out(tournament, command, f"publish:{round_}")
        self._made.pop(tournament, None)
        log.info("pairing_published", round=round_, boards=len(output.pairs), version=answer.last)

    async def _make(
        self, tournament: str, the_round: RoundState, round_: int
    ) -> Paired | Impossible | Disputed:
        verdict = await self._engine.pair(partial(self._history, tournament, the_round), round_)
        if isinstance(verdict, Failed):
            raise PairingFailed(round_, verdict.reason, verdict.trace)
        return verdict

    async def _history(self, tournament: str, the_round: RoundState) -> Sequence[bytes]:
        async with self._reading:
            entries = await self._store.read(tournament, 0, the_round.cutoff)
        if len(entries) != the_round.cutoff or sha256_hex(entries[-1]) != the_round.cutoff_head:
            raise LogBroken(
                tournament, the_round.cutoff or 0, "the entry at the cutoff is not the one closed at"
            )
        return entries

    async def _carry_out(self, tournament: str, command: AnyCommand, order_id: str) -> Answer:
        return await self._commands.carry_out(tournament, command, Order(id=order_id, actor=ACTOR))

    def _salt(self, tournament: str, round_: int, attempt: int) -> str:
        message = salt_message(tournament, round_, attempt)
        return hmac.new(self._seal_key, message, hashlib.sha256).hexdigest()


def _open_round(state: Tournament) -> int | None:
    """Return the round that waits for the worker: what counts for it is closed, and it is not public."""
    if state.announced is None or state.closed:
        return None
    round_ = state.published_rounds + 1
    the_round = state.round(round_)
    if round_ > state.announced.rounds or the_round.cutoff is None or the_round.impossible is not None:
        return None
    return round_
