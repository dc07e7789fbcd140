"""The best candidate of one bracket by the edition of 2017, found by matching; `solve.py` is the edition of 2026.

No bracket looks further than the next one (C.7), and only the last ones must complete the round (A.9).
"""

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.costs_2017 import Costs2017
from rules.swiss.dutch.graph import (
    fewest_floaters,
    rows_alone,
    rows_of_everybody,
    rows_with_next_group,
)
from rules.swiss.dutch.lookahead import leaves_next_bracket_at_its_best
from rules.swiss.dutch.matching.minimum_cost import cheapest_perfect_matching
from rules.swiss.dutch.order import Graph, Pair, earliest_best


def best_pairs_for_next(bracket: Bracket) -> list[Pair]:
    """Return the pairs of the best candidate, as positions, of a bracket that need not complete the round.

    First without C.7: if nothing could be better for the next bracket, the answer stands.
    """
    floaters = fewest_floaters(bracket)
    costs = Costs2017(bracket)
    pairs = _earliest_best(bracket, rows_alone(bracket, costs, floaters))
    if not floaters or leaves_next_bracket_at_its_best(bracket, bracket.split(pairs)[1]):
        return pairs
    return _earliest_best(bracket, rows_with_next_group(bracket, costs, floaters))


def best_pairs_completing(bracket: Bracket, completion: Completion) -> list[Pair]:
    """Return the pairs, as positions, of the best candidate that completes the round; there must be one."""
    return _earliest_best(bracket, rows_of_everybody(bracket, completion, Costs2017(bracket)))


def _earliest_best(bracket: Bracket, rows: Graph) -> list[Pair]:
    optimum = cheapest_perfect_matching(rows)
    assert optimum is not None, "there is a pairing with so many floaters, or a complete one"
    return earliest_best(rows, optimum, len(bracket.mdps), len(bracket.players))
