"""What a correction changes: the three rows of C.04.2 4.3, at their boundaries."""

from typing import Any

import pytest

from events.facts import CutoffMoved, Effect, GameResult, ResultCorrected
from rules.commands import CloseAppealWindow, CloseTournament, CorrectResult, PostResults
from rules.refusals import ConfirmationNeeded, ReportBeforeTheRecord
from tests.support.ledger import Ledger, started

ROUND_1 = (("p1", "p3"), ("p4", "p2"))
ROUND_2 = (("p2", "p1"), ("p3", "p4"))
ROUND_3 = (("p1", "p4"), ("p2", "p3"))

IMMEDIATE = Effect(pairing_from=2, standings_from=1, rating=True)
NEXT_PAIRING = Effect(pairing_from=3, standings_from=2, rating=True)
RATING_ONLY = Effect(rating=True)


def correct(
    ledger: Ledger, *, at: str, reported_at: str | None = None, round_: int = 1, confirmed: bool = False
) -> Effect:
    board = ledger.state.round(round_).boards[0]
    facts = ledger.do(
        CorrectResult(
            round=round_,
            board=1,
            white=board.white,
            black=board.black,
            was=GameResult.WHITE_WINS,
            result=GameResult.BLACK_WINS,
            reason="the slip says otherwise",
            confirmed_by="chief arbiter" if confirmed else None,
        ),
        at=at,
        reported_at=reported_at,
    )
    assert isinstance(facts[0], ResultCorrected)
    return facts[0].effect


def round_1_decided(**regulations: Any) -> Ledger:
    ledger = started(4, *ROUND_1, **regulations)
    ledger.record(1, "1-0", "0-1", at="2026-10-05T13:00:00Z")
    return ledger


def round_1_posted(**regulations: Any) -> Ledger:
    ledger = round_1_decided(**regulations)
    ledger.do(PostResults(round=1), at="2026-10-05T14:30:00Z")
    return ledger


def round_1_closed(**regulations: Any) -> Ledger:
    ledger = round_1_posted(**regulations)
    ledger.do(CloseAppealWindow(round=1), at="2026-10-05T15:00:01Z")
    return ledger


def round_2_published(**regulations: Any) -> Ledger:
    ledger = round_1_closed(**regulations)
    ledger.publish(2, *ROUND_2)
    return ledger


def round_2_ended() -> Ledger:
    ledger = round_2_published()
    ledger.record(2, "1-0", "0-1", at="2026-10-06T13:00:00Z")
    return ledger


def test_before_the_results_are_posted_a_correction_is_an_ordinary_one() -> None:
    assert correct(round_1_decided(), at="2026-10-05T14:00:00Z") == IMMEDIATE


def test_the_deadline_includes_the_whole_second_it_names() -> None:
    assert correct(round_1_posted(), at="2026-10-05T15:00:00.999Z") == IMMEDIATE


def test_one_second_after_the_deadline_the_correction_is_late() -> None:
    assert correct(round_1_posted(), at="2026-10-05T15:00:01Z") == NEXT_PAIRING


def test_the_announced_policy_can_fill_the_gap_of_the_rule() -> None:
    ledger = round_1_closed(late_report="until-published")

    assert correct(ledger, at="2026-10-05T16:00:00Z") == IMMEDIATE


def test_a_report_during_the_next_round_counts_from_the_one_after() -> None:
    assert correct(round_2_published(), at="2026-10-06T11:00:00Z") == NEXT_PAIRING


def test_a_report_after_the_next_round_changes_the_rating_report_alone() -> None:
    assert correct(round_2_ended(), at="2026-10-06T14:00:00Z") == RATING_ONLY


def test_a_report_at_the_moment_the_next_round_ended_is_too_late() -> None:
    ledger = round_2_ended()
    ended = ledger.state.round(2).ended_at
    assert ended is not None

    assert correct(ledger, at="2026-10-06T14:00:00Z", reported_at=ended) == RATING_ONLY


