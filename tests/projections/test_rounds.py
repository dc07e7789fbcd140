"""Boards: what stands on them, what became of a corrected result, who sits out."""

from events.facts import ByeKind, GameResult
from projections import project
from rules.commands import (
    CloseAppealWindow,
    CloseTournament,
    ConfirmPresence,
    FixNumbers,
    PostResults,
    RecordResult,
    RegisterPlayer,
    RequestBye,
    WithdrawPlayer,
)
from tests.projections.folding import folded
from tests.projections.scenes import PAIRS, correct, played, view
from tests.support.ledger import PERSON, Ledger, ready, started


def test_a_published_board_shows_players_numbers_and_the_points_before_the_round() -> None:
    ledger = played(1)

    ledger.publish(2, *PAIRS[2])

    assert view(ledger, "boards:2") == {
        "round": 2,
        "boards": [
            {
                "board": 1,
                "white": "p2",
                "black": "p1",
                "white_number": 2,
                "black_number": 1,
                "white_points": 0,
                "black_points": 10,
            },
            {
                "board": 2,
                "white": "p3",
                "black": "p4",
                "white_number": 3,
                "black_number": 4,
                "white_points": 0,
                "black_points": 10,
            },
        ],
    }


def test_a_result_comes_with_the_revision_that_a_correction_must_name() -> None:
    ledger = started(4, *PAIRS[1])

    ledger.do(
        RecordResult(round=1, board=2, white="p4", black="p2", result=GameResult.WHITE_WINS, rated=False)
    )

    _, board = view(ledger, "boards:1")["boards"]
    assert (board["result"], board["revision"], board["rated"]) == ("1-0", 1, False)


def test_a_corrected_board_says_what_stood_there_and_from_where_the_right_result_counts() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])

    correct(ledger, 1, 1, "0-1", at="2026-10-06T10:00:00Z", reported_at="2026-10-06T09:30:00Z")

    board, other = view(ledger, "boards:1")["boards"]
    assert (board["result"], board["revision"]) == ("0-1", 2)
    assert board["corrections"] == [
        {
            "was": "1-0",
            "result": "0-1",
            "revision": 2,
            "label": "next_pairing",
            "standings_from": 2,
            "pairing_from": 3,
            "reported_at": "2026-10-06T09:30:00Z",
            "reason": "slip misread",
        }
    ]
    assert "corrections" not in other


def test_the_three_labels_are_those_of_the_rule() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0", "1-0")
    correct(ledger, 1, 1, "1/2-1/2")
    ledger.close(1)
    ledger.publish(2, *PAIRS[2])
    correct(ledger, 1, 1, "0-1")
    ledger.record(2, "1-0", "1-0")
    correct(ledger, 1, 1, "0-0")

    board = view(ledger, "boards:1")["boards"][0]
    assert [(one["label"], one.get("standings_from")) for one in board["corrections"]] == [
        ("immediate", 1),
        ("next_pairing", 2),
        ("rating_only", None),
    ]
    assert (board["result"], board["revision"]) == ("0-0", 4)


def test_a_change_of_the_rated_mark_alone_is_a_correction_like_others() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0")

    correct(ledger, 1, 1, "1-0", rated=False)

    board = view(ledger, "boards:1")["boards"][0]
    assert board["rated"] is False
    assert [(one["was"], one["result"], one["rated"]) for one in board["corrections"]] == [
        ("1-0", "1-0", False)
    ]


def test_old_rounds_keep_the_numbers_they_were_paired_with() -> None:
    ledger = started(2, ("p1", "p2"), rounds=2)
    ledger.do(RegisterPlayer(player="late", person=PERSON, entered_for=2))
    ledger.do(ConfirmPresence(player="late"))
    ledger.do(FixNumbers(for_round=2, players=("p1", "late", "p2")))
    ledger.record(1, "1-0")
    ledger.close(1)

    ledger.publish(2, ("late", "p2"), pab="p1")

    first, second = (view(ledger, f"boards:{round_}")["boards"][0] for round_ in (1, 2))
    assert (first["black"], first["black_number"]) == ("p2", 2)
    assert (second["black"], second["black_number"]) == ("p2", 3)


def test_byes_stand_by_number_after_the_allocated_one_and_without_those_who_have_left() -> None:
    ledger = ready(7)
    for player, kind in (
        ("p6", ByeKind.ZERO_POINT),
        ("p2", ByeKind.HALF_POINT),
        ("p4", ByeKind.FULL_POINT),
        ("p5", ByeKind.HALF_POINT),
    ):
        ledger.do(RequestBye(player=player, round=1, kind=kind))
    ledger.do(WithdrawPlayer(player="p5"))
    ledger.do(CloseAppealWindow(round=0))

    ledger.publish(1, ("p1", "p3"), pab="p7")

    assert view(ledger, "boards:1")["byes"] == [
        {"player": "p7", "kind": "allocated"},
        {"player": "p2", "kind": "half"},
        {"player": "p4", "kind": "full"},
        {"player": "p6", "kind": "zero"},
    ]


def test_a_requested_bye_is_seen_with_the_pairing_of_its_round() -> None:
    ledger = played(1)
    before = folded(ledger.history)

    ledger.do(RequestBye(player="p1", round=2, kind=ByeKind.HALF_POINT))

    after = folded(ledger.history)
    assert after.rounds[0] is not None
    assert (after.rounds, after.departures) == (before.rounds, before.departures)
    ledger.publish(2, ("p2", "p3"), pab="p4")
    assert view(ledger, "boards:2")["byes"][1] == {"player": "p1", "kind": "half"}


