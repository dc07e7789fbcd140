"""The start list: everybody who entered, by number, marked who left or has not come."""

from rules.commands import ConfirmPresence, FixNumbers, RegisterPlayer, WithdrawPlayer
from tests.projections.scenes import view
from tests.support.ledger import PERSON, announce, ready, started

SOMEBODY = RegisterPlayer(
    player="anna",
    person=PERSON,
    rating=2350,
    title="IM",
    federation="SRB",
    sex="w",
    fide_id="900001",
    entered_for=2,
)


def test_an_entry_holds_what_the_fact_says_and_nothing_of_the_person() -> None:
    ledger = started(2, ("p1", "p2"))

    ledger.do(SOMEBODY)

    assert view(ledger, "start-list")[2] == {
        "player": "anna",
        "title": "IM",
        "rating": 2350,
        "federation": "SRB",
        "fide_id": "900001",
        "entered_for": 2,
    }


def test_players_stand_as_entered_until_they_have_numbers() -> None:
    ledger = ready(3)
    ledger.do(FixNumbers(for_round=1, players=("p3", "p1", "p2")))
    ledger.do(RegisterPlayer(player="new", person=PERSON))

    listed = view(ledger, "start-list")

    assert [(entry["player"], entry.get("number")) for entry in listed] == [
        ("p3", 1),
        ("p1", 2),
        ("p2", 3),
        ("new", None),
    ]


def test_numbers_of_a_coming_round_are_seen_with_its_pairing() -> None:
    ledger = started(2, ("p1", "p2"), rounds=2)
    ledger.do(SOMEBODY)
    ledger.do(ConfirmPresence(player="anna"))
    ledger.do(FixNumbers(for_round=2, players=("anna", "p1", "p2")))
    ledger.record(1, "1-0")
    ledger.close(1)
    assert [entry["player"] for entry in view(ledger, "start-list")] == ["p1", "p2", "anna"]

    ledger.publish(2, ("anna", "p1"), pab="p2")

    assert [(entry["player"], entry["number"]) for entry in view(ledger, "start-list")] == [
        ("anna", 1),
        ("p1", 2),
        ("p2", 3),
    ]


def test_who_has_left_stays_and_is_marked_without_the_reason() -> None:
    ledger = ready(2)

    ledger.do(WithdrawPlayer(player="p1", from_round=2, reason="ill"))

    assert view(ledger, "start-list")[0] == {
        "player": "p1",
        "number": 1,
        "present": True,
        "withdrawn_from": 2,
    }


def test_presence_is_marked_when_it_is_confirmed() -> None:
    ledger = ready(0)
    ledger.do(RegisterPlayer(player="p", person=PERSON))
    assert "present" not in view(ledger, "start-list")[0]

    ledger.do(ConfirmPresence(player="p"))

    assert view(ledger, "start-list")[0]["present"] is True


def test_a_tournament_without_players_has_an_empty_one() -> None:
    ledger = ready(0)
    assert ledger.history[0].fact.name == announce().name  # type: ignore[union-attr]

    assert view(ledger, "start-list") == []