def test_a_timely_report_typed_after_the_close_needs_the_chief_arbiter() -> None:
    ledger = round_1_closed()

    with pytest.raises(ConfirmationNeeded):
        correct(ledger, at="2026-10-05T16:00:00Z", reported_at="2026-10-05T14:45:00Z")


def test_a_timely_report_typed_late_moves_the_cutoff_of_the_unpublished_round() -> None:
    ledger = round_1_closed()
    ledger.seal(2, *ROUND_2)

    effect = correct(ledger, at="2026-10-05T16:00:00Z", reported_at="2026-10-05T15:00:00Z", confirmed=True)

    assert effect == IMMEDIATE
    moved = ledger.history[-1].fact
    assert isinstance(moved, CutoffMoved)
    assert moved.cutoff == ledger.state.version - 1
    assert ledger.state.round(2).sealed is None


def test_a_late_report_does_not_move_the_cutoff() -> None:
    ledger = round_1_closed()
    cutoff = ledger.state.round(2).cutoff

    correct(ledger, at="2026-10-05T16:00:00Z")

    assert ledger.state.round(2).cutoff == cutoff


def test_a_timely_report_typed_after_publication_waits_for_the_next_pairing() -> None:
    ledger = round_2_published()

    effect = correct(ledger, at="2026-10-06T11:00:00Z", reported_at="2026-10-05T14:45:00Z", confirmed=True)

    assert effect == NEXT_PAIRING


def test_a_report_cannot_be_older_than_what_it_corrects() -> None:
    with pytest.raises(ReportBeforeTheRecord):
        correct(round_1_posted(), at="2026-10-05T14:40:00Z", reported_at="2026-10-05T12:59:59Z")


def test_a_report_typed_two_rounds_later_counts_in_the_next_pairing_made() -> None:
    ledger = round_2_ended()
    ledger.close(2)
    ledger.publish(3, *ROUND_3)

    effect = correct(ledger, at="2026-10-07T11:00:00Z", reported_at="2026-10-06T12:00:00Z", confirmed=True)

    assert effect == Effect(standings_from=2, rating=True), "round 3 is public, and it is the last"


def last_round() -> Ledger:
    ledger = round_2_ended()
    ledger.close(2)
    ledger.publish(3, *ROUND_3)
    ledger.record(3, "1-0", "1-0", at="2026-10-07T13:00:00Z")
    ledger.do(PostResults(round=3), at="2026-10-07T14:30:00Z")
    return ledger


@pytest.mark.parametrize(
    ("at", "effect"),
    [
        ("2026-10-07T18:00:00Z", Effect(standings_from=3, rating=True)),
        ("2026-10-07T18:00:01Z", RATING_ONLY),
    ],
)
def test_the_last_round_has_the_final_deadline_alone(at: str, effect: Effect) -> None:
    assert correct(last_round(), round_=3, at=at) == effect


def test_an_error_of_the_last_but_one_round_still_changes_the_final_standings() -> None:
    ledger = round_2_ended()
    ledger.close(2)
    ledger.publish(3, *ROUND_3)

    effect = correct(ledger, round_=2, at="2026-10-07T11:00:00Z")

    assert effect == Effect(standings_from=3, rating=True)


def adjourned_in_round_1() -> Ledger:
    """Return a tournament whose board 1 of round 1 has no result when the round is closed."""
    ledger = started(4, *ROUND_1)
    ledger.do(CloseAppealWindow(round=1, override="the hall closes"), at="2026-10-05T15:00:01Z")
    return ledger


def late_first_result(ledger: Ledger, at: str) -> None:
    ledger.record(1, "1-0", at=at)


