"""The best candidate of one bracket: exactly the one that the articles choose, found by matching.

First on the graph of the bracket alone, where completion ([C4]) and the next bracket ([C8]) are left out. If
the answer turns out to be completable and to leave the next bracket as well off as it can be at all, then no
candidate can be better, and it stands. Otherwise the graph of the whole rest of the round decides.
"""

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.costs import Costs
from rules.swiss.dutch.graph import fewest_floaters, rows_alone, rows_of_everybody
from rules.swiss.dutch.lookahead import is_beyond_improvement
from rules.swiss.dutch.matching.minimum_cost import Optimum, cheapest_perfect_matching
from rules.swiss.dutch.order import Pair, earliest_best


def best_pairs(bracket: Bracket, completion: Completion) -> list[Pair]:
    """Return the pairs of the best candidate as positions in the bracket, higher-ranked player first."""
    if bracket.next_group:
        pairs = _alone(bracket)
        paired = {position for pair in pairs for position in pair}
        floaters = [player for at, player in enumerate(bracket.players) if at not in paired]
        if is_beyond_improvement(bracket, floaters, completion):
            return pairs
    return _with_everybody_below(bracket, completion)


def _alone(bracket: Bracket) -> list[Pair]:
    """Return the best candidate but for [C4] and [C8]."""
    floaters = fewest_floaters(bracket)
    rows = rows_alone(bracket, Costs(bracket, single_floater=floaters == 1), floaters)
    optimum = cheapest_perfect_matching(rows)
    assert optimum is not None, "the number of floaters was found by a matching"
    return earliest_best(rows, optimum, len(bracket.mdps), len(bracket.players))


def _with_everybody_below(bracket: Bracket, completion: Completion) -> list[Pair]:
    """Return the best candidate, priced on the graph of everybody who is not paired yet."""
    rows = rows_of_everybody(bracket, completion, Costs(bracket, single_floater=True))
    optimum = cheapest_perfect_matching(rows)
    if optimum is not None and _floaters(bracket, optimum) != 1:  # [C9] applies to a single floater only
        rows = rows_of_everybody(bracket, completion, Costs(bracket, single_floater=False))
        optimum = cheapest_perfect_matching(rows)
    assert optimum is not None, "every bracket leaves the rest completable"
    return earliest_best(rows, optimum, len(bracket.mdps), len(bracket.players))


def _floaters(bracket: Bracket, optimum: Optimum) -> int:
    size = len(bracket.players)
    return sum(optimum.mate[position] >= size for position in range(size))
