"""The order of candidates (art. 3 and 4) as numbers: of equally good candidates, the earliest is the cheapest.

The articles generate candidates one after another. What they put first can be read off a candidate: which MDPs
are paired, whom they meet, how many residents are exchanged and which, and finally the transposition.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rules.swiss.dutch.matching.cardinality import bit_set
from rules.swiss.dutch.matching.minimum_cost import UNIT, Optimum, Rows, cheapest_perfect_matching
from rules.swiss.dutch.transposition import earliest_transposition

Pair = tuple[int, int]
Graph = list[dict[int, int]]


def earliest_best(rows: Rows, optimum: Optimum, mdps: int, size: int) -> list[Pair]:
    """Return the pairs, as positions in the bracket, of the earliest candidate that costs what `optimum` costs.

    The first `size` vertices of `rows` are the bracket, the first `mdps` of these its MDPs; an edge from there
    to any other vertex means that the player floats down.
    """
    mate = optimum.mate
    if mdps:
        mate = _refine(rows, optimum, mate, mdp_digits(rows, mdps, size)).mate
    chosen = [(mdp, mate[mdp]) for mdp in range(mdps) if mate[mdp] < size]
    opponents = {resident for _, resident in chosen}
    remainder = [vertex for vertex in range(mdps, size) if vertex not in opponents]
    pairs = sum(mate[vertex] < size for vertex in remainder) // 2
    if not pairs:
        return chosen
    gone = opponents | {mdp for mdp, _ in chosen}
    keep = [vertex for vertex in range(len(rows)) if vertex not in gone]
    position = {vertex: at for at, vertex in enumerate(keep)}
    rest = Remainder(
        rows=[
            {position[other]: cost for other, cost in rows[vertex].items() if other not in gone}
            for vertex in keep
        ],
        optimum=Optimum(
            [position[mate[vertex]] for vertex in keep],
            [optimum.potential[vertex] for vertex in keep],
            optimum.rigid,
        ),
        inside=sum(vertex < size for vertex in keep),
        residents=[position[vertex] for vertex in remainder],
        pairs=pairs,
    )
    return chosen + [(keep[one], keep[two]) for one, two in rest.earliest_best()]


@dataclass(frozen=True)
class Remainder:
    """A homogeneous bracket or a remainder (art. 3.3), with the Limbo and what stands for floating down."""

    rows: Rows
    optimum: Optimum
    inside: int  # so many vertices, the first, belong to the bracket
    residents: list[int]  # the vertices to be paired, in the order of their BSNs
    pairs: int

    def earliest_best(self) -> list[Pair]:
        """Return the pairs of the earliest of the best candidates: exchanges (art. 4.3), then transpositions."""
        s1 = self.residents[: self.pairs]
        partners = self._transposed(s1)
        if partners is None:
            s1 = self._exchanged()
            partners = self._transposed(s1)
        assert partners is not None, "the exchange was read off a best candidate"
        return [(min(pair), max(pair)) for pair in zip(s1, partners, strict=True)]

    def _exchanged(self) -> list[int]:
        """Return S1 after the earliest exchange that leads to a best candidate."""
        digits = remainder_digits(self.rows, self._numbers(), self.pairs, with_transposition=False)
        mate = _refine(self.rows, self.optimum, self.optimum.mate, digits).mate
        return [vertex for vertex in self.residents if vertex < mate[vertex] < self.inside]

    def _numbers(self) -> dict[int, int]:
        return {vertex: number for number, vertex in enumerate(self.residents)}

    def _transposed(self, s1: list[int]) -> list[int] | None:
        """Return the partners of S1 in the earliest best candidate with that S1, None if none is a best one.

        Without blossoms in the proof, exactly the matchings of edges without slack are best, and no arithmetic
        is needed any more. Between S1 and S2 alone, there hardly ever are blossoms.
        """
        rows, optimum = self._between(s1), self.optimum
        if optimum.rigid:
            rows = [{other: 2 * cost for other, cost in row.items()} for row in rows]
            anew = cheapest_perfect_matching(rows, [2 * value for value in optimum.potential], optimum.mate)
            if anew is None or _total(rows, anew.mate) > 2 * _total(self.rows, optimum.mate):
                return None
            if anew.rigid:
                digits = remainder_digits(rows, self._numbers(), self.pairs, with_transposition=True)
                mate = _refine(rows, anew, anew.mate, digits).mate
                return [mate[vertex] for vertex in s1]
            optimum = anew
        allowed = _without_slack(rows, optimum)
        return earliest_transposition(allowed, s1, optimum.mate, two_sides=self._has_two_sides())

    def _between(self, s1: list[int]) -> Rows:
        """Return the graph in which S1 meets S2 only and does not float."""
        above = set(s1)
        below = set(range(self.inside)) - above
        return [
            {
                other: cost
                for other, cost in row.items()
                if (
                    other in below
                    if vertex in above
                    else other not in below
                    if vertex in below
                    else other not in above
                )
            }
            for vertex, row in enumerate(self.rows)
        ]

    def _has_two_sides(self) -> bool:
        """Tell whether nobody outside the bracket can be paired outside it."""
        return all(other < self.inside for row in self.rows[self.inside :] for other in row)


def _without_slack(rows: Rows, optimum: Optimum) -> list[int]:
    potential = optimum.potential
    return [
        bit_set([other for other, cost in row.items() if cost == own + potential[other]])
        for own, row in zip(potential, rows, strict=True)
    ]


def _total(rows: Rows, mate: list[int]) -> int:
    return sum(row[partner] for row, partner in zip(rows, mate, strict=True))


def _refine(rows: Rows, optimum: Optimum, mate: list[int], digits: tuple[Graph, int]) -> Optimum:
    """Return the cheapest matching when `digits`, whose sums stay below their second part, break ties."""
    finer, radix = digits
    scale = 2 * radix
    priced = [
        {other: cost * scale + UNIT * finer[vertex].get(other, 0) for other, cost in row.items()}
        for vertex, row in enumerate(rows)
    ]
    refined = cheapest_perfect_matching(priced, [value * scale for value in optimum.potential], mate)
    assert refined is not None, "the same graph had a perfect matching before"
    return refined


def mdp_digits(rows: Rows, mdps: int, size: int) -> tuple[Graph, int]:
    """Price the MDP set (art. 4.4), then the opponents of the MDPs in turn (art. 4.2)."""
    residents = size - mdps + 1
    opponent_place = [residents ** (mdps - 1 - mdp) for mdp in range(mdps)]
    first = residents**mdps
    finer: Graph = [{} for _ in rows]
    for mdp in range(mdps):
        limbo = first << (mdps - 1 - mdp)
        for other in rows[mdp]:
            digit = (other - mdps) * opponent_place[mdp] if other < size else limbo
            finer[mdp][other] = finer[other][mdp] = digit
    return finer, first << mdps


def remainder_digits(
    rows: Rows, numbers: dict[int, int], pairs: int, *, with_transposition: bool
) -> tuple[Graph, int]:
    """Price the exchange (art. 4.3), then the transposition (art. 4.2), of a remainder or homogeneous bracket.

    `numbers` maps its vertices to their BSN, from 0, in ascending order. In the earliest candidate with given
    pairs, S1 holds the better player of each pair.
    """
    order = list(numbers)
    size = len(order)
    transposition, value = _transposition_places(size) if with_transposition else ([0] * size, 1)
    for_s2 = _binary_places(range(size - 1, pairs - 1, -1), value)  # B: the smaller the better (4.3.2, 4th)
    value <<= size - pairs
    for_s1 = _binary_places(range(pairs), value)  # A: the larger the better (4.3.2, 3rd)
    value <<= pairs
    by_sum, value = value, value * (pairs * size + 1)
    by_count, value = value, value * (pairs + 1)
    finer: Graph = [{} for _ in rows]
    for vertex in order:
        better = numbers[vertex]
        for other in rows[vertex]:
            worse = numbers.get(other)
            if worse is None:
                digit = for_s2.get(better, 0)
            elif better < worse:
                digit = by_sum * better + for_s1.get(better, 0) + for_s2.get(worse, 0)
                digit += by_count * (better >= pairs) + transposition[better] * (worse - better - 1)
            else:
                continue
            finer[vertex][other] = finer[other][vertex] = digit
    return finer, value


def _transposition_places(size: int) -> tuple[list[int], int]:
    places, value = [0] * size, 1
    for better in range(size - 2, -1, -1):
        places[better] = value
        value *= size - 1 - better
    return places, value


def _binary_places(least_first: Sequence[int], value: int) -> dict[int, int]:
    return {number: value << at for at, number in enumerate(least_first)}
