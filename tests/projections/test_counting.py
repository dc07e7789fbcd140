"""Points before a round: as its pairing counted them, whatever comes later."""

from events.facts import GameResult
from rules.commands import CloseAppealWindow, RecordResult
from tests.projections.scenes import PAIRS, correct, played, view
from tests.support.ledger import Ledger, started


def before_round(ledger: Ledger, round_: int) -> dict[str, int]:
    """Return the points that the boards of a round show."""
    games = view(ledger, f"boards:{round_}")["boards"]
    return {game[side]: game[f"{side}_points"] for game in games for side in ("white", "black")}


def test_a_correction_counts_from_the_pairing_that_its_effect_names() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])
    correct(ledger, 1, 1, "0-1")
    ledger.record(2, "1-0", "1-0")
    ledger.close(2)

    ledger.publish(3, *PAIRS[3])

    assert before_round(ledger, 2) == {"p1": 10, "p4": 10, "p2": 0, "p3": 0}
    assert before_round(ledger, 3) == {"p3": 20, "p4": 10, "p2": 10, "p1": 0}


def test_a_correction_between_close_and_publication_does_not_count_in_that_pairing() -> None:
    ledger = played(1)
    correct(ledger, 1, 1, "0-1")

    ledger.publish(2, *PAIRS[2])

    assert before_round(ledger, 2) == {"p1": 10, "p4": 10, "p2": 0, "p3": 0}


def test_a_timely_report_recorded_late_counts_in_the_pairing_that_is_made_anew() -> None:
    ledger = played(1)
    correct(ledger, 1, 1, "0-1", reported_at="2026-10-05T14:59:00Z", confirmed_by="chief arbiter")

    ledger.publish(2, *PAIRS[2])

    assert before_round(ledger, 2) == {"p3": 10, "p4": 10, "p1": 0, "p2": 0}


def test_the_last_of_several_corrections_in_time_counts() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0", "1-0")
    correct(ledger, 1, 1, "0-1")
    correct(ledger, 1, 1, "1/2-1/2")
    ledger.close(1)

    ledger.publish(2, *PAIRS[2])

    assert before_round(ledger, 2) == {"p4": 10, "p1": 5, "p3": 5, "p2": 0}


def test_a_result_that_came_after_the_close_is_a_draw_for_that_pairing_and_itself_for_the_next() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="the hall must be left"))
    ledger.do(RecordResult(round=1, board=2, white="p4", black="p2", result=GameResult.BLACK_WINS))
    ledger.publish(2, *PAIRS[2])
    ledger.record(2, "1/2-1/2", "1/2-1/2")
    ledger.close(2)

    ledger.publish(3, *PAIRS[3])

    assert before_round(ledger, 2) == {"p1": 10, "p4": 5, "p2": 5, "p3": 0}
    assert before_round(ledger, 3) == {"p1": 15, "p2": 15, "p3": 5, "p4": 5}
