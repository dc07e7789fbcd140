"""From bracket to bracket through a round, in the way of each edition: all pairs, and who is left over."""

from rules.swiss.dutch.bracket import PlayerPair, bracket_of, scoregroups
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.players import Field, Player
from rules.swiss.dutch.solve import best_pairs


def completing_every_bracket(field: Field) -> tuple[list[PlayerPair], list[Player]]:
    """Pair from the top down; no bracket leaves what could not be completed (edition of 2026, art. 1.9, [C4])."""
    completion = Completion(field, lowest_bye=True)
    groups = scoregroups(field)
    pairs: list[PlayerPair] = []
    mdps: tuple[Player, ...] = ()
    for at in range(len(groups)):
        bracket = bracket_of(field, mdps, groups[at:], completion.pab_score)
        found, mdps = bracket.split(best_pairs(bracket, completion))
        pairs += found
    return pairs, list(mdps)
