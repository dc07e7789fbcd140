"""The earliest transposition (art. 4.2) of given subgroups, when every edge that is allowed is equally good.

The graph has two sides: whoever pairs from above (S1, and the vertices that stand for a float), and whoever is
paired (S2, and MDPs in the Limbo). One search backwards along alternating paths tells everything that a player
of S1 can get without leaving somebody else without a partner.
"""

from collections.abc import Sequence

from rules.swiss.dutch.matching.cardinality import bit_set, bits, enlarge


def earliest_transposition(
    allowed: Sequence[int],
    s1: Sequence[int],
    floats: Sequence[int],
    below: Sequence[int],
    mate: Sequence[int],
) -> list[int] | None:
    """Return the partners of `s1` in the earliest transposition, None if there is none at all.

    `allowed` holds each vertex' neighbours as a bit set; `floats` are the other vertices of the upper side,
    `below` all of the lower. `mate` is a matching that may be useful to begin with.
    """
    upper, lower = bit_set([*s1, *floats]), bit_set(below)
    neighbours = [
        mask & (lower if upper >> vertex & 1 else upper if lower >> vertex & 1 else 0)
        for vertex, mask in enumerate(allowed)
    ]
    own = [
        partner if partner >= 0 and neighbours[vertex] >> partner & 1 else -1
        for vertex, partner in enumerate(mate)
    ]
    if enlarge(neighbours, upper | lower, own):
        return None
    left = upper | lower
    for vertex in s1:
        better = neighbours[vertex] & left & ((1 << own[vertex]) - 1)
        if better:
            _improve(neighbours, left, own, vertex, better)
        left &= ~(1 << vertex | 1 << own[vertex])
    return [own[vertex] for vertex in s1]


def _improve(neighbours: Sequence[int], left: int, mate: list[int], vertex: int, better: int) -> None:
    """Give `vertex` the smallest partner of `better` that can be made up for inside `left`, if there is one."""
    goal = mate[vertex]
    first = better & -better
    takes = {}  # what an upper vertex can take instead of its partner, so that in the end `goal` is taken
    freed, unseen = 0, left & ~(1 << vertex)
    queue = [goal]
    for taken in queue:
        found = neighbours[taken] & unseen
        unseen &= ~found
        for other in bits(found):
            takes[other] = taken
            freed |= 1 << mate[other]
            queue.append(mate[other])
        if freed & first:
            break
    if not freed & better:
        return
    partner = ((freed & better) & -(freed & better)).bit_length() - 1
    while partner != goal:
        loser = mate[partner]
        mate[vertex], mate[partner] = partner, vertex
        vertex, partner = loser, takes[loser]
    mate[vertex], mate[partner] = partner, vertex
