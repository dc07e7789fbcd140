"""The fold: at least once, without a gap, and never from a log that no decider wrote."""

import pytest
from msgspec.structs import replace

from events.facts import Effect, PairingPublished, ResultCorrected, ResultRecorded
from projections import Known, project, views
from rules.commands import CloseAppealWindow
from rules.state import ImpossibleHistory
from tests.projections.folding import folded
from tests.projections.scenes import PAIRS, correct, played
from tests.support.ledger import started


def test_an_entry_that_comes_twice_changes_nothing() -> None:
    ledger = played(1)
    known = folded(ledger.history)

    assert all(project(known, entry) is known for entry in ledger.history)


def test_a_gap_is_our_mistake() -> None:
    ledger = played(1)

    with pytest.raises(AssertionError, match="a gap"):
        project(folded(ledger.history[:3]), ledger.history[4])


def test_nothing_is_shown_before_the_announcement() -> None:
    assert views(Known()) == {}


def test_a_result_of_a_board_that_was_never_published_is_impossible() -> None:
    ledger = started(4, *PAIRS[1])
    ledger.record(1, "1-0")
    entry = ledger.history[-1]
    assert isinstance(entry.fact, ResultRecorded)
    forged = replace(entry, v=entry.v + 1, fact=replace(entry.fact, board=9))

    with pytest.raises(ImpossibleHistory):
        project(folded(ledger.history), forged)


def test_a_pairing_of_somebody_who_never_entered_is_impossible() -> None:
    ledger = started(4, *PAIRS[1])
    entry = ledger.history[-1]
    assert isinstance(entry.fact, PairingPublished)
    forged = replace(entry, fact=replace(entry.fact, pairs=(("p1", "nobody"), ("p2", "p3"))))

    with pytest.raises(ImpossibleHistory):
        project(folded(ledger.history[:-1]), forged)


def test_a_correction_of_a_correction_is_kept_whatever_its_effect() -> None:
    """Our decider lets none in time follow a late one before it is seen; the fold does not lean on that."""
    ledger = started(4, *PAIRS[1], results_public="at_posting")
    ledger.record(1, "1-0", "1-0")
    ledger.do(CloseAppealWindow(round=1, override="no printer"))
    correct(ledger, 1, 1, "0-1")
    correct(ledger, 1, 1, "1/2-1/2")
    late = Effect(standings_from=2, pairing_from=3, rating=True)
    place, entry = next((n, e) for n, e in enumerate(ledger.history) if isinstance(e.fact, ResultCorrected))
    assert isinstance(entry.fact, ResultCorrected)
    forged = replace(entry, fact=replace(entry.fact, effect=late))

    known = folded([*ledger.history[:place], forged, *ledger.history[place + 1 :]])

    assert [(one.was, one.result) for one in known.trails[1, 1]] == [("1-0", "0-1"), ("0-1", "1/2-1/2")]
