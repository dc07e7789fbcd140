"""Made-up tournaments, decided as in production: an arbiter does the next thing to do, or something odd, at each step."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import strategies as st

from events.envelope import Recorded
from events.facts import (
    AccelerationGroupsFixed,
    AnyFact,
    AppealWindowClosed,
    ByeKind,
    CutoffMoved,
    GameAdjourned,
    GameResult,
    NoPairingFound,
    PairingDisputed,
    PairingPublished,
    PairingSealed,
    RoundEnded,
    Scoring,
    VenueReportsComplete,
)
from rules.commands import (
    CloseAppealWindow,
    CloseTournament,
    ConfirmPresence,
    CorrectResult,
    FixNumbers,
    PostResults,
    RecordResult,
    RegisterPlayer,
    ReportDispute,
    ReportNoPairing,
    RequestBye,
    WithdrawPlayer,
)
from rules.history import pairing_input
from rules.instants import instant, milliseconds
from rules.proof import input_digest
from rules.refusals import RuleViolation
from rules.swiss.dutch import pair
from rules.swiss.pairing_input import NoCompletePairing
from tests.support.ledger import PERSON, Ledger, ready

T = TypeVar("T")

STEPS = (0, 20, 40, 70, 100)  # the longest play three or four rounds
MINUTE_MS = 60_000
WAITS_MIN = (1, 10, 40, 300, 1_440)
SCORINGS = (
    Scoring(),
    Scoring(win=30, draw=10, forfeit_win=30, full_point_bye=30, half_point_bye=10, pairing_allocated_bye=30),
    Scoring(zero_point_bye=1, loss=2, forfeit_loss=1),
)
CLOSING = (  # of what these facts say, nothing may show before the next pairing
    AccelerationGroupsFixed,
    AppealWindowClosed,
    CutoffMoved,
    GameAdjourned,
    NoPairingFound,
    PairingDisputed,
    PairingSealed,
    RoundEnded,
    VenueReportsComplete,
)


@st.composite
def histories(draw: st.DrawFn, /, **regulations: Any) -> list[Recorded]:
    """Return the log of a tournament of a few players and rounds, seldom finished."""
    return draw(ledgers(**regulations)).history


@st.composite
def ledgers(draw: st.DrawFn, /, **regulations: Any) -> Ledger:
    """Return such a tournament with its state."""
    chosen = {
        "results_public": draw(st.sampled_from(["live", "at_posting"])),
        "late_report": draw(st.sampled_from(["deadline-decides", "until-published"])),
        "scoring": (scoring := draw(st.sampled_from(SCORINGS))),
        "acceleration_method": draw(st.sampled_from(["given", "baku"])) if scoring == Scoring() else "given",
        **regulations,
    }
    ledger = ready(draw(st.integers(2, 7)), rounds=draw(st.integers(1, 4)), **chosen)
    arbiter = Arbiter(ledger, draw)
    for _ in range(draw(st.sampled_from(STEPS))):
        arbiter.step()
    return ledger


@dataclass
class Arbiter:
    """Leads a tournament. What the rules refuse is passed over."""

    ledger: Ledger
    draw: st.DrawFn

    def step(self) -> None:
        """Do the next thing twice in three times."""
        odd: list[Callable[[], None]] = [
            self.correct,
            self.correct,
            self.wait,
            self.request_bye,
            self.withdraw,
            self.enter_late,
            self.override,
            self.record_somewhere,
            self.dispute,
        ]
        normal = self.draw(st.integers(0, 2)) > 0
        with contextlib.suppress(RuleViolation):
            (self.go_on if normal else self.choose(odd))()

    def choose(self, among: Sequence[T]) -> T:
        return self.draw(st.sampled_from(among))

    @property
    def round(self) -> int:
        """The round being played; 0 before the first."""
        return self.ledger.state.published_rounds

    def go_on(self) -> None:
        """Do what comes next in an orderly tournament."""
        state, round_ = self.ledger.state, self.round
        the_round = state.round(round_)
        assert state.announced is not None
        if the_round.closed_at is not None:
            self.pair_next() if round_ < state.announced.rounds else self.end()
        elif round_ == 0:
            self.ledger.do(CloseAppealWindow(round=0))
        elif open_boards := the_round.undecided():
            self.record(round_, self.choose(open_boards))
        elif the_round.appeals_close is None:
            self.ledger.do(PostResults(round=round_))
        else:
            close = milliseconds(the_round.appeals_close) + 1000
            self.ledger.do(
                CloseAppealWindow(round=round_), at=instant(max(close, milliseconds(self.ledger.now)))
            )

    def pair_next(self) -> None:
        """Seal the next round by our own engine, or publish it when it is sealed."""
        ledger, round_ = self.ledger, self.round + 1
        the_round = ledger.state.round(round_)
        if the_round.impossible is not None or the_round.cutoff is None:
            return
        scene = pairing_input(ledger.history, round_, the_round.cutoff)
        try:
            output = pair(scene)
        except NoCompletePairing:
            ledger.do(
                ReportNoPairing(
                    round=round_,
                    attempt=the_round.attempts + 1,
                    cutoff=the_round.cutoff,
                    head=the_round.cutoff_head,
                    system="fide-dutch@2026",
                    engine="ours",
                    input=input_digest(scene),
                    detail="none",
                )
            )
            return
        if the_round.sealed is None:
            ledger.seal(round_, *output.pairs, pab=output.pab)
        else:
            ledger.publish_sealed(round_, *output.pairs, pab=output.pab)

    def dispute(self) -> None:
        """Have the second opinion differ on the round that is to be paired, where one is."""
        ledger, round_ = self.ledger, self.round + 1
        the_round = ledger.state.round(round_)
        assert ledger.state.announced is not None
        if the_round.cutoff is None or round_ > ledger.state.announced.rounds:
            return
        ledger.do(
            ReportDispute(
                round=round_,
                attempt=the_round.attempts + 1,
                cutoff=the_round.cutoff,
                head=the_round.cutoff_head,
                system="fide-dutch@2026",
                engine="another",
                input=input_digest(pairing_input(ledger.history, round_, the_round.cutoff)),
                detail="board 1",
            )
        )

    def end(self) -> None:
        for round_ in range(1, self.round + 1):
            for number, board in enumerate(self.ledger.state.round(round_).boards, start=1):
                if board.result is None:
                    self.record(round_, number)
                    return
        self.ledger.do(CloseTournament())

    def record(self, round_: int, number: int) -> None:
        board = self.ledger.state.round(round_).boards[number - 1]
        result = self.choose(tuple(GameResult))
        self.ledger.do(
            RecordResult(
                round=round_,
                board=number,
                white=board.white,
                black=board.black,
                result=result,
                rated=self.draw(st.booleans()),
            )
        )

    def record_somewhere(self) -> None:
        """Record any board that has no result, such as an adjourned one."""
        waiting = [
            (round_, number)
            for round_ in range(1, self.round + 1)
            for number, board in enumerate(self.ledger.state.round(round_).boards, start=1)
            if board.result is None
        ]
        if waiting:
            self.record(*self.choose(waiting))

    def correct(self) -> None:
        """Correct any board, reported now or at a moment that matters; the newest boards are the likeliest."""
        done = [
            (round_, number)
            for round_ in range(self.round, 0, -1)
            for number, board in enumerate(self.ledger.state.round(round_).boards, start=1)
            if board.result is not None
        ]
        if not done:
            return
        round_, number = self.choose(done)
        board = self.ledger.state.round(round_).boards[number - 1]
        assert board.result is not None
        reported_at = self.choose([None, None, board.recorded_at, *self._moments()])
        self.ledger.do(
            CorrectResult(
                round=round_,
                board=number,
                white=board.white,
                black=board.black,
                was=board.result,
                result=self.choose(tuple(GameResult)),
                rated=self.draw(st.booleans()),
                reason="slip misread",
                confirmed_by=self.choose([None, "chief arbiter"]),
            ),
            reported_at=reported_at,
        )

    def _moments(self) -> list[str]:
        """Return the moments that decide what a correction changes, as far as they are past."""
        rounds = [self.ledger.state.round(number) for number in range(1, self.round + 1)]
        moments = [
            moment for one in rounds for moment in (one.appeals_close, one.closed_at, one.ended_at) if moment
        ]
        return [moment for moment in moments if milliseconds(moment) <= milliseconds(self.ledger.now)]

    def wait(self) -> None:
        self.ledger.now = instant(milliseconds(self.ledger.now) + self.choose(WAITS_MIN) * MINUTE_MS)

    def request_bye(self) -> None:
        player = self.choose(list(self.ledger.state.players))
        round_ = self.draw(st.integers(1, 4))
        self.ledger.do(RequestBye(player=player, round=round_, kind=self.choose(tuple(ByeKind))))

    def withdraw(self) -> None:
        player = self.choose(list(self.ledger.state.players))
        self.ledger.do(
            WithdrawPlayer(player=player, from_round=self.choose([None, 2, 3, 4]), reason="fell ill")
        )

    def enter_late(self) -> None:
        """Enter somebody new for a coming round, with a number in the middle, and perhaps present, now or later."""
        state = self.ledger.state
        absent = [player for player, entry in state.players.items() if not entry.present]
        comes = self.draw(st.booleans())
        if absent and comes:
            self.ledger.do(ConfirmPresence(player=self.choose(absent)))
            return
        name = f"n{len(state.players)}"
        coming = min(self.round + self.draw(st.integers(1, 2)), 4)
        self.ledger.do(RegisterPlayer(player=name, person=PERSON, rating=2000, entered_for=coming))
        if self.draw(st.booleans()):
            self.ledger.do(RequestBye(player=name, round=coming, kind=ByeKind.HALF_POINT))
        if self.draw(st.booleans()):
            self.ledger.do(ConfirmPresence(player=name))
        players = [player for player in self.ledger.state.players if player != name]
        self.ledger.do(FixNumbers(for_round=coming, players=(*players[:1], name, *players[1:])))

    def override(self) -> None:
        """Close the window of the round without waiting; what is undecided is adjourned."""
        self.ledger.do(CloseAppealWindow(round=self.round, override="the hall must be left"))


def without_closing(history: Sequence[Recorded]) -> list[Recorded]:
    """Return `history` as if the window of the last published round were open and the next one not sealed."""
    published = [entry.v for entry in history if isinstance(entry.fact, PairingPublished)]
    last = published[-1] if published else 0
    kept = [entry for entry in history if entry.v <= last or not isinstance(entry.fact, CLOSING)]
    return numbered(kept)


def numbered(history: Sequence[Recorded]) -> list[Recorded]:
    """Return the entries with versions 1, 2, 3 …; their hashes are not joined anew."""
    return [_numbered(entry, v) for v, entry in enumerate(history, start=1)]


def _numbered(entry: Recorded, v: int) -> Recorded:
    fact: AnyFact = entry.fact
    return Recorded(
        v=v,
        prev=entry.prev,
        at=entry.at,
        actor=entry.actor,
        cause=entry.cause,
        request=entry.request,
        reported_at=entry.reported_at,
        fact=fact,
    )
