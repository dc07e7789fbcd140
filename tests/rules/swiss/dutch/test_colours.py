import pytest

from events.facts import Colour
from rules.swiss.dutch.colours import (
    Card,
    ColourPreference,
    Strength,
    colour_difference,
    colour_of_higher,
    colour_preference,
)

W, B = Colour.WHITE, Colour.BLACK


def card(colours: str, number: int = 1) -> Card:
    played = tuple(Colour(letter.lower()) for letter in colours)
    return Card(played, colour_preference(played), number)


@pytest.mark.parametrize(
    ("played", "colour", "strength"),
    [
        ("W", B, Strength.STRONG),
        ("B", W, Strength.STRONG),
        ("WB", W, Strength.MILD),
        ("BW", B, Strength.MILD),
        ("WBW", B, Strength.STRONG),
        ("WBB", W, Strength.ABSOLUTE),  # twice the same colour running
        ("BBWW", B, Strength.ABSOLUTE),
        ("WBWBWW", B, Strength.ABSOLUTE),  # a difference of two
        ("WWBW", B, Strength.ABSOLUTE),
        ("BWBB", W, Strength.ABSOLUTE),
    ],
)
def test_the_colour_due_and_how_urgently(played: str, colour: Colour, strength: Strength) -> None:
    assert card(played).preference == ColourPreference(colour, strength)


def test_who_has_not_played_has_no_preference() -> None:
    assert colour_preference([]) is None
    assert colour_difference([]) == 0


@pytest.mark.parametrize(
    ("higher", "lower", "expected"),
    [
        ("W", "B", B),  # art. 5.2.1: both wishes granted
        ("", "W", W),  # art. 5.2.1: the only wish granted
        ("B", "", W),
        ("WBW", "BW", B),  # art. 5.2.2: the stronger wish
        ("BW", "WBW", W),
        ("WBWW", "BWW", B),  # art. 5.2.2: both absolute, the wider difference
        ("BWW", "WBWW", W),
        ("WBBW", "BWBW", W),  # art. 5.2.3: the latest place where they differ
        ("WB", "BWWB", W),  # art. 5.2.4: one list ends first, the higher-ranked player's wish
        ("BW", "BW", B),
    ],
)
def test_the_first_rule_that_decides_gives_the_colour(higher: str, lower: str, expected: Colour) -> None:
    assert colour_of_higher(card(higher), card(lower), W) is expected


@pytest.mark.parametrize(("number", "initial", "expected"), [(1, W, W), (2, W, B), (1, B, B), (2, B, W)])
def test_without_wishes_the_parity_of_the_higher_ranked_decides(
    number: int, initial: Colour, expected: Colour
) -> None:
    assert colour_of_higher(card("", number), card("", number + 3), initial) is expected
