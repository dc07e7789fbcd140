"""The earliest transposition (art. 4.2) of given subgroups, when every edge that is allowed is equally good."""

from collections.abc import Sequence

from rules.swiss.dutch.matching.cardinality import NOBODY, augment, bits, enlarge


def earliest_transposition(
    neighbours: Sequence[int], s1: Sequence[int], mate: Sequence[int], *, two_sides: bool
) -> list[int] | None:
    """Return the partners of `s1` in the earliest perfect matching of a graph, None if there is no such matching.

    `neighbours` are bit sets. `two_sides` tells that the graph is bipartite with all of `s1` on one side, which
    makes it faster. `mate` is a matching that may be useful to begin with.
    """
    own = [
        partner if partner >= 0 and neighbours[vertex] >> partner & 1 else NOBODY
        for vertex, partner in enumerate(mate)
    ]
    left = (1 << len(own)) - 1
    if enlarge(neighbours, left, own):
        return None
    improve = _improve_on_two_sides if two_sides else _improve
    for vertex in s1:
        better = neighbours[vertex] & left & ((1 << own[vertex]) - 1)
        if better:
            improve(neighbours, left, own, vertex, better)
        left &= ~(1 << vertex | 1 << own[vertex])
    return [own[vertex] for vertex in s1]


def _improve(neighbours: Sequence[int], left: int, mate: list[int], vertex: int, better: int) -> None:
    """Give `vertex` the smallest partner of `better` that leaves a perfect matching of `left`, if there is one."""
    goal = mate[vertex]
    for partner in bits(better):
        loser = mate[partner]
        exposed = 1 << goal | 1 << loser
        mate[goal] = mate[loser] = NOBODY
        if augment(neighbours, left & ~(1 << vertex | 1 << partner), mate, loser, exposed) != NOBODY:
            mate[vertex], mate[partner] = partner, vertex
            return
        mate[goal], mate[loser] = vertex, partner


def _improve_on_two_sides(
    neighbours: Sequence[int], left: int, mate: list[int], vertex: int, better: int
) -> None:
    """Do what `_improve` does with one search: backwards along alternating paths from the partner given up."""
    goal = mate[vertex]
    takes = {}  # what another vertex of this side can take for its partner, so that in the end `goal` is taken
    freed, unseen = 0, left & ~(1 << vertex)
    queue = [goal]
    for taken in queue:
        found = neighbours[taken] & unseen
        unseen &= ~found
        for other in bits(found):
            takes[other] = taken
            freed |= 1 << mate[other]
            queue.append(mate[other])
        if freed & better & -better:
            break
    if not freed & better:
        return
    partner = ((freed & better) & -(freed & better)).bit_length() - 1
    while partner != goal:
        loser = mate[partner]
        mate[vertex], mate[partner] = partner, vertex
        vertex, partner = loser, takes[loser]
    mate[vertex], mate[partner] = partner, vertex
