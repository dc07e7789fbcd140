"""Largest matchings by augmenting paths (Edmonds), on graphs whose neighbourhoods are bit sets.

A matching is a list `mate`: vertex to partner, -1 for nobody. It is repaired, not rebuilt: whoever knows a
matching of nearly the same graph passes it in, and pays only for what changed.
"""

from collections.abc import Iterator, Sequence

NOBODY = -1


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the ones of `mask`, smallest first.

    >>> list(bits(0b10110))
    [1, 2, 4]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def bit_set(positions: Sequence[int]) -> int:
    """Return the bit set that holds exactly `positions`."""
    mask = 0
    for position in positions:
        mask |= 1 << position
    return mask


def enlarge(neighbours: Sequence[int], alive: int, mate: list[int]) -> int:
    """Make `mate` a largest matching of the graph on the vertices `alive`; return the bit set left exposed.

    Pairs of `mate` that are no edge of that graph any more must have been taken out before.
    """
    exposed = bit_set([vertex for vertex in bits(alive) if mate[vertex] == NOBODY])
    hopeless = 0
    for vertex in bits(exposed):  # greedily first: nearly everybody finds a partner so
        if exposed >> vertex & 1:
            choice = neighbours[vertex] & exposed & ~(1 << vertex)
            if choice:
                partner = (choice & -choice).bit_length() - 1
                mate[vertex], mate[partner] = partner, vertex
                exposed &= ~(1 << vertex | 1 << partner)
    while (exposed & ~hopeless).bit_count() > 1:  # a path has two exposed ends
        root = ((exposed & ~hopeless) & -(exposed & ~hopeless)).bit_length() - 1
        end = augment(neighbours, alive, mate, root, exposed)
        if end == NOBODY:
            hopeless |= 1 << root  # no later augmentation can help it (Edmonds)
        else:
            exposed &= ~(1 << root | 1 << end)
    return exposed


def augment(neighbours: Sequence[int], alive: int, mate: list[int], root: int, exposed: int) -> int:
    """Match the exposed vertex `root` by one augmenting path; return the path's other end, NOBODY if none is."""
    return _Search(neighbours, alive, mate, root, exposed).run()


class _Search:
    """One alternating tree from an exposed root; odd cycles are shrunk onto their base."""

    def __init__(
        self, neighbours: Sequence[int], alive: int, mate: list[int], root: int, exposed: int
    ) -> None:
        self.neighbours = neighbours
        self.mate = mate
        self.root = root
        self.targets = exposed & ~(1 << root)
        self.unseen = alive & ~exposed
        self.outer = 1 << root  # at even distance from the root
        self.parent: dict[int, int] = {}  # of an inner vertex: the outer vertex it was reached from
        self.base: dict[int, int] = {root: root}
        self.queue = [root]

    def run(self) -> int:
        """Return the exposed vertex that an augmenting path reached, after augmenting along it."""
        if self.neighbours[self.root] & self.targets:
            return self._flip(self.root)
        for vertex in self.queue:
            near = self.neighbours[vertex]
            arrived = self._grow(vertex, near & self.unseen)
            if arrived != NOBODY:
                return self._flip(arrived)
            for other in bits(near & self.outer):
                if self.base[other] != self.base[vertex]:
                    arrived = self._shrink(vertex, other)
                    if arrived != NOBODY:
                        return self._flip(arrived)
        return NOBODY

    def _grow(self, vertex: int, found: int) -> int:
        """Reach `found` and their partners; return the first of these that has an exposed neighbour."""
        while found:
            inner = (found & -found).bit_length() - 1
            partner = self.mate[inner]
            self.parent[inner] = vertex
            self.base[inner], self.base[partner] = inner, partner
            self.outer |= 1 << partner
            self.unseen &= ~(1 << inner | 1 << partner)
            found &= self.unseen
            self.queue.append(partner)
            if self.neighbours[partner] & self.targets:
                return partner
        return NOBODY

    def _shrink(self, one: int, two: int) -> int:
        """Shrink the odd cycle that an edge between outer vertices closes.

        Return the first vertex that it makes outer and that has an exposed neighbour.
        """
        base = self._common_base(one, two)
        touched: set[int] = set()
        self._mark(one, two, base, touched)
        self._mark(two, one, base, touched)
        arrived = NOBODY
        for vertex, its_base in self.base.items():
            if its_base in touched:
                self.base[vertex] = base
                if not self.outer >> vertex & 1:
                    self.outer |= 1 << vertex
                    self.queue.append(vertex)
                    if arrived == NOBODY and self.neighbours[vertex] & self.targets:
                        arrived = vertex
        return arrived

    def _common_base(self, one: int, two: int) -> int:
        seen = set()
        while True:
            one = self.base[one]
            seen.add(one)
            if one == self.root:
                break
            one = self.parent[self.mate[one]]
        while self.base[two] not in seen:
            two = self.parent[self.mate[self.base[two]]]
        return self.base[two]

    def _mark(self, vertex: int, child: int, base: int, touched: set[int]) -> None:
        while self.base[vertex] != base:
            inner = self.mate[vertex]
            touched.add(self.base[vertex])
            touched.add(self.base[inner])
            self.parent[vertex] = child
            child = inner
            vertex = self.parent[inner]

    def _flip(self, vertex: int) -> int:
        """Augment: match the outer `vertex` with an exposed neighbour, and shift every pair up to the root.

        Return that neighbour.
        """
        near = self.neighbours[vertex] & self.targets
        end = (near & -near).bit_length() - 1
        partner = end
        while True:
            before = self.mate[vertex]
            self.mate[vertex], self.mate[partner] = partner, vertex
            if before == NOBODY:
                return end
            partner, vertex = before, self.parent[before]
