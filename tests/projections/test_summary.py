"""The summary: the regulations as announced, the timetable, how far it has come."""

from events.facts import ByeKind, Colour, ProhibitedPairs, Venue
from rules.commands import CloseTournament, DrawLots, RequestBye
from tests.projections.scenes import PAIRS, view
from tests.support.ledger import Ledger, announce, started, timetable


def test_it_begins_with_the_regulations_as_announced() -> None:
    ledger = Ledger()
    ledger.do(
        announce(
            event="Open 2026",
            results_public="at_posting",
            venues=(Venue(venue="hall-1", name="Great hall", time_zone="Europe/Belgrade"),),
            prohibited=(ProhibitedPairs(players=("p1", "p2"), first_round=1, last_round=3),),
        )
    )

    summary = view(ledger, "summary")

    assert {key: summary[key] for key in summary if key != "regulations"} == {
        "tournament": "t",
        "name": "Test",
        "event": "Open 2026",
        "rounds": 3,
        "venues": [{"venue": "hall-1", "name": "Great hall", "time_zone": "Europe/Belgrade"}],
    }
    regulations = summary["regulations"]
    assert regulations["prohibited"] == [{"players": ["p1", "p2"], "first_round": 1, "last_round": 3}]
    assert (regulations["system"], regulations["results_public"]) == ("fide-dutch@2026", "at_posting")


def test_the_timetable_is_public_before_round_1() -> None:
    ledger = Ledger()
    ledger.do(announce())
    ledger.do(timetable(3))
    ledger.do(DrawLots(initial_colour=Colour.BLACK, witnesses=("A. Person",)))

    summary = view(ledger, "summary")

    assert summary["timetable"]["rounds"][2]["appeals_close"] == "2026-10-07T15:00:00Z"
    assert summary["timetable"]["final_appeal"] == "2026-10-07T18:00:00Z"
    assert summary["initial_colour"] == "b"


def test_it_says_how_far_the_tournament_has_come() -> None:
    ledger = started(4, *PAIRS[1], rounds=1)
    before = view(ledger, "summary")
    ledger.record(1, "1-0", "1-0")
    ledger.close(1)

    ledger.do(CloseTournament())

    assert (before["published_rounds"], before["players"], "closed" in before) == (1, 4, False)
    assert view(ledger, "summary")["closed"] is True


def test_a_request_for_a_coming_round_leaves_no_trace_in_it() -> None:
    ledger = started(4, *PAIRS[1])
    before = view(ledger, "summary")

    ledger.do(RequestBye(player="p1", round=2, kind=ByeKind.HALF_POINT))

    assert view(ledger, "summary") == before
