"""A tournament on paper: commands are decided and folded as in production, with no store behind them."""

from dataclasses import dataclass, field
from typing import Any

from events.codec import sha256_hex
from events.envelope import GENESIS, Recorded, encode
from events.facts import AnyFact, Colour, GameResult, RoundTimes
from rules.commands import (
    AnnounceTournament,
    AnyCommand,
    CloseAppealWindow,
    ConfirmPresence,
    DrawLots,
    FixNumbers,
    PostResults,
    PublishPairing,
    RecordResult,
    RegisterPlayer,
    SealPairing,
    SetTimetable,
)
from rules.history import pairing_input
from rules.instants import instant, milliseconds
from rules.proof import input_digest, seal
from rules.state import Tournament, evolve
from rules.swiss.pairing_input import PairingOutput
from rules.tournament import Occasion, decide

PERSON = "ab" * 32
SALT = "cd" * 32
START = "2026-10-05T08:00:00Z"


def timetable(rounds: int, *, appeal_minutes: int = 15) -> SetTimetable:
    """Return one round a day from 5 October 2026: published 09:00, 10:00 to 14:00, posted 14:30, closed 15:00."""

    def times(day: int) -> RoundTimes:
        date = f"2026-10-{day + 4:02d}"
        return RoundTimes(
            round=day,
            published=f"{date}T09:00:00Z",
            start=f"{date}T10:00:00Z",
            end=f"{date}T14:00:00Z",
            results_posted=f"{date}T14:30:00Z",
            appeals_close=f"{date}T15:00:00Z",
        )

    return SetTimetable(
        rounds=tuple(times(day) for day in range(1, rounds + 1)),
        appeal_minutes=appeal_minutes,
        final_appeal=f"2026-10-{rounds + 4:02d}T18:00:00Z",
    )


@dataclass
class Ledger:
    """The log and the state of one tournament; `now` moves only when a command says so."""

    history: list[Recorded] = field(default_factory=list)
    entries: list[bytes] = field(default_factory=list)
    state: Tournament = field(default_factory=Tournament)
    now: str = START

    def do(
        self, command: AnyCommand, *, at: str | None = None, reported_at: str | None = None
    ) -> list[AnyFact]:
        """Carry out `command` at `at` (default: a second later than the last) and return its facts."""
        self.now = at or instant(milliseconds(self.now) + 1000)
        facts = decide(command, self.state, Occasion(at=self.now, reported_at=reported_at or self.now))
        for fact in facts:
            self._take(fact, reported_at)
        return facts

    def _take(self, fact: AnyFact, reported_at: str | None = None) -> None:
        recorded = Recorded(
            v=len(self.history) + 1,
            prev=sha256_hex(self.entries[-1]) if self.entries else GENESIS,
            at=self.now,
            actor="test",
            cause=f"c{len(self.history)}",
            request="00" * 32,
            reported_at=reported_at,
            fact=fact,
        )
        self.history.append(recorded)
        self.entries.append(encode(recorded))
        self.state = evolve(self.state, recorded)

    def seal(self, round_: int, *pairs: tuple[str, str], pab: str | None = None) -> None:
        """Seal a pairing chosen by the test, by the cutoff in force."""
        the_round = self.state.round(round_)
        assert the_round.cutoff is not None
        self.do(
            SealPairing(
                round=round_,
                attempt=the_round.attempts + 1,
                cutoff=the_round.cutoff,
                head=the_round.cutoff_head,
                system="fide-dutch@2026",
                engine="by hand",
                input=input_digest(pairing_input(self.history, round_, the_round.cutoff)),
                seal=seal(SALT, PairingOutput(pairs=pairs, pab=pab)),
            )
        )

    def publish(self, round_: int, *pairs: tuple[str, str], pab: str | None = None) -> None:
        """Seal and publish a pairing chosen by the test at the announced time or, if later, now."""
        self.seal(round_, *pairs, pab=pab)
        self.publish_sealed(round_, *pairs, pab=pab)

    def publish_sealed(self, round_: int, *pairs: tuple[str, str], pab: str | None = None) -> None:
        """Publish the pairing that is sealed, at the announced time or, if later, now."""
        assert self.state.timetable is not None
        due = self.state.timetable.rounds[round_ - 1].published
        at = due if milliseconds(due) > milliseconds(self.now) else None
        self.do(PublishPairing(round=round_, pairs=pairs, pab=pab, salt=SALT), at=at)

    def record(self, round_: int, *results: str, at: str | None = None) -> None:
        """Record the results of boards 1, 2, … of a round."""
        for number, result in enumerate(results, start=1):
            board = self.state.round(round_).boards[number - 1]
            self.do(
                RecordResult(
                    round=round_,
                    board=number,
                    white=board.white,
                    black=board.black,
                    result=GameResult(result),
                ),
                at=at if number == 1 else None,
            )

    def close(self, round_: int, *, at: str | None = None) -> None:
        """Post the results of a round at the announced time and close its window a second after the deadline."""
        posted = self.state.timetable.rounds[round_ - 1].results_posted if self.state.timetable else None
        self.do(PostResults(round=round_), at=posted)
        deadline = self.state.round(round_).appeals_close
        assert deadline is not None
        self.do(CloseAppealWindow(round=round_), at=at or instant(milliseconds(deadline) + 1000))


def announce(rounds: int = 3, **regulations: Any) -> AnnounceTournament:
    """Return an announcement of a tournament "t"."""
    return AnnounceTournament(tournament="t", name="Test", rounds=rounds, **regulations)


def ready(players: int, rounds: int = 3, **regulations: Any) -> Ledger:
    """Return a tournament with players p1, p2, … present and numbered, its list of entries still open."""
    ledger = Ledger()
    ledger.do(announce(rounds, **regulations))
    ledger.do(timetable(rounds))
    ledger.do(DrawLots(initial_colour=Colour.WHITE))
    names = tuple(f"p{number}" for number in range(1, players + 1))
    for name in names:
        ledger.do(RegisterPlayer(player=name, person=PERSON))
        ledger.do(ConfirmPresence(player=name))
    ledger.do(FixNumbers(for_round=1, players=names))
    return ledger


def started(players: int, *pairs: tuple[str, str], rounds: int = 3, **regulations: Any) -> Ledger:
    """Return a tournament whose round 1 is published with the pairs given."""
    ledger = ready(players, rounds, **regulations)
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, *pairs)
    return ledger
