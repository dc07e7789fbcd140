"""Events in words: every kind of fact has its sentence, in both languages, and names come from outside the log."""

from pathlib import Path

import pytest

from events.envelope import decode
from events.facts import Fact
from services.cli.words import SENTENCES, line, sentence

GOLDEN = sorted((Path(__file__).parents[2] / "golden" / "events").glob("*.json"))


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_every_kind_of_fact_has_a_sentence(language: str) -> None:
    assert set(SENTENCES[language]) == {kind.__struct_config__.tag for kind in Fact.__subclasses__()}


@pytest.mark.parametrize("language", sorted(SENTENCES))
@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_golden_event_is_told_without_a_gap(path: Path, language: str) -> None:
    told = line(decode(path.read_bytes(), 7), language)

    assert "{" not in told
    assert "None" not in told
    assert told.startswith("     7  2026-10-05 10:00:00.000  ")


def test_a_correction_says_what_it_changes() -> None:
    fact = decode((GOLDEN[0].parent / "result-corrected.json").read_bytes(), 7).fact

    assert sentence(fact, "en", {"p1": "Kowalski", "p2": "Martin"}.__getitem__) == (
        "round 1, board 1: Kowalski 1/2-1/2 Martin, was 1-0; "
        "counts for the standings of round 2 and the pairing of round 3"
    )
    assert sentence(fact, "ru") == (
        "тур 1, доска 1: p1 1/2-1/2 p2, было 1-0; учитывается в положении после 2-го тура и в жеребьёвке 3-го"
    )
