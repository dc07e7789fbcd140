"""The matching kernels against networkx: as large, as cheap, and warm starts change nothing."""

from random import Random

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.swiss.dutch.matching.cardinality import NOBODY, bits, enlarge
from rules.swiss.dutch.matching.minimum_cost import UNIT, cheapest_perfect_matching

MANY = settings(max_examples=150, deadline=None)


def graph(random: Random, size: int, density: float) -> dict[tuple[int, int], int]:
    """Return edges with costs; few different costs make many ties and so many blossoms."""
    highest = random.choice([1, 3, 1000, 10**40])
    return {
        (one, two): UNIT * random.randint(0, highest)
        for one in range(size)
        for two in range(one + 1, size)
        if random.random() < density
    }


def oracle(edges: dict[tuple[int, int], int], size: int) -> tuple[int, int]:
    """Return size and cost of a cheapest largest matching."""
    drawn = nx.Graph()
    drawn.add_nodes_from(range(size))
    drawn.add_weighted_edges_from((one, two, cost) for (one, two), cost in edges.items())
    found = nx.min_weight_matching(drawn) if edges else set()
    return len(found), sum(edges[min(pair), max(pair)] for pair in found)


def rows(edges: dict[tuple[int, int], int], size: int) -> list[dict[int, int]]:
    table: list[dict[int, int]] = [{} for _ in range(size)]
    for (one, two), cost in edges.items():
        table[one][two] = table[two][one] = cost
    return table


def masks(edges: dict[tuple[int, int], int], size: int) -> list[int]:
    table = [0] * size
    for one, two in edges:
        table[one] |= 1 << two
        table[two] |= 1 << one
    return table


@MANY
@given(st.integers(0, 10**9), st.integers(1, 14), st.floats(0.1, 1))
def test_a_largest_matching_is_as_large_as_the_oracles(seed: int, size: int, density: float) -> None:
    edges = graph(Random(seed), size, density)
    mate = [NOBODY] * size

    exposed = enlarge(masks(edges, size), (1 << size) - 1, mate)

    assert size - exposed.bit_count() == 2 * oracle(edges, size)[0]
    assert {vertex for vertex in range(size) if mate[vertex] == NOBODY} == set(bits(exposed))
    for vertex, partner in enumerate(mate):
        assert partner == NOBODY or (
            mate[partner] == vertex and (min(vertex, partner), max(vertex, partner)) in edges
        )


@MANY
@given(st.integers(0, 10**9), st.integers(1, 7), st.floats(0.3, 1))
def test_a_cheapest_perfect_matching_is_as_cheap_as_the_oracles(seed: int, half: int, density: float) -> None:
    size = 2 * half
    edges = graph(Random(seed), size, density)
    pairs, cost = oracle(edges, size)

    found = cheapest_perfect_matching(rows(edges, size))

    if pairs < half:
        assert found is None
        return
    assert found is not None
    table = rows(edges, size)
    assert all(found.mate[found.mate[vertex]] == vertex for vertex in range(size))
    assert sum(table[vertex][found.mate[vertex]] for vertex in range(size)) == 2 * cost


@MANY
@given(st.integers(0, 10**9), st.integers(2, 7))
def test_starting_from_another_answer_gives_as_cheap_a_one(seed: int, half: int) -> None:
    random, size = Random(seed), 2 * half
    edges = graph(random, size, 1)
    first = cheapest_perfect_matching(rows(edges, size))
    assert first is not None
    changed = {pair: cost + UNIT * random.randint(0, 5) for pair, cost in edges.items()}
    even = [potential - potential % 2 for potential in first.potential]

    warm = cheapest_perfect_matching(rows(changed, size), even, first.mate)

    assert warm is not None
    table = rows(changed, size)
    assert sum(table[vertex][warm.mate[vertex]] for vertex in range(size)) == 2 * oracle(changed, size)[1]
