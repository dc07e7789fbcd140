"""The best candidate of one bracket: exactly the one that the articles choose, found by matching.

First on the graph of the bracket alone, where completion ([C4]) and the next bracket ([C8]) are left out. If
the answer turns out to be completable and to leave the next bracket as well off as it can be at all, then no
candidate can be better, and it stands. Otherwise the graph of the whole rest of the round decides.
"""

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.costs import Costs
from rules.swiss.dutch.lookahead import is_beyond_improvement
from rules.swiss.dutch.matching.cardinality import NOBODY, enlarge
from rules.swiss.dutch.matching.minimum_cost import Optimum, cheapest_perfect_matching
from rules.swiss.dutch.order import Graph, Pair, earliest_best


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
    """Return the best candidate but for [C4] and [C8]. Each floater is matched with a vertex of its own."""
    size = len(bracket.players)
    floaters = _fewest_floaters(bracket)
    costs = Costs(bracket, single_floater=floaters == 1)
    rows = _rows_inside(bracket, costs) + [{} for _ in range(floaters)]
    for position, player in enumerate(bracket.players):
        for below in range(size, size + floaters):
            rows[position][below] = rows[below][position] = costs.of_float(player)
    optimum = cheapest_perfect_matching(rows)
    assert optimum is not None, "the number of floaters was found by a matching"
    return earliest_best(rows, optimum, len(bracket.mdps), size)


def _fewest_floaters(bracket: Bracket) -> int:
    size = len(bracket.players)
    neighbours = [0] * size
    for higher in range(size):
        for lower in range(higher + 1, size):
            if bracket.may_pair(higher, lower):
                neighbours[higher] |= 1 << lower
                neighbours[lower] |= 1 << higher
    return enlarge(neighbours, (1 << size) - 1, [NOBODY] * size).bit_count()


def _rows_inside(bracket: Bracket, costs: Costs) -> Graph:
    players = bracket.players
    rows: Graph = [{} for _ in players]
    for higher, player in enumerate(players):
        for lower in range(higher + 1, len(players)):
            if bracket.may_pair(higher, lower):
                rows[higher][lower] = rows[lower][higher] = costs.of_pair(player, players[lower])
    return rows


def _with_everybody_below(bracket: Bracket, completion: Completion) -> list[Pair]:
    """Return the best candidate, priced on the graph of everybody who is not paired yet."""
    costs = Costs(bracket, single_floater=True)
    rows = _whole_rows(bracket, completion, costs)
    optimum = cheapest_perfect_matching(rows)
    if optimum is not None and _floaters(bracket, optimum) != 1:  # [C9] applies to a single floater only
        rows = _whole_rows(bracket, completion, Costs(bracket, single_floater=False))
        optimum = cheapest_perfect_matching(rows)
    assert optimum is not None, "every bracket leaves the rest completable"
    return earliest_best(rows, optimum, len(bracket.mdps), len(bracket.players))


def _floaters(bracket: Bracket, optimum: Optimum) -> int:
    size = len(bracket.players)
    return sum(optimum.mate[position] >= size for position in range(size))


def _whole_rows(bracket: Bracket, completion: Completion, costs: Costs) -> Graph:
    """Return the graph: the bracket, the residents of the next one, everybody below, and the bye if any."""
    inside, last = len(bracket.players), len(bracket.players) + len(bracket.next_group)
    everybody = bracket.players + bracket.next_group + bracket.lower
    rows = _rows_inside(bracket, costs) + [{} for _ in everybody[inside:]]
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
