"""Standings: who is in them, in which order, and from when they count a correction (C.04.2 4.3)."""

from events.facts import ByeKind, GameResult, Scoring
from rules.commands import (
    CloseAppealWindow,
    CloseTournament,
    ConfirmPresence,
    FixNumbers,
    RecordResult,
    RegisterPlayer,
    RequestBye,
    WithdrawPlayer,
)
from tests.projections.scenes import PAIRS, correct, played, points, view
from tests.support.ledger import PERSON, ready, started

WON = {"p1": 10, "p4": 10, "p2": 0, "p3": 0}  # after round 1 of `played`


def test_points_decide_and_then_the_number() -> None:
    ledger = played(1)

    assert view(ledger, "standings") == {
        "after_round": 1,
        "rows": [
            {"rank": 1, "player": "p1", "points": 10},
            {"rank": 2, "player": "p4", "points": 10},
            {"rank": 3, "player": "p2", "points": 0},
            {"rank": 4, "player": "p3", "points": 0},
        ],
    }


def test_they_are_those_after_a_round_as_soon_as_one_of_its_results_is_public() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])
    assert view(ledger, "standings")["after_round"] == 1

    ledger.record(2, "1/2-1/2")

    standings = view(ledger, "standings")
    assert (standings["after_round"], standings["pending"]) == (2, 1)


def test_a_correction_in_its_window_counts_at_once() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0", "1-0")

    correct(ledger, 1, 1, "0-1")

    assert points(ledger) == {"p3": 10, "p4": 10, "p1": 0, "p2": 0}


def test_a_correction_in_the_next_round_counts_in_the_standings_after_that_round() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])

    correct(ledger, 1, 1, "0-1")

    assert points(ledger) == WON
    ledger.record(2, "1-0")  # p2 beats p1
    assert points(ledger) == {"p3": 10, "p4": 10, "p2": 10, "p1": 0}


def test_a_correction_after_the_next_round_never_counts() -> None:
    ledger = played(2)

    correct(ledger, 1, 1, "0-1")

    wrong = {"p1": 10, "p2": 10, "p3": 10, "p4": 10}
    assert points(ledger) == wrong
    ledger.publish(3, *PAIRS[3])
    ledger.record(3, "1/2-1/2", "1/2-1/2")
    ledger.close(3)
    ledger.do(CloseTournament())
    assert points(ledger) == dict.fromkeys(wrong, 15)


def test_a_correction_of_the_last_but_one_round_during_the_last_changes_the_final_standings() -> None:
    ledger = played(1, of=2)
    ledger.publish(2, *PAIRS[2])
    correct(ledger, 1, 1, "0-1")

    ledger.record(2, "1/2-1/2", "1/2-1/2")
    ledger.close(2)
    ledger.do(CloseTournament())

    assert points(ledger) == {"p3": 15, "p4": 15, "p1": 5, "p2": 5}


def test_the_last_round_has_one_deadline_the_final_one() -> None:
    ledger = started(4, *PAIRS[1], rounds=1)
    ledger.record(1, "1-0", "1-0", at="2026-10-05T14:00:00Z")
    correct(ledger, 1, 1, "1/2-1/2", at="2026-10-05T18:00:00Z")
    ledger.close(1)

    correct(ledger, 1, 2, "0-1")

    assert points(ledger) == {"p4": 10, "p1": 5, "p3": 5, "p2": 0}
    ledger.do(CloseTournament())
    assert points(ledger) == {"p4": 10, "p1": 5, "p3": 5, "p2": 0}


def test_of_two_corrections_the_later_one_that_counts_decides() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])
    correct(ledger, 1, 1, "0-1")
    ledger.record(2, "1/2-1/2", "1/2-1/2")  # and so the round ends

    correct(ledger, 1, 1, "1/2-1/2")

    assert points(ledger) == {"p4": 15, "p3": 15, "p1": 5, "p2": 5}


def test_a_timely_report_that_was_recorded_late_counts_at_once() -> None:
    ledger = played(1)

    correct(ledger, 1, 1, "0-1", reported_at="2026-10-05T14:59:00Z", confirmed_by="chief arbiter")

    assert points(ledger) == {"p3": 10, "p4": 10, "p1": 0, "p2": 0}


def test_an_adjourned_game_counts_nothing_until_it_has_a_result_and_then_at_once() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="the hall must be left"))
    ledger.publish(2, *PAIRS[2])
    assert (points(ledger)["p4"], view(ledger, "standings")["pending"]) == (0, 1)

    ledger.do(RecordResult(round=1, board=2, white="p4", black="p2", result=GameResult.WHITE_WINS))

    assert points(ledger) == WON


def test_a_round_of_adjourned_games_alone_is_over_when_the_next_one_is_published() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.do(CloseAppealWindow(round=1, override="no lights"))
    assert view(ledger, "standings")["after_round"] == 0

    ledger.publish(2, *PAIRS[2])

    assert (view(ledger, "standings")["after_round"], view(ledger, "standings")["pending"]) == (1, 2)


def test_before_round_1_they_list_everybody_who_has_not_left() -> None:
    ledger = ready(3)
    ledger.do(WithdrawPlayer(player="p2"))

    assert view(ledger, "standings") == {
        "after_round": 0,
        "rows": [{"rank": 1, "player": "p1", "points": 0}, {"rank": 2, "player": "p3", "points": 0}],
    }


def test_they_keep_whoever_has_taken_part_and_leave_out_who_never_came() -> None:
    ledger = ready(4)
    ledger.do(RegisterPlayer(player="late", person=PERSON, entered_for=2))
    ledger.do(RegisterPlayer(player="never", person=PERSON))
    ledger.do(FixNumbers(for_round=1, players=("p1", "p2", "p3", "p4", "late", "never")))
    ledger.do(RequestBye(player="p4", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"), pab="p3")
    ledger.do(WithdrawPlayer(player="p1"))

    ledger.record(1, "1-0")

    assert points(ledger) == {"p1": 10, "p3": 10, "p4": 5, "p2": 0}


def test_a_late_entry_scores_for_missed_rounds_what_the_regulations_give() -> None:
    ledger = started(2, ("p1", "p2"), rounds=2, scoring=Scoring(zero_point_bye=1))
    ledger.do(RegisterPlayer(player="late", person=PERSON, entered_for=2))
    ledger.do(ConfirmPresence(player="late"))
    ledger.do(FixNumbers(for_round=2, players=("late", "p1", "p2")))
    ledger.record(1, "1-0")
    ledger.close(1)
    assert "late" not in points(ledger)

    ledger.publish(2, ("late", "p1"), pab="p2")

    assert points(ledger) == {"p1": 10, "late": 1, "p2": 0}


def test_equal_points_stand_by_the_numbers_of_the_last_published_round() -> None:
    ledger = started(2, ("p1", "p2"), rounds=2)
    ledger.record(1, "1/2-1/2")
    ledger.do(FixNumbers(for_round=2, players=("p2", "p1")))
    ledger.close(1)
    assert list(points(ledger)) == ["p1", "p2"]

    ledger.publish(2, ("p2", "p1"))

    assert list(points(ledger)) == ["p2", "p1"]


def test_a_round_of_byes_alone_is_over_when_it_is_published() -> None:
    ledger = ready(2)
    ledger.do(RequestBye(player="p2", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(CloseAppealWindow(round=0))

    ledger.publish(1, pab="p1")

    assert view(ledger, "standings")["after_round"] == 1
    assert points(ledger) == {"p1": 10, "p2": 5}
