"""Colours: what a player is due (art. 1.6, 1.7) and who gets what (art. 5). Unplayed rounds are left out."""

from collections.abc import Sequence
from enum import IntEnum
from typing import NamedTuple

from events.facts import Colour

CD_MAX = 2  # an absolute preference keeps the colour difference within this (art. 1.7.1)


class Strength(IntEnum):
    """How much a colour is due (art. 1.7). The order is that of article 5.2.2."""

    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


class ColourPreference(NamedTuple):
    """The colour a player should get next, and how urgently."""

    colour: Colour
    strength: Strength


class Card(NamedTuple):
    """What article 5 looks at in one player."""

    colours: tuple[Colour, ...]  # of played games, oldest first
    preference: ColourPreference | None
    parity_number: int  # the number whose parity decides in art. 5.2.5


def other(colour: Colour) -> Colour:
    """Return the opposite colour."""
    return Colour.BLACK if colour is Colour.WHITE else Colour.WHITE


def colour_difference(played: Sequence[Colour]) -> int:
    """Return games with White minus games with Black (art. 1.6)."""
    return 2 * sum(colour is Colour.WHITE for colour in played) - len(played)


def colour_preference(played: Sequence[Colour]) -> ColourPreference | None:
    """Return the colour due next, or None for a player with no game played (art. 1.7).

    >>> colour_preference([Colour.BLACK, Colour.WHITE, Colour.WHITE])
    ColourPreference(colour=<Colour.BLACK: 'b'>, strength=<Strength.ABSOLUTE: 3>)
    """
    if not played:
        return None
    difference = colour_difference(played)
    fewer = Colour.BLACK if difference > 0 else Colour.WHITE
    if abs(difference) >= CD_MAX:
        return ColourPreference(fewer, Strength.ABSOLUTE)
    if len(played) > 1 and played[-1] is played[-2]:
        return ColourPreference(other(played[-1]), Strength.ABSOLUTE)
    if difference:
        return ColourPreference(fewer, Strength.STRONG)
    return ColourPreference(other(played[-1]), Strength.MILD)


def same_wish(one: ColourPreference | None, two: ColourPreference | None) -> bool:
    """Tell whether both want the same colour, so that one of them will be disappointed."""
    return one is not None and two is not None and one.colour is two.colour


def colour_of_higher(higher: Card, lower: Card, initial: Colour) -> Colour:
    """Return the colour that the higher-ranked player of a pair gets (art. 5.2, first rule that decides)."""
    wish, wish_of_lower = higher.preference, lower.preference
    if wish is None and wish_of_lower is None:
        return initial if higher.parity_number % 2 else other(initial)  # art. 5.2.5
    if wish_of_lower is None or wish is None:
        return wish.colour if wish else other(wish_of_lower.colour)  # type: ignore[union-attr]
    if wish.colour is not wish_of_lower.colour:
        return wish.colour  # art. 5.2.1
    return _of_equal_wishes(higher, lower, wish, wish_of_lower)


def _of_equal_wishes(
    higher: Card, lower: Card, wish: ColourPreference, wish_of_lower: ColourPreference
) -> Colour:
    if wish.strength != wish_of_lower.strength:  # art. 5.2.2
        return wish.colour if wish.strength > wish_of_lower.strength else other(wish.colour)
    if wish.strength is Strength.ABSOLUTE:  # art. 5.2.2, possible with a topscorer only
        wider = abs(colour_difference(higher.colours)) - abs(colour_difference(lower.colours))
        if wider:
            return wish.colour if wider > 0 else other(wish.colour)
    for latest, latest_of_lower in zip(reversed(higher.colours), reversed(lower.colours), strict=False):
        if latest is not latest_of_lower:
            return latest_of_lower  # art. 5.2.3: both alternate from the last time they differed
    return wish.colour  # art. 5.2.4