def test_a_bye_of_somebody_who_comes_later_counts_from_then_on() -> None:
    ledger = _with_an_absent_player()
    assert "byes" not in view(ledger, "boards:1")

    ledger.do(ConfirmPresence(player="later"))

    assert view(ledger, "boards:1")["byes"] == [{"player": "later", "kind": "half"}]


def _with_an_absent_player() -> Ledger:
    ledger = ready(2)
    ledger.do(RegisterPlayer(player="later", person=PERSON))
    ledger.do(RequestBye(player="later", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(FixNumbers(for_round=1, players=("p1", "p2", "later")))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"))
    return ledger


def test_a_game_that_was_adjourned_by_an_override_shows_so_with_the_next_pairing() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="the hall must be left"))
    assert "adjourned" not in view(ledger, "boards:1")["boards"][1]

    ledger.publish(2, *PAIRS[2])

    boards = view(ledger, "boards:1")
    assert (boards["boards"][1]["adjourned"], boards["ended"]) == (True, True)
    assert view(ledger, "boards:2")["boards"][0]["white_points"] == 5  # p2: a draw, for pairing only


def test_an_adjourned_game_is_adjourned_no_more_when_it_has_a_result() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="the hall must be left"))
    ledger.publish(2, *PAIRS[2])

    ledger.do(RecordResult(round=1, board=2, white="p4", black="p2", result=GameResult.DRAW))

    board = view(ledger, "boards:1")["boards"][1]
    assert (board["result"], board["revision"], "adjourned" in board) == ("1/2-1/2", 1, False)


def test_a_game_of_the_last_round_shows_at_once_that_it_is_adjourned() -> None:
    ledger = started(4, *PAIRS[1], rounds=1)
    ledger.record(1, "1-0")

    ledger.do(CloseAppealWindow(round=1, override="the hall must be left"))

    assert view(ledger, "boards:1")["boards"][1]["adjourned"] is True


def test_results_that_are_public_at_posting_show_at_the_posting_all_at_once() -> None:
    ledger = started(4, *PAIRS[1], results_public="at_posting")
    published = view(ledger, "boards:1")
    ledger.record(1, "1-0", "1-0")
    correct(ledger, 1, 1, "0-1")
    assert view(ledger, "boards:1") == published

    ledger.do(PostResults(round=1), at="2026-10-05T14:30:00Z")

    boards = view(ledger, "boards:1")
    assert [(board["result"], board["revision"]) for board in boards["boards"]] == [("0-1", 2), ("1-0", 1)]
    assert (boards["ended"], boards["appeals_close"]) == (True, "2026-10-05T15:00:00Z")
    assert "corrections" not in boards["boards"][0], "an error that nobody saw and that counted nowhere"


def test_an_error_of_the_last_round_that_nobody_saw_leaves_no_trace_either() -> None:
    ledger = started(4, *PAIRS[1], rounds=1, results_public="at_posting")
    ledger.record(1, "1-0", "1-0")
    correct(ledger, 1, 1, "0-1")

    ledger.do(PostResults(round=1), at="2026-10-05T14:30:00Z")

    board = view(ledger, "boards:1")["boards"][0]
    assert (board["result"], board["revision"], "corrections" in board) == ("0-1", 2, False)


def test_results_that_were_never_posted_show_with_the_next_pairing() -> None:
    ledger = started(4, *PAIRS[1], results_public="at_posting")
    ledger.record(1, "1-0", "1-0")
    ledger.do(CloseAppealWindow(round=1, override="no printer"))
    correct(ledger, 1, 2, "0-1")  # after the close: nothing is posted, so round 2 is paired anew
    assert "result" not in view(ledger, "boards:1")["boards"][0]

    ledger.publish(2, *PAIRS[2])

    first, second = view(ledger, "boards:1")["boards"]
    assert (first["result"], second["result"]) == ("1-0", "0-1")
    assert (second["revision"], "corrections" in second) == (2, False), "nobody saw the wrong one"


def test_results_of_a_last_round_that_was_never_posted_show_at_the_end() -> None:
    ledger = started(4, *PAIRS[1], rounds=1, results_public="at_posting")
    ledger.record(1, "1-0", "1-0")
    ledger.do(CloseAppealWindow(round=1, override="no printer"))
    assert "result" not in view(ledger, "boards:1")["boards"][0]

    ledger.do(CloseTournament())

    assert view(ledger, "boards:1")["boards"][0]["result"] == "1-0"


def test_a_round_in_which_nothing_new_is_to_be_seen_stays_the_same_object() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])
    known = folded(ledger.history)
    seen = len(ledger.history)

    ledger.record(2, "1-0", "1-0")

    for entry in ledger.history[seen:]:
        after = project(known, entry)
        assert after.rounds[0] is known.rounds[0]
        known = after


def test_a_result_that_may_not_be_seen_and_the_next_pairing_change_nothing_either() -> None:
    ledger = played(1, results_public="at_posting")
    first = folded(ledger.history).rounds[0]
    ledger.publish(2, *PAIRS[2])
    known = folded(ledger.history)
    seen = len(ledger.history)

    ledger.record(2, "1-0", "1-0")

    after = folded(ledger.history[seen:], known)
    assert known.rounds[0] == first
    assert after.rounds[0] is known.rounds[0]
    assert after.rounds[1] is known.rounds[1]


def test_the_next_pairing_leaves_a_round_alone_of_which_all_was_known() -> None:
    ledger = played(1)
    known = folded(ledger.history)
    seen = len(ledger.history)

    ledger.publish(2, *PAIRS[2])

    assert folded(ledger.history[seen:], known).rounds[0] is known.rounds[0]
