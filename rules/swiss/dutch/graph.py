"""A bracket and what lies below it as a priced graph, whose perfect matchings are the candidates.

The first vertices are the players of the bracket. An edge from there to any other vertex means to float down.
"""

from collections.abc import Sequence
from typing import Protocol

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.matching.cardinality import NOBODY, enlarge
from rules.swiss.dutch.order import Graph
from rules.swiss.dutch.players import Player


class Pricing(Protocol):
    """What an edition's criteria come to, as integers: the cheaper the better."""

    def of_pair(self, higher: Player, lower: Player) -> int:
        """Return what it costs to pair the two in the bracket; `lower` is a resident."""

    def of_float(self, player: Player) -> int:
        """Return what it costs to leave the player unpaired in the bracket."""

    def of_passing_next(self, player: Player) -> int:
        """Return what it costs that the player is left unpaired in the next bracket."""


def fewest_floaters(bracket: Bracket) -> int:
    """Return how many players the bracket must float, whatever lies below."""
    return _left_over(bracket, bracket.players, len(bracket.mdps))


def _left_over(bracket: Bracket, players: Sequence[Player], mdps: int) -> int:
    """Return how many of `players`, the first so many of them MDPs, the largest matching leaves over."""
    size = len(players)
    neighbours = [0] * size
    for higher, player in enumerate(players):
        for lower in range(max(higher + 1, mdps), size):
            if bracket.allows(player, players[lower]):
                neighbours[higher] |= 1 << lower
                neighbours[lower] |= 1 << higher
    return enlarge(neighbours, (1 << size) - 1, [NOBODY] * size).bit_count()


def rows_inside(bracket: Bracket, costs: Pricing) -> Graph:
    """Return the graph of the bracket's players without any way to float."""
    players = bracket.players
    rows: Graph = [{} for _ in players]
    for higher, player in enumerate(players):
        for lower in range(higher + 1, len(players)):
            if bracket.may_pair(higher, lower):
                rows[higher][lower] = rows[lower][higher] = costs.of_pair(player, players[lower])
    return rows


def rows_alone(bracket: Bracket, costs: Pricing, floaters: int) -> Graph:
    """Return the graph of the bracket and so many floaters, each matched with a vertex of its own."""
    size = len(bracket.players)
    rows = rows_inside(bracket, costs) + [{} for _ in range(floaters)]
    for position, player in enumerate(bracket.players):
        for below in range(size, size + floaters):
            rows[position][below] = rows[below][position] = costs.of_float(player)
    return rows


def rows_of_everybody(bracket: Bracket, completion: Completion, costs: Pricing) -> Graph:
    """Return the graph: the bracket, the residents of the next one, everybody below, and the bye if any."""
    inside, last = len(bracket.players), len(bracket.players) + len(bracket.next_group)
    everybody = bracket.players + bracket.next_group + bracket.lower
    rows = rows_inside(bracket, costs) + [{} for _ in everybody[inside:]]
    floats = [costs.of_float(player) for player in bracket.players] + [0] * (len(everybody) - inside)
    passing = [costs.of_passing_next(player) if bracket.next_group else 0 for player in everybody[:last]]
    passing += [0] * len(bracket.lower)
    for lower in range(inside, len(everybody)):
        for higher in range(lower):
            if bracket.allows(everybody[higher], everybody[lower]):
                cost = floats[higher] + (passing[higher] if lower >= last else 0)
                rows[higher][lower] = rows[lower][higher] = cost
    if completion.odd:
        bye = {
            position: floats[position] + passing[position]
            for position, player in enumerate(everybody)
            if completion.may_have_bye(player)
        }
        rows.append(bye)
        for position, cost in bye.items():
            rows[position][len(everybody)] = cost
    return rows


def rows_with_next_group(bracket: Bracket, costs: Pricing, floaters: int) -> Graph:
    """Return the graph of the bracket with so many floaters, and of the next bracket, which completes nothing.

    Whoever is left over in the next bracket is matched with a vertex that stands for it; those not needed are
    matched with each other.
    """
    everybody = bracket.players + bracket.next_group
    inside, size = len(bracket.players), len(everybody)
    spare = range(size, size + floaters + _left_over(bracket, bracket.next_group, 0))
    rows = rows_inside(bracket, costs) + [{} for _ in range(inside, spare.stop)]
    for higher, player in enumerate(everybody):
        float_ = costs.of_float(player) if higher < inside else 0
        for lower in range(max(inside, higher + 1), size):
            if bracket.allows(player, everybody[lower]):
                rows[higher][lower] = rows[lower][higher] = float_
        for left in spare:
            rows[higher][left] = rows[left][higher] = float_ + costs.of_passing_next(player)
    for one in spare:
        rows[one].update((two, 0) for two in spare if two != one)
    return rows
