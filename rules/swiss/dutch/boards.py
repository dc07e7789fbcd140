"""The sides of every board (art. 5) and the order of the boards (GHR 3.6)."""

from collections.abc import Iterable

from events.facts import Colour, PlayerId
from rules.swiss.dutch.colours import colour_of_higher
from rules.swiss.dutch.players import Player


def board_order(pairs: Iterable[tuple[Player, Player]]) -> list[tuple[Player, Player]]:
    """Sort pairs, higher-ranked player first: by that player's score, both scores together, and that TPN.

    Scores are pairing scores (GHR 3.6 since 2026): virtual points count.
    """
    return sorted(pairs, key=lambda pair: (-pair[0].score, -(pair[0].score + pair[1].score), pair[0].tpn))


def seated(higher: Player, lower: Player, initial: Colour) -> tuple[PlayerId, PlayerId]:
    """Return the two as (white, black)."""
    if colour_of_higher(higher.card, lower.card, initial) is Colour.WHITE:
        return higher.player, lower.player
    return lower.player, higher.player
