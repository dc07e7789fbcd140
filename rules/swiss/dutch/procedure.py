"""From bracket to bracket through a round, in the way of each edition: all pairs, and who is left over."""

from collections.abc import Sequence
from dataclasses import replace

from rules.swiss.dutch.bracket import PlayerPair, bracket_of, scoregroups
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.matching.cardinality import bit_set
from rules.swiss.dutch.players import Field, Player
from rules.swiss.dutch.solve import best_pairs
from rules.swiss.dutch.solve_2017 import best_pairs_completing, best_pairs_for_next


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


def collapsing_the_last(field: Field) -> tuple[list[PlayerPair], list[Player]]:
    """Pair from the top down, and see after each bracket whether the rest can be completed (edition of 2017, A.9).

    The first bracket that fails is the penultimate one (PPB): it is paired anew so that the round can be completed, and
    all players below it make one last bracket (CLB), of different scores, with whoever floats down from it.
    """
    completion = Completion(field, lowest_bye=False)
    groups: Sequence[tuple[Player, ...]] = scoregroups(field)
    pairs: list[PlayerPair] = []
    mdps: tuple[Player, ...] = ()
    while len(groups) > 1:
        bracket = bracket_of(field, mdps, groups)
        lower = bracket.next_group + bracket.lower
        groups = groups[1:]
        found, floaters = bracket.split(best_pairs_for_next(bracket))
        if not completion.is_completable(bit_set([player.rank for player in floaters + lower])):
            penultimate = replace(bracket, next_group=(), lower=lower)
            found, floaters = penultimate.split(best_pairs_completing(penultimate, completion))
            groups = [lower]
        pairs += found
        mdps = floaters
    last = bracket_of(field, mdps, groups)
    found, left = last.split(best_pairs_completing(last, completion))
    return pairs + found, list(left)
