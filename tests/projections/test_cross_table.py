"""The cross table: rows in the order of the standings, cells that show what these count."""

from events.facts import ByeKind, Scoring
from rules.commands import CloseAppealWindow, FixNumbers, RegisterPlayer, RequestBye, WithdrawPlayer
from tests.projections.scenes import PAIRS, correct, played, view
from tests.support.ledger import PERSON, ready, started


def test_a_row_names_opponents_by_their_rows() -> None:
    ledger = played(1)

    assert view(ledger, "cross-table") == [
        {
            "rank": 1,
            "player": "p1",
            "points": 10,
            "cells": [{"opponent": 4, "colour": "w", "score": "1", "points": 10}],
        },
        {
            "rank": 2,
            "player": "p4",
            "points": 10,
            "cells": [{"opponent": 3, "colour": "w", "score": "1", "points": 10}],
        },
        {"rank": 3, "player": "p2", "points": 0, "cells": [{"opponent": 2, "colour": "b", "score": "0"}]},
        {"rank": 4, "player": "p3", "points": 0, "cells": [{"opponent": 1, "colour": "b", "score": "0"}]},
    ]


def test_a_game_without_a_result_shows_opponent_and_colour_alone() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])

    assert view(ledger, "cross-table")[0]["cells"][1] == {"opponent": 3, "colour": "b"}


def test_forfeits_and_odd_results_show_as_they_are() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "+/-", "1/2-0")

    cells = {row["player"]: row["cells"][0] for row in view(ledger, "cross-table")}

    assert {player: cell["score"] for player, cell in cells.items()} == {
        "p1": "+",
        "p3": "-",
        "p4": "½",
        "p2": "0",
    }


def test_byes_show_what_they_are_worth_once_their_round_counts_and_absence_nothing() -> None:
    ledger = ready(5, rounds=2)
    ledger.do(RegisterPlayer(player="later", person=PERSON, entered_for=2))
    ledger.do(RequestBye(player="p4", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(RequestBye(player="p5", round=1, kind=ByeKind.ZERO_POINT))
    ledger.do(FixNumbers(for_round=1, players=("p1", "p2", "p3", "p4", "p5", "later")))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"), pab="p3")
    before = {row["player"]: row["cells"][0] for row in view(ledger, "cross-table")}

    ledger.record(1, "1-0")

    cells = {row["player"]: row["cells"][0] for row in view(ledger, "cross-table")}
    assert before["p3"] == {"bye": "allocated"}
    assert cells["p3"] == {"bye": "allocated", "score": "1", "points": 10}
    assert cells["p4"] == {"bye": "half", "score": "½", "points": 5}
    assert cells["p5"] == {"bye": "zero", "score": "0"}
    assert "later" not in cells


def test_who_has_missed_a_round_has_an_empty_cell() -> None:
    ledger = played(1, of=2)
    ledger.do(WithdrawPlayer(player="p3"))

    ledger.publish(2, ("p1", "p4"), pab="p2")

    row = next(row for row in view(ledger, "cross-table") if row["player"] == "p3")
    assert row["cells"][1] == {}


def test_points_for_absence_stand_in_the_cell_once_the_round_counts() -> None:
    ledger = played(1, of=2, scoring=Scoring(zero_point_bye=1))
    ledger.do(WithdrawPlayer(player="p3"))
    ledger.publish(2, ("p1", "p4"), pab="p2")
    before = next(row for row in view(ledger, "cross-table") if row["player"] == "p3")

    ledger.record(2, "1-0")

    after = next(row for row in view(ledger, "cross-table") if row["player"] == "p3")
    assert (before["points"], before["cells"][1]) == (0, {})
    assert (after["points"], after["cells"][1]) == (1, {"points": 1})


def test_a_correction_that_does_not_count_leaves_the_cell_as_it_was() -> None:
    ledger = played(2)

    correct(ledger, 1, 1, "0-1")

    row = next(row for row in view(ledger, "cross-table") if row["player"] == "p1")
    assert row["cells"][0]["score"] == "1"
    assert view(ledger, "boards:1")["boards"][0]["result"] == "0-1"
