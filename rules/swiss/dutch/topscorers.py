"""What topscorers may cost in the last round (art. 1.8): the breaches that [C10] and [C11] count."""

from events.facts import Colour
from rules.swiss.dutch.colours import CD_MAX, colour_of_higher, other
from rules.swiss.dutch.players import Player


def breaches_of_topscorers(higher: Player, lower: Player, initial: Colour) -> tuple[int, int]:
    """Return how many of a pair would breach [C10], and how many [C11], with the colours that article 5 gives.

    Counted are both players of a pair in which at least one is a topscorer.
    """
    if not (higher.topscorer or lower.topscorer):
        return 0, 0
    colour = colour_of_higher(higher.card, lower.card, initial)
    given = ((higher, colour), (lower, other(colour)))
    too_wide = sum(
        abs(player.colour_difference + (1 if colour is Colour.WHITE else -1)) > CD_MAX
        for player, colour in given
    )
    third = sum(player.colours[-2:] == (colour, colour) for player, colour in given)
    return too_wide, third
