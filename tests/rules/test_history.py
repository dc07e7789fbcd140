"""What the engine sees: the fold up to the cutoff, without corrections that count later."""

from events.facts import ByeKind, GameResult, ProhibitedPairs, Scoring, VirtualPoints
from rules.commands import (
    CloseAppealWindow,
    ConfirmPresence,
    CorrectResult,
    FixNumbers,
    RegisterPlayer,
    RequestBye,
    WithdrawPlayer,
)
from rules.history import pairing_input
from rules.proof import input_digest
from rules.swiss.pairing_input import PairingInput, RoundKind
from tests.support.ledger import PERSON, Ledger, ready, started

PAIRS = (("p1", "p3"), ("p4", "p2"))


def seen(ledger: Ledger, round_: int) -> PairingInput:
    cutoff = ledger.state.round(round_).cutoff
    assert cutoff is not None
    return pairing_input(ledger.history, round_, cutoff)


def kinds(pairing: PairingInput, player: str) -> list[RoundKind]:
    (entrant,) = [entrant for entrant in pairing.entrants if entrant.player == player]
    return [record.kind for record in entrant.history]


def points(pairing: PairingInput) -> dict[str, int]:
    return {e.player: sum(record.points for record in e.history) for e in pairing.entrants}


def correction(was: str, result: str) -> CorrectResult:
    return CorrectResult(
        round=1,
        board=1,
        white="p1",
        black="p3",
        was=GameResult(was),
        result=GameResult(result),
        reason="wrong",
    )


def test_round_1_sees_those_present_and_nothing_played() -> None:
    ledger = ready(4)
    ledger.do(RegisterPlayer(player="absent", person=PERSON))
    ledger.do(FixNumbers(for_round=1, players=("p1", "p2", "absent", "p3", "p4")))
    ledger.do(RequestBye(player="p2", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(CloseAppealWindow(round=0))

    there = {entrant.player: entrant.present for entrant in seen(ledger, 1).entrants}

    assert there == {"p1": True, "p2": False, "absent": False, "p3": True, "p4": True}
    assert [entrant.tpn for entrant in seen(ledger, 1).entrants] == [1, 2, 3, 4, 5]


def test_results_after_the_cutoff_are_not_seen() -> None:
    ledger = started(4, *PAIRS)
    ledger.record(1, "1-0", "0-1")
    ledger.close(1)
    before = input_digest(seen(ledger, 2))

    ledger.do(WithdrawPlayer(player="p4", from_round=3))

    assert input_digest(seen(ledger, 2)) == before


def test_a_late_correction_is_seen_from_the_pairing_after_next() -> None:
    ledger = started(4, *PAIRS)
    ledger.record(1, "1-0", "0-1", at="2026-10-05T13:00:00Z")
    ledger.close(1)
    ledger.do(correction("1-0", "0-1"), at="2026-10-05T16:00:00Z")
    ledger.publish(2, ("p2", "p1"), ("p3", "p4"))
    ledger.record(2, "1/2-1/2", "1/2-1/2", at="2026-10-06T13:00:00Z")
    ledger.close(2)

    assert points(seen(ledger, 2)) == {"p1": 10, "p2": 10, "p3": 0, "p4": 0}
    assert points(seen(ledger, 3)) == {"p1": 5, "p2": 15, "p3": 15, "p4": 5}


def test_a_correction_for_the_rating_report_is_never_seen() -> None:
    ledger = started(4, *PAIRS)
    ledger.record(1, "1-0", "0-1", at="2026-10-05T13:00:00Z")
    ledger.close(1)
    ledger.publish(2, ("p2", "p1"), ("p3", "p4"))
    ledger.record(2, "1/2-1/2", "1/2-1/2", at="2026-10-06T13:00:00Z")
    ledger.do(correction("1-0", "0-1"), at="2026-10-06T14:00:00Z")
    ledger.close(2)

    assert points(seen(ledger, 3)) == {"p1": 15, "p2": 15, "p3": 5, "p4": 5}


def test_an_adjourned_game_is_a_draw_with_its_colour() -> None:
    ledger = started(4, *PAIRS)
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="night"))

    assert points(seen(ledger, 2)) == {"p1": 10, "p2": 5, "p3": 0, "p4": 5}
    assert kinds(seen(ledger, 2), "p4") == [RoundKind.GAME]


