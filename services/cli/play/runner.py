"""Plays a script through the command side of a running system, and checks each round that is published.

Every command has an id made from what it does, so a play that was interrupted goes on where it stopped.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

import msgspec

from events.envelope import decode
from events.facts import PairingPublished, RoundTimes
from rules.commands import (
    AnyCommand,
    CloseAppealWindow,
    CloseTournament,
    ConfirmPresence,
    CorrectResult,
    DrawLots,
    FixNumbers,
    PostResults,
    RecordResult,
    SetTimetable,
)
from rules.history import pairing_input
from rules.instants import instant, second
from rules.state import Tournament
from rules.swiss.pairing_input import PairingInput
from rules.verification import proof_faults, publications
from services.cli.play.hands import Hand, LogHand
from services.cli.play.script import Pair, RoundScript, Script, Slip
from services.doorbell.parking import MemoryParking, Parking
from services.gateway.commands import Commands
from services.store.errors import CommandClash
from services.store.keys import partition_of
from services.store.port import EventStore
from services.wallclock import Clock, wall_clock

ACTOR = "tirage play"
WORKER_S_MAX = 120.0  # without a pairing, before we say that nobody makes one
POLL_S = 0.02

Progress = Callable[[str, int, int], None]  # what is being done, how much of it, of how much


class NoPairingCame(Exception):
    """The round was closed and no pairing worker published it."""

    def __init__(self, tournament: str, round_: int) -> None:
        super().__init__(
            f"round {round_} of {tournament} was not paired within {WORKER_S_MAX:.0f} s: "
            "is the pairing worker of this store running (tirage serve)?"
        )


class SetAside(Exception):
    """The pairing worker has set the tournament aside."""

    def __init__(self, tournament: str, reason: str) -> None:
        super().__init__(f"the pairing worker has set {tournament} aside: {reason}")


class NoPairingExists(Exception):
    """The rules allow no complete pairing; the log says so."""

    def __init__(self, tournament: str, round_: int, detail: str) -> None:
        super().__init__(f"round {round_} of {tournament} cannot be paired: {detail}")


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """One published round, what the file has in its place, and what the proof was checked against."""

    published: PairingPublished
    version: int  # of the event
    scene: PairingInput  # what the engine saw, recomputed from the log
    expected: tuple[Pair, ...] | None  # None: the file does not know this round
    expected_pab: str | None
    faults: tuple[str, ...]  # of the proof; empty: everything recomputes

    @property
    def differences(self) -> tuple[str, ...]:
        """What the file has otherwise, in words; empty when the round agrees or the file does not know it."""
        if self.expected is None:
            return ()
        found, wanted = set(self.published.pairs), set(self.expected)
        lines = [f"the file has {white}-{black}" for white, black in sorted(wanted - found)]
        lines += [f"published is {white}-{black}" for white, black in sorted(found - wanted)]
        if self.published.pab != self.expected_pab:
            lines.append(f"the file gives the bye to {self.expected_pab}, published is {self.published.pab}")
        return tuple(lines)


class Performance:
    """One script on one store."""

    def __init__(
        self,
        store: EventStore,
        script: Script,
        *,
        hand: Hand | None = None,
        parking: Parking | None = None,
        slips: Sequence[Slip] = (),
        tell: Callable[[str], None] = lambda _line: None,
        clock: Clock = wall_clock,
        progress: Progress = lambda _what, _done, _of: None,
    ) -> None:
        self._store = store
        self._script = script
        self._parking = parking or MemoryParking()
        self._clock = clock
        self._progress = progress
        self._commands = Commands(store, clock)
        self._slips = slips
        self._tell = tell
        self.tournament = script.announcement.tournament
        self._hand = hand or LogHand(self._commands, self.tournament, ACTOR)

    async def rounds(self) -> AsyncIterator[Played]:
        """Yield each round as it is published; stop at the first that differs, or where the file ends."""
        await self._prepare()
        for script in self._script.rounds:
            for bye in script.byes:
                await self._do(bye, f"bye:{bye.round}:{bye.player}")
            for withdrawal in script.withdrawals:
                await self._do(withdrawal, f"withdraw:{withdrawal.player}")
            await self._close(script.round - 1)
            played = await self._published(script)
            yield played
            await self._correct(script.round - 1, in_window=False)
            if played.differences or script.pairs is None or not await self._record(script, played):
                return
        if len(self._script.rounds) == self._script.announcement.rounds:
            await self._close(self._script.announcement.rounds)
            await self._do(CloseTournament(), "end")

    async def state(self) -> Tournament:
        """Return the present state of the tournament."""
        return (await self._commands.state(self.tournament)).state

    async def _do(self, command: AnyCommand, name: str, reported_at: str | None = None) -> None:
        await self._hand.give(command, f"play:{name}", reported_at)

    async def _prepare(self) -> None:
        script = self._script
        await self._do(script.announcement, "announce")
        if (await self.state()).timetable is None:  # it says «now», so a second one would be another command
            with contextlib.suppress(CommandClash):  # somebody who plays the same file has just set it
                await self._do(self._timetable(), "timetable")
        await self._do(DrawLots(initial_colour=script.initial_colour, method="as in the file"), "lots")
        for done, (entry, person) in enumerate(script.entries, start=1):
            await self._hand.enter(entry, person, f"play:register:{entry.player}")
            await self._do(ConfirmPresence(player=entry.player), f"presence:{entry.player}")
            self._progress("players", done, len(script.entries))
        numbers = tuple(entry.player for entry, _ in script.entries)
        await self._do(FixNumbers(for_round=1, players=numbers), "numbers")

    def _timetable(self) -> SetTimetable:
        # Nobody waits for the hour of a file: every announced time is now, and no appeals are taken after posting.
        now = instant(self._clock())
        rounds = tuple(
            RoundTimes(round=n, published=now, start=now, end=now, results_posted=now, appeals_close=now)
            for n in range(1, self._script.announcement.rounds + 1)
        )
        return SetTimetable(rounds=rounds, appeal_minutes=0, final_appeal=now)

    async def _close(self, round_: int) -> None:
        if round_ > 0:
            await self._do(PostResults(round=round_), f"post:{round_}")
            deadline = (await self.state()).round(round_).appeals_close
            assert deadline is not None
            await self._correct(round_, in_window=True, reported_at=deadline)
            wait_ms = (second(deadline) + 1) * 1000 - self._clock()
            if (await self.state()).round(round_).closed_at is None and wait_ms > 0:
                await asyncio.sleep(wait_ms / 1000)
        await self._do(CloseAppealWindow(round=round_), f"close:{round_}")

    async def _published(self, script: RoundScript) -> Played:
        give_up = self._clock() + WORKER_S_MAX * 1000
        while self._clock() < give_up:
            the_round = (await self.state()).round(script.round)
            if the_round.published is not None:
                return await self._check(script)
            if the_round.impossible is not None:
                raise NoPairingExists(self.tournament, script.round, the_round.impossible.detail)
            partition = partition_of(self.tournament, self._store.partitions)
            held = (await self._parking.parked(partition)).get(self.tournament)
            if held is not None:
                raise SetAside(self.tournament, held.reason)
            await asyncio.sleep(POLL_S)
        raise NoPairingCame(self.tournament, script.round)

    async def _check(self, script: RoundScript) -> Played:
        history = [
            decode(stored, version)
            for version, stored in enumerate(await self._store.read(self.tournament), start=1)
        ]
        version, published = next(
            (version, fact) for version, fact in publications(history) if fact.round == script.round
        )
        scene = pairing_input(history, script.round, published.cutoff)
        return Played(
            published=published,
            version=version,
            scene=scene,
            expected=script.pairs,
            expected_pab=script.pab,
            faults=proof_faults(history, published),
        )

    async def _record(self, script: RoundScript, played: Played) -> bool:
        """Enter the file's results in board order; return whether every game has one."""
        published = played.published
        for board, pair in enumerate(published.pairs, start=1):
            outcome = script.outcomes.get(pair)
            if outcome is None:
                continue
            slip = self._slip(published.round, pair)
            command = RecordResult(
                round=published.round,
                board=board,
                white=pair[0],
                black=pair[1],
                result=slip.typed if slip else outcome.result,
                rated=outcome.rated,
            )
            await self._do(command, f"result:{published.round}:{board}")
            self._progress(f"results of round {published.round}", board, len(published.pairs))
        return len(script.outcomes) == len(published.pairs)

    def _slip(self, round_: int, pair: Pair) -> Slip | None:
        return next((slip for slip in self._slips if (slip.round, slip.pair) == (round_, pair)), None)

    async def _correct(self, round_: int, *, in_window: bool, reported_at: str | None = None) -> None:
        """Correct what was typed wrong in the round and is noticed now, saying first what that changes."""
        boards = (await self.state()).round(round_).boards
        for number, board in enumerate(boards, start=1):
            pair = board.white, board.black
            slip = self._slip(round_, pair)
            if slip is None or slip.in_window is not in_window:
                continue
            outcome = self._script.rounds[round_ - 1].outcomes[pair]
            command = CorrectResult(
                round=round_,
                board=number,
                white=board.white,
                black=board.black,
                was=slip.typed,
                result=outcome.result,
                rated=outcome.rated,
                reason=slip.reason,
            )
            name = f"correct:{round_}:{number}"
            effect = await self._hand.foretell(command, f"play:{name}", reported_at)
            await self._do(command, name, reported_at)
            what = f"board {number} of round {round_} was typed {slip.typed}, it is {outcome.result}"
            self._tell(f"correction: {what} ({slip.reason}). {effect}")
