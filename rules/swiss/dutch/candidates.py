"""The candidates of a bracket in the very order in which the articles generate them (art. 3 and 4).

Numbers are BSNs (art. 4.1), from 1. Literal and slow: for small brackets, and as the measure of the fast path.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, permutations

BsnPair = tuple[int, int]


def transpositions(s2: Sequence[int], places: int) -> Iterator[tuple[int, ...]]:
    """Yield the transpositions of S2, by their first `places` BSNs (art. 4.2); each comes as these alone.

    >>> list(transpositions([4, 5], 2))
    [(4, 5), (5, 4)]
    """
    return permutations(sorted(s2), places)


def exchanges(s1: Sequence[int], s2: Sequence[int]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the resident exchanges (art. 4.3) as (leaves S1, leaves S2), sorted as article 4.3.2 has it.

    >>> exchanges([1, 2], [3, 4])[:3]
    [((2,), (3,)), ((2,), (4,)), ((1,), (3,))]
    """
    found = [
        (out, come)
        for size in range(1, min(len(s1), len(s2)) + 1)
        for out in combinations(sorted(s1), size)
        for come in combinations(sorted(s2), size)
    ]
    return sorted(found, key=_exchange_key)


def _exchange_key(exchange: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[object, ...]:
    out, come = exchange
    largest_first = tuple(-bsn for bsn in sorted(out, reverse=True))
    return len(out), sum(come) - sum(out), largest_first, come


def mdp_sets(scores: Sequence[int], paired: int) -> Iterator[tuple[int, ...]]:
    """Yield the sets of `paired` MDPs by their smallest differing BSN (art. 4.4), valid or not.

    `scores` are those of all MDPs in the order of their BSNs.

    >>> list(mdp_sets([20, 20, 15], 2))
    [(1, 2), (1, 3), (2, 3)]
    """
    return combinations(range(1, len(scores) + 1), paired)


def mdp_exchanges(scores: Sequence[int], paired: int) -> list[tuple[int, ...]]:
    """Return the sets of `paired` MDPs that MDP-exchanges lead to: higher scores first, then BSNs (2017, D.3).

    >>> mdp_exchanges([20, 20, 15, 10], 2)[:3]
    [(1, 2), (1, 3), (2, 3)]
    """
    found = combinations(range(1, len(scores) + 1), paired)
    return sorted(found, key=lambda bsns: ([-scores[bsn - 1] for bsn in bsns], bsns))


def homogeneous(players: Sequence[int], pairs: int) -> Iterator[tuple[BsnPair, ...]]:
    """Yield the pairings of a homogeneous bracket, or of a remainder, into so many pairs (art. 3.6)."""
    s1, s2 = list(players[:pairs]), list(players[pairs:])
    for out, come in [((), ()), *exchanges(s1, s2)]:
        top = sorted({*s1, *come} - {*out})
        bottom = sorted({*s2, *out} - {*come})
        for partners in transpositions(bottom, pairs):
            yield tuple(zip(top, partners, strict=True))


def heterogeneous(
    mdp_sets: Iterable[tuple[int, ...]], residents: Sequence[int], pairs: int
) -> Iterator[tuple[BsnPair, ...]]:
    """Yield the pairings of a heterogeneous bracket (art. 3.7), with `pairs` in the remainder.

    The remainder changes fastest, MDP sets slowest.
    """
    for s1 in mdp_sets:
        for opponents in transpositions(residents, len(s1)):
            remainder = [resident for resident in residents if resident not in opponents]
            for rest in homogeneous(remainder, pairs):
                yield (*zip(s1, opponents, strict=True), *rest)
