"""Integrity entries: every departure is shown, and none before it may be."""

from events.facts import ByeKind
from rules.commands import CloseAppealWindow, CloseTournament, ReportDispute, RequestBye
from tests.projections.scenes import PAIRS, correct, played, view
from tests.support.ledger import ready, started

REASON = "the hall must be left"


def test_a_plain_tournament_has_none() -> None:
    assert view(played(3), "integrity") == []


def test_a_correction_in_its_window_is_none() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0", "1-0")

    correct(ledger, 1, 1, "0-1")

    assert view(ledger, "integrity") == []


def test_a_correction_after_its_window_is_shown_at_once() -> None:
    ledger = played(1)

    correct(ledger, 1, 1, "0-1", at="2026-10-05T16:00:00Z")

    assert view(ledger, "integrity") == [
        {
            "kind": "late-correction",
            "round": 1,
            "board": 1,
            "at": "2026-10-05T16:00:00Z",
            "reason": "slip misread",
        }
    ]


def test_a_correction_after_its_window_is_one_also_where_the_policy_lets_it_count() -> None:
    ledger = played(1, late_report="until-published")

    correct(ledger, 1, 1, "0-1")

    assert view(ledger, "boards:1")["boards"][0]["corrections"][0]["label"] == "immediate"
    assert [entry["kind"] for entry in view(ledger, "integrity")] == ["late-correction"]


def test_an_overridden_close_is_shown_with_the_next_pairing() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0", "1-0")
    ledger.do(CloseAppealWindow(round=1, override=REASON), at="2026-10-05T13:00:00Z")
    assert view(ledger, "integrity") == []

    ledger.publish(2, *PAIRS[2])

    assert view(ledger, "integrity") == [
        {"kind": "window-overridden", "round": 1, "at": "2026-10-05T13:00:00Z", "reason": REASON}
    ]


def test_an_overridden_close_of_the_last_round_is_shown_at_once() -> None:
    ledger = started(4, *PAIRS[1], rounds=1)
    ledger.record(1, "1-0", "1-0")

    ledger.do(CloseAppealWindow(round=1, override=REASON))

    assert [entry["kind"] for entry in view(ledger, "integrity")] == ["window-overridden"]


def test_an_overridden_close_of_the_entries_is_shown_with_round_1() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0, override="an hour early"))
    assert view(ledger, "integrity") == []

    ledger.publish(1, *PAIRS[1])

    assert [(entry["kind"], entry["round"]) for entry in view(ledger, "integrity")] == [
        ("window-overridden", 0)
    ]


def test_a_timely_report_recorded_late_is_shown_with_the_pairing_that_was_made_anew() -> None:
    ledger = played(1)
    correct(
        ledger, 1, 1, "0-1", reported_at="2026-10-05T14:59:00Z", confirmed_by="chief arbiter"
    )  # its window is closed
    assert view(ledger, "boards:1")["boards"][0]["result"] == "0-1"
    assert view(ledger, "integrity") == []

    ledger.publish(2, *PAIRS[2])

    late, moved = view(ledger, "integrity")
    assert (late["kind"], late["round"], late["board"], late["confirmed_by"]) == (
        "late-record",
        1,
        1,
        "chief arbiter",
    )
    assert (moved["kind"], moved["round"], moved["reason"]) == (
        "cutoff-moved",
        2,
        "correction of board 1 of round 1",
    )


def test_a_pairing_that_was_not_confirmed_is_shown_with_the_pairing_that_was() -> None:
    ledger = played(1)
    paired = ledger.state.round(2)
    assert paired.cutoff is not None
    ledger.do(
        ReportDispute(
            round=2,
            attempt=1,
            cutoff=paired.cutoff,
            head=paired.cutoff_head,
            system="fide-dutch@2026",
            engine="another",
            input="00" * 32,
            detail="board 2: p3 against p4",
        )
    )
    assert view(ledger, "integrity") == []

    ledger.publish(2, *PAIRS[2])

    [entry] = view(ledger, "integrity")
    assert (entry["kind"], entry["round"], entry["reason"]) == (
        "pairing-disputed",
        2,
        "board 2: p3 against p4",
    )


def test_a_late_correction_that_nobody_could_see_is_shown_with_the_results() -> None:
    ledger = started(4, *PAIRS[1], rounds=1, results_public="at_posting")
    ledger.record(1, "1-0", "1-0")
    ledger.do(CloseAppealWindow(round=1, override=REASON))
    correct(ledger, 1, 1, "0-1", at="2026-10-05T18:00:01Z")  # after the final deadline
    assert [entry["kind"] for entry in view(ledger, "integrity")] == ["window-overridden"]

    ledger.do(CloseTournament())

    assert [entry["kind"] for entry in view(ledger, "integrity")] == ["window-overridden", "late-correction"]
    assert view(ledger, "boards:1")["boards"][0]["corrections"][0]["label"] == "rating_only"


def test_a_bye_requested_after_the_close_is_shown_with_the_pairing() -> None:
    ledger = played(1)
    ledger.do(RequestBye(player="p1", round=2, kind=ByeKind.HALF_POINT))
    assert view(ledger, "integrity") == []

    ledger.publish(2, ("p2", "p3"), pab="p4")

    assert [entry["reason"] for entry in view(ledger, "integrity")] == ["bye of player p1"]