def test_an_error_in_the_first_result_of_a_late_game_can_be_appealed_like_those_it_came_with() -> None:
    ledger = adjourned_in_round_1()
    ledger.publish(2, *ROUND_2)
    late_first_result(ledger, "2026-10-06T11:00:00Z")

    effect = correct(ledger, at="2026-10-06T11:05:00Z")

    assert effect == Effect(pairing_from=3, standings_from=1, rating=True)


def test_an_error_in_a_result_that_came_after_the_close_makes_the_unpublished_pairing_anew() -> None:
    ledger = adjourned_in_round_1()
    ledger.seal(2, *ROUND_2)
    late_first_result(ledger, "2026-10-05T16:00:00Z")

    effect = correct(ledger, at="2026-10-05T16:05:00Z")

    assert effect == IMMEDIATE
    assert ledger.state.round(2).sealed is None


def test_an_effect_never_tells_whether_a_window_is_closed() -> None:
    effects = []
    for closed in (True, False):
        ledger = adjourned_in_round_1()
        ledger.publish(2, *ROUND_2)
        ledger.record(2, "1-0", "0-1", at="2026-10-06T13:00:00Z")
        ledger.do(PostResults(round=2), at="2026-10-06T14:30:00Z")
        if closed:
            ledger.do(CloseAppealWindow(round=2), at="2026-10-06T15:00:01Z")
            ledger.seal(3, *ROUND_3)
        late_first_result(ledger, "2026-10-06T16:00:00Z")
        effects.append(correct(ledger, at="2026-10-06T16:05:00Z"))

    assert effects == [Effect(pairing_from=3, standings_from=1, rating=True)] * 2


def test_until_results_are_posted_a_correction_is_an_ordinary_one_also_after_an_override() -> None:
    ledger = round_1_decided()
    ledger.do(CloseAppealWindow(round=1, override="the hall closes"), at="2026-10-05T13:30:00Z")
    ledger.seal(2, *ROUND_2)

    assert correct(ledger, at="2026-10-05T15:30:00Z") == IMMEDIATE
    assert ledger.state.round(2).sealed is None


def test_who_confirms_what_needs_no_confirmation_is_not_noted() -> None:
    ledger = round_1_posted()

    correct(ledger, at="2026-10-05T14:45:00Z", confirmed=True)

    fact = ledger.history[-1].fact
    assert isinstance(fact, ResultCorrected)
    assert fact.confirmed_by is None


def test_the_deadlines_of_a_late_first_result_are_those_of_the_round_it_came_in() -> None:
    ledger = adjourned_in_round_1()
    ledger.publish(2, *ROUND_2)
    late_first_result(ledger, "2026-10-06T11:00:00Z")
    ledger.record(2, "1-0", "0-1", at="2026-10-06T13:00:00Z")
    ledger.close(2)

    effect = correct(ledger, at="2026-10-06T16:00:00Z")

    assert effect == Effect(standings_from=3, rating=True), "late for round 3, and no round 4 is paired"


def test_a_first_result_after_the_final_deadline_can_be_corrected_until_the_end() -> None:
    ledger = round_2_ended()
    ledger.close(2)
    ledger.publish(3, *ROUND_3)
    ledger.do(CloseAppealWindow(round=3, override="the hall closes"), at="2026-10-07T18:00:01Z")
    ledger.record(3, "1-0", "1-0", at="2026-10-07T19:00:00Z")

    assert correct(ledger, round_=3, at="2026-10-07T19:05:00Z") == Effect(standings_from=3, rating=True)
    ledger.do(CloseTournament())
    assert swap_back(ledger) == RATING_ONLY


def swap_back(ledger: Ledger) -> Effect:
    board = ledger.state.round(3).boards[0]
    (fact,) = ledger.do(
        CorrectResult(
            round=3,
            board=1,
            white=board.white,
            black=board.black,
            was=GameResult.BLACK_WINS,
            result=GameResult.WHITE_WINS,
            reason="it was right before",
        )
    )
    assert isinstance(fact, ResultCorrected)
    return fact.effect