def test_every_way_to_sit_out_has_its_kind_and_points() -> None:
    ledger = ready(7, scoring=Scoring(pairing_allocated_bye=5, zero_point_bye=0))
    ledger.do(RequestBye(player="p5", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(RequestBye(player="p6", round=1, kind=ByeKind.FULL_POINT))
    ledger.do(WithdrawPlayer(player="p7"))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"), ("p3", "p4"))
    ledger.record(1, "+/-", "-/-")
    ledger.close(1)
    pairing = seen(ledger, 2)

    assert kinds(pairing, "p1") == [RoundKind.FORFEIT_WIN]
    assert kinds(pairing, "p2") == kinds(pairing, "p3") == kinds(pairing, "p4") == [RoundKind.FORFEIT_LOSS]
    assert kinds(pairing, "p5") == [RoundKind.HALF_POINT_BYE]
    assert kinds(pairing, "p6") == [RoundKind.FULL_POINT_BYE]
    assert kinds(pairing, "p7") == [RoundKind.ZERO_POINT_BYE]
    assert points(pairing) == {"p1": 10, "p2": 0, "p3": 0, "p4": 0, "p5": 5, "p6": 10, "p7": 0}


def test_a_bye_requested_for_a_round_after_leaving_scores_nothing() -> None:
    ledger = ready(5)
    ledger.do(RequestBye(player="p5", round=1, kind=ByeKind.HALF_POINT))
    ledger.do(WithdrawPlayer(player="p5"))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"), ("p3", "p4"))
    ledger.record(1, "1-0", "1-0")
    ledger.close(1)

    assert kinds(seen(ledger, 2), "p5") == [RoundKind.ZERO_POINT_BYE]


def test_the_pairing_allocated_bye_scores_what_was_announced() -> None:
    ledger = ready(3, scoring=Scoring(pairing_allocated_bye=5))
    ledger.do(CloseAppealWindow(round=0))
    ledger.publish(1, ("p1", "p2"), pab="p3")
    ledger.record(1, "0-0")
    ledger.close(1)

    assert kinds(seen(ledger, 2), "p3") == [RoundKind.PAIRING_ALLOCATED_BYE]
    assert points(seen(ledger, 2)) == {"p1": 0, "p2": 0, "p3": 5}


def test_prohibited_pairs_hold_in_their_rounds_alone() -> None:
    group = ProhibitedPairs(players=("p1", "p2"), first_round=1, last_round=1)
    ledger = started(4, *PAIRS, prohibited=(group,))
    ledger.record(1, "1-0", "0-1")
    ledger.close(1)

    assert seen(ledger, 1).prohibited == (("p1", "p2"),)
    assert seen(ledger, 2).prohibited == ()


def test_an_announced_player_who_has_not_entered_prohibits_nothing() -> None:
    groups = (
        ProhibitedPairs(players=("p1", "p2", "stranger"), first_round=1, last_round=3),
        ProhibitedPairs(players=("p3", "stranger"), first_round=1, last_round=3),
    )
    ledger = started(4, *PAIRS, prohibited=groups)

    assert seen(ledger, 1).prohibited == (("p1", "p2"),)


def test_baku_gives_its_virtual_points_to_all_down_to_the_last_of_the_upper_group() -> None:
    """Ten players, seven rounds: group of six; a win in rounds 1 and 2, half a win in rounds 3 and 4 (C.04.7)."""
    ledger = ready(10, 7, acceleration_method="baku")
    ledger.do(CloseAppealWindow(round=0))

    virtual = {entrant.player: entrant.virtual for entrant in seen(ledger, 1).entrants}

    assert ledger.state.last_accelerated == "p6"
    assert virtual == {f"p{n}": (10,) if n <= 6 else () for n in range(1, 11)}


def test_the_last_of_the_upper_group_stays_the_same_person_when_numbers_change() -> None:
    """C.04.7 1.3: who is inserted above joins the upper group, and its size may become odd."""
    pairs = (("p1", "p2"), ("p3", "p4"), ("p5", "p6"))
    ledger = started(6, *pairs, rounds=4, acceleration_method="baku")
    assert ledger.state.last_accelerated == "p4"
    ledger.record(1, "1-0", "1-0", "1-0")
    ledger.do(RegisterPlayer(player="p7", person="00" * 32, entered_for=2))
    ledger.do(ConfirmPresence(player="p7"))
    ledger.do(FixNumbers(for_round=2, players=("p1", "p7", "p5", "p2", "p3", "p4", "p6")))
    ledger.close(1)

    virtual = {entrant.player: entrant.virtual for entrant in seen(ledger, 2).entrants}

    assert virtual == {
        "p1": (10, 5),
        "p7": (0, 5),
        "p5": (0, 5),
        "p2": (10, 5),
        "p3": (10, 5),
        "p4": (10, 5),
        "p6": (),
    }


def test_virtual_points_follow_the_number_valid_in_each_round() -> None:
    grant = VirtualPoints(points=10, first_round=1, last_round=2, first_tpn=1, last_tpn=2)
    ledger = started(4, *PAIRS, acceleration=(grant,))
    ledger.record(1, "1-0", "0-1")
    ledger.do(FixNumbers(for_round=2, players=("p1", "p4", "p2", "p3")))
    ledger.close(1)

    virtual = {entrant.player: entrant.virtual for entrant in seen(ledger, 2).entrants}

    assert virtual == {"p1": (10, 10), "p4": (0, 10), "p2": (10, 0), "p3": ()}
