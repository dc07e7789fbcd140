"""Public messages: what is told, in which order, and what is not."""

import pytest

from events.facts import ByeKind, GameResult
from projections import Known, messages, project
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
from tests.projections.folding import folded, told
from tests.projections.scenes import PAIRS, correct, kinds, last_told, played
from tests.support.ledger import PERSON, ready, started


def test_a_plain_tournament_is_told_from_beginning_to_end() -> None:
    ledger = started(2, ("p1", "p2"), rounds=1)
    ledger.record(1, "1-0")
    ledger.close(1)
    ledger.do(CloseTournament())

    assert kinds(told(ledger.history)) == [
        "tournament-announced",
        "timetable-set",
        "lots-drawn",
        *("player-registered", "presence-confirmed") * 2,
        "numbers-assigned",
        "round-published",
        "result-recorded",
        "round-ended",
        "results-posted",
        "tournament-closed",
    ]


def test_a_message_has_the_time_of_the_entry_that_made_it_public() -> None:
    ledger = started(4, *PAIRS[1], results_public="at_posting")
    ledger.record(1, "1-0", "1-0", at="2026-10-05T12:00:00Z")
    before = len(told(ledger.history))

    ledger.do(PostResults(round=1), at="2026-10-05T14:30:00Z")

    stream = told(ledger.history)[before:]
    assert kinds(stream) == ["result-recorded", "result-recorded", "round-ended", "results-posted"]
    assert {one.at for one in stream} == {"2026-10-05T14:30:00Z"}
    assert [one.message.board for one in stream[:2]] == [1, 2]  # type: ignore[union-attr]


def test_a_correction_is_told_with_its_effect_and_then_as_a_departure() -> None:
    ledger = played(1)
    ledger.publish(2, *PAIRS[2])

    correct(ledger, 1, 1, "0-1")

    corrected, departure = last_told(ledger, 2)
    assert (corrected["type"], corrected["round"], corrected["board"]) == ("result-corrected", 1, 1)
    assert (corrected["correction"]["label"], corrected["correction"]["standings_from"]) == (
        "next_pairing",
        2,
    )
    assert departure["departure"]["kind"] == "late-correction"


def test_what_an_override_hid_is_told_before_the_pairing_that_shows_it() -> None:
    ledger = started(4, *PAIRS[1], results_public="at_posting")
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="the hall must be left"))
    correct(ledger, 1, 1, "0-1")  # after the close
    silent = len(told(ledger.history))
    assert kinds(told(ledger.history))[-1] == "round-published"

    ledger.publish(2, *PAIRS[2])

    stream = told(ledger.history)[silent:]
    assert kinds(stream) == [
        "result-recorded",
        "game-adjourned",
        "round-ended",
        "integrity-entry",
        "integrity-entry",
        "round-published",
    ]
    first = stream[0].message
    assert (first.result, first.revision) == ("0-1", 2)  # type: ignore[union-attr]


def test_a_first_result_is_told_as_it_was_first_also_whether_it_was_rated() -> None:
    ledger = started(2, ("p1", "p2"), rounds=1, results_public="at_posting")
    draw = RecordResult(round=1, board=1, white="p1", black="p2", result=GameResult.DRAW, rated=False)
    ledger.do(draw)
    ledger.do(CloseAppealWindow(round=1, override="no printer"))
    correct(ledger, 1, 1, "1-0", at="2026-10-05T18:00:01Z")  # after the final deadline

    ledger.do(CloseTournament())

    first = next(one for one in last_told(ledger, 6) if one["type"] == "result-recorded")
    assert (first["result"], first["rated"]) == ("1/2-1/2", False)


def test_new_numbers_are_told_before_the_round_they_belong_to() -> None:
    ledger = started(2, ("p1", "p2"), rounds=2)
    ledger.do(RegisterPlayer(player="late", person=PERSON, entered_for=2))
    ledger.do(ConfirmPresence(player="late"))
    ledger.do(FixNumbers(for_round=2, players=("late", "p1", "p2")))
    ledger.record(1, "1-0")
    ledger.close(1)

    ledger.publish(2, ("late", "p1"), pab="p2")

    numbers, published = last_told(ledger, 2)
    assert (numbers["type"], numbers["players"]) == ("numbers-assigned", ("late", "p1", "p2"))
    assert published == {
        "type": "round-published",
        "round": 2,
        "pairs": (("late", "p1"),),
        "points": ((0, 10),),
        "byes": ({"player": "p2", "kind": "allocated"},),
    }


def test_a_withdrawal_is_told_at_once_and_without_its_reason() -> None:
    ledger = played(1)

    ledger.do(WithdrawPlayer(player="p1", reason="ill"))

    assert last_told(ledger, 1) == [{"type": "player-withdrawn", "player": "p1", "from_round": 2}]


def test_who_comes_late_is_told_with_the_byes_that_count_now() -> None:
    ledger = ready(2)
    ledger.do(RegisterPlayer(player="later", person=PERSON))
    ledger.do(RequestBye(player="later", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(FixNumbers(for_round=1, players=("p1", "p2", "later")))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"))

    ledger.do(ConfirmPresence(player="later"))

    assert last_told(ledger, 1) == [
        {"type": "presence-confirmed", "player": "later", "byes": ({"round": 1, "kind": "half"},)}
    ]


def test_closing_sealing_and_requests_are_not_told() -> None:
    ledger = played(1)
    before = told(ledger.history)

    ledger.do(RequestBye(player="p1", round=3, kind=ByeKind.HALF_POINT))
    ledger.seal(2, *PAIRS[2])

    assert told(ledger.history) == before


def test_a_round_of_byes_alone_ends_when_it_is_published() -> None:
    ledger = ready(1)
    ledger.do(CloseAppealWindow(round=0))

    ledger.publish(1, pab="p1")

    assert [message["type"] for message in last_told(ledger, 2)] == ["round-published", "round-ended"]


def test_an_entry_that_was_folded_already_tells_nothing() -> None:
    ledger = played(1)
    known = folded(ledger.history)

    again = project(known, ledger.history[-1])

    assert messages(known, again, ledger.history[-1]) == ()


def test_several_entries_at_once_cannot_be_told() -> None:
    ledger = played(1)

    with pytest.raises(AssertionError, match="one entry at a time"):
        messages(Known(), folded(ledger.history), ledger.history[-1])
