"""The fold: prefix and rest make the whole, and a log that no decider wrote is refused by version."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.facts import ByeKind, GameResult, PlayerWithdrawn, ResultRecorded, ResultsPosted
from rules.commands import AnyCommand, CorrectResult, RequestBye, WithdrawPlayer
from rules.instants import instant
from rules.refusals import RuleViolation
from rules.state import ImpossibleHistory, evolve, replay
from tests.support.ledger import Ledger, started

PAIRS = (("p1", "p3"), ("p4", "p2"), ("p5", "p6"))


@st.composite
def ledgers(draw: st.DrawFn) -> Ledger:
    """Return two rounds of a small tournament with some of everything that may happen in between."""
    ledger = started(6, *PAIRS)
    results = draw(st.lists(st.sampled_from(list(GameResult)), min_size=3, max_size=3))
    ledger.record(1, *results)
    commands: list[AnyCommand] = [
        WithdrawPlayer(player="p6"),
        RequestBye(player="p2", round=2, kind=ByeKind.HALF_POINT),
        CorrectResult(
            round=1,
            board=1,
            white="p1",
            black="p3",
            was=results[0],
            result=GameResult.BOTH_LOSE,
            reason="both phones rang",
        ),
    ]
    for command in draw(st.lists(st.sampled_from(commands), max_size=3)):
        try:
            ledger.do(command)
        except RuleViolation:
            continue
    ledger.close(1)
    return ledger


@given(ledgers(), st.integers(0, 200))
def test_a_prefix_and_the_rest_make_the_whole(ledger: Ledger, cut: int) -> None:
    prefix = replay(ledger.history[:cut])
    whole = prefix
    for recorded in ledger.history[cut:]:
        whole = evolve(whole, recorded)

    assert whole == replay(ledger.history) == ledger.state
    assert prefix == replay(ledger.history[:cut]), "folding on leaves the state it began with as it was"


@pytest.mark.parametrize(
    "fact",
    [
        PlayerWithdrawn(player="nobody", from_round=1),
        ResultRecorded(round=1, board=9, white="p1", black="p3", result=GameResult.DRAW),
        ResultRecorded(round=2, board=1, white="p1", black="p3", result=GameResult.DRAW),
    ],
)
def test_a_fact_about_nobody_is_an_impossible_history(fact: ResultRecorded | PlayerWithdrawn) -> None:
    ledger = started(6, *PAIRS)

    with pytest.raises(ImpossibleHistory, match=f"entry {len(ledger.history) + 1} "):
        ledger._take(fact)


@pytest.mark.parametrize("at", ["soon", "2026-02-30T10:00:00Z"])
def test_an_entry_at_no_moment_is_an_impossible_history(at: str) -> None:
    ledger = started(6, *PAIRS)
    ledger._take(ResultsPosted(round=1, appeals_close="2026-10-05T20:00:00Z"))
    fact = ResultRecorded(round=1, board=3, white="p5", black="p6", result=GameResult.DRAW)
    entry = msgspec.structs.replace(ledger.history[-1], v=len(ledger.history) + 1, at=at, fact=fact)

    with pytest.raises(ImpossibleHistory, match=f"entry {entry.v} "):
        evolve(ledger.state, entry)


def test_the_same_log_gives_the_same_state_whatever_the_clock_says() -> None:
    ledger = started(6, *PAIRS)

    assert replay(ledger.history) == ledger.state
    assert instant(0) < ledger.state.at
