"""The cheapest perfect matching of a weighted general graph: Edmonds' primal-dual method, in exact integers.

The dual side is a potential for every vertex, with potential[u] + potential[v] <= cost of every edge outside
blossoms, and a charge for every blossom. All exposed vertices grow alternating trees at once. Whoever solves
nearly the same graph again passes potentials and mates in, and pays only for what changed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rules.swiss.dutch.matching.cardinality import NOBODY

UNIT = 4  # every cost is a multiple of it, so that halves and halves of halves stay integers

Rows = Sequence[Mapping[int, int]]  # vertex to its neighbours and the cost of the edge, both ways
Link = tuple[int, int]


class Optimum(NamedTuple):
    """A cheapest perfect matching and the proof that none is cheaper."""

    mate: list[int]
    potential: list[int]  # never above the cost of an edge, summed over its ends
    rigid: bool  # True: blossoms are part of the proof, and the edges without slack do not tell everything


def cheapest_perfect_matching(
    rows: Rows, potential: Sequence[int] | None = None, mate: Sequence[int] | None = None
) -> Optimum | None:
    """Return a cheapest perfect matching, None if there is no perfect matching.

    `potential`, if given, is even and never above the cost of an edge (see `Optimum`); those pairs of `mate`
    that are edges and cost exactly their potentials are kept to begin with.
    """
    return _Solver(rows, potential, mate).run()


class _Solver:
    """The matching, the potentials and the blossoms; `_Solver.stage` finds one augmenting path."""

    def __init__(self, rows: Rows, potential: Sequence[int] | None, mate: Sequence[int] | None) -> None:
        self.rows = rows
        self.size = len(rows)
        self.potential = list(potential) if potential else [min(row.values(), default=0) // 2 for row in rows]
        self.mate = [NOBODY] * self.size
        for vertex, partner in enumerate(mate or ()):
            if partner in self.rows[vertex] and self.slack(vertex, partner) == 0:
                self.mate[vertex] = partner
        top = max((cost for row in rows for cost in row.values()), default=0)
        low = min(self.potential, default=0)
        self.infinite = (top + abs(low) + UNIT) * 4 * (self.size + 1)
        # Blossoms, numbered from `size` on; a plain vertex is its own blossom.
        self.inside = list(range(self.size))  # vertex to its outermost blossom
        self.base = list(range(self.size))
        self.members: list[list[int]] = [[vertex] for vertex in range(self.size)]
        self.children: dict[int, list[int]] = {}  # around the odd cycle, the one with the base first
        self.links: dict[int, list[Link]] = {}  # links[i] leads from children[i] to children[i + 1]
        self.charge: dict[int, int] = {}

    def slack(self, one: int, two: int) -> int:
        """Return what the edge costs above its potentials."""
        return self.rows[one][two] - self.potential[one] - self.potential[two]

    def run(self) -> Optimum | None:
        """Match everybody, or return None."""
        self._start_greedily()
        while NOBODY in self.mate:
            if not _Stage(self).run():
                return None
            self.dissolve(blossom for blossom in list(self.children) if self.is_outermost(blossom))
        for blossom, charge in self.charge.items():
            for vertex in self.members[blossom]:
                self.potential[vertex] -= charge // 2
        return Optimum(self.mate, self.potential, any(self.charge.values()))

    def _start_greedily(self) -> None:
        for vertex, row in enumerate(self.rows):
            if self.mate[vertex] != NOBODY or not row:
                continue
            potential = self.potential
            raised = min([cost - potential[other] for other, cost in row.items()])
            potential[vertex] = raised
            for other, cost in row.items():
                if self.mate[other] == NOBODY and cost - potential[other] == raised:
                    self.mate[vertex], self.mate[other] = other, vertex
                    break

    def is_outermost(self, blossom: int) -> bool:
        """Tell whether no other blossom contains this one."""
        return self.inside[self.members[blossom][0]] == blossom

    def dissolve(self, blossoms: Iterable[int]) -> None:
        """Dissolve those of the outermost `blossoms` that carry no charge, and what so becomes outermost."""
        todo = [blossom for blossom in blossoms if blossom >= self.size and not self.charge[blossom]]
        while todo:
            children = self.open(todo.pop())
            todo += [child for child in children if child >= self.size and not self.charge[child]]

    def open(self, blossom: int) -> list[int]:
        """Make the children of an outermost blossom outermost; return them."""
        children = self.children.pop(blossom)
        del self.links[blossom], self.charge[blossom]
        for child in children:
            for vertex in self.members[child]:
                self.inside[vertex] = child
        return children

    def close(self, children: list[int], links: list[Link]) -> int:
        """Make one blossom of an odd cycle of outermost ones; return its number."""
        blossom = len(self.members)
        self.members.append([vertex for child in children for vertex in self.members[child]])
        self.base.append(self.base[children[0]])
        self.children[blossom], self.links[blossom], self.charge[blossom] = children, links, 0
        for vertex in self.members[blossom]:
            self.inside[vertex] = blossom
        return blossom

    def child_of(self, blossom: int, vertex: int) -> int:
        """Return the position of the child that contains `vertex`."""
        return next(at for at, child in enumerate(self.children[blossom]) if vertex in self.members[child])

    def move_base(self, blossom: int, vertex: int) -> None:
        """Rematch the inside of `blossom` so that only `vertex` needs a partner outside."""
        if blossom < self.size or self.base[blossom] == vertex:
            return
        children, links = self.children[blossom], self.links[blossom]
        at, size = self.child_of(blossom, vertex), len(children)
        self.move_base(children[at], vertex)
        for left in range(at + 1, size, 2) if at % 2 else range(0, at, 2):
            one, two = links[left]
            self.move_base(children[left], one)
            self.move_base(children[(left + 1) % size], two)
            self.mate[one], self.mate[two] = two, one
        self.children[blossom] = children[at:] + children[:at]
        self.links[blossom] = links[at:] + links[:at]
        self.base[blossom] = vertex


class _Stage:
    """Alternating trees from all exposed vertices, until one augmentation or the proof that none exists.

    `outer` and `inner` map the outermost blossoms of the trees to the link they were reached by, its far end
    first; a root has None.
    """

    def __init__(self, solver: _Solver) -> None:
        self.solver = solver
        self.outer: dict[int, Link | None] = {}
        self.inner: dict[int, Link] = {}
        self.near = [NOBODY] * solver.size  # the outer neighbour with the least slack ...
        self.key = [solver.infinite] * solver.size  # ... and that slack, but for `raised` and own potential
        self.raised = 0  # how much the potentials of outer vertices have risen
        self.queue: list[int] = []
        for vertex in range(solver.size):
            if solver.mate[vertex] == NOBODY:
                self._make_outer(solver.inside[vertex], None)

    def run(self) -> bool:
        """Augment once; return False if no perfect matching exists."""
        while True:
            while self.queue:
                if self._scan(self.queue.pop()):
                    return True
            step, edges, blossoms = self._next_event()
            if step == self.solver.infinite:
                return False
            self._raise(step)
            for blossom in blossoms:
                self._open_inner(blossom)
            if any(self._use(self.near[vertex], vertex) for vertex in edges):
                return True

    def _make_outer(self, blossom: int, entry: Link | None) -> None:
        self.outer[blossom] = entry
        self.queue.extend(self.solver.members[blossom])

    def _scan(self, vertex: int) -> bool:
        """Look at all edges of an outer vertex; return True after an augmentation."""
        solver, near, key, outer = self.solver, self.near, self.key, self.outer
        inside, potential, raised = solver.inside, solver.potential, self.raised
        shift = raised - potential[vertex]
        for other, cost in solver.rows[vertex].items():
            blossom = inside[other]
            if blossom in outer:
                if blossom == inside[vertex]:
                    continue
                mirrored = cost - potential[other] + raised
                if mirrored < key[vertex] or inside[near[vertex]] == inside[vertex]:
                    key[vertex], near[vertex] = mirrored, other
            if cost + shift < key[other]:
                key[other], near[other] = cost + shift, vertex
            if cost + shift == raised + potential[other] and self._use(vertex, other):
                return True
        return False

    def _use(self, vertex: int, other: int) -> bool:
        """Extend the trees by an edge without slack, from an outer vertex; return True after augmenting."""
        blossom = self.solver.inside[other]
        if blossom in self.outer:
            return blossom != self.solver.inside[vertex] and self._meet(vertex, other)
        if blossom not in self.inner:
            base = self.solver.base[blossom]
            partner = self.solver.mate[base]
            self.inner[blossom] = (vertex, other)
            self._make_outer(self.solver.inside[partner], (base, partner))
        return False

    def _next_event(self) -> tuple[int, list[int], list[int]]:
        """Return how far potentials can move, and what happens then.

        That is: the vertices whose nearest edge has no slack any more, and the inner blossoms without charge.
        """
        solver = self.solver
        step, edges = solver.infinite, []
        for vertex, near in enumerate(self.near):
            blossom = solver.inside[vertex]
            if near == NOBODY or blossom in self.inner:
                continue
            if blossom in self.outer:
                if solver.inside[near] == blossom and not self._find_near(vertex):
                    continue
                slack = (self.key[vertex] - self.raised - solver.potential[vertex]) // 2
            else:
                slack = self.key[vertex] - self.raised - solver.potential[vertex]
            if slack < step:
                step, edges = slack, [vertex]
            elif slack == step:
                edges.append(vertex)
        charges = {b: solver.charge[b] // 2 for b in self.inner if b >= solver.size}
        least = min(charges.values(), default=step)
        if least < step:
            step, edges = least, []
        return step, edges, [blossom for blossom, charge in charges.items() if charge == step]

    def _find_near(self, vertex: int) -> bool:
        """Look for the outer neighbour in another blossom with the least slack; tell whether there is one."""
        solver, own = self.solver, self.solver.inside[vertex]
        found = [
            (cost - solver.potential[other], other)
            for other, cost in solver.rows[vertex].items()
            if solver.inside[other] != own and solver.inside[other] in self.outer
        ]
        if not found:
            self.near[vertex], self.key[vertex] = NOBODY, solver.infinite
            return False
        least, self.near[vertex] = min(found)
        self.key[vertex] = least + self.raised
        return True

    def _raise(self, step: int) -> None:
        """Raise outer and lower inner potentials by `step`; edges inside the trees keep their slack."""
        solver = self.solver
        self.raised += step
        for blossoms, change in ((self.outer, step), (self.inner, -step)):
            for blossom in blossoms:
                for vertex in solver.members[blossom]:
                    solver.potential[vertex] += change
                if blossom >= solver.size:
                    solver.charge[blossom] += 2 * change

    def _meet(self, one: int, two: int) -> bool:
        """Two outer vertices are joined without slack: augment (True), or shrink the odd cycle (False)."""
        inside = self.solver.inside
        left, right = self._way_up(inside[one]), self._way_up(inside[two])
        if left[-1] != right[-1]:
            for vertex, partner in ((one, two), (two, one)):
                self._augment(vertex, partner)
            return True
        while len(left) > 1 and len(right) > 1 and left[-2] == right[-2]:
            left.pop()
            right.pop()
        self._shrink((one, two), left, right)
        return False

    def _way_up(self, blossom: int) -> list[int]:
        """Return the outer blossoms from `blossom` to the root."""
        way = [blossom]
        while (entry := self.outer[way[-1]]) is not None:
            way.append(self.solver.inside[self.inner[self.solver.inside[entry[0]]][0]])
        return way

    def _shrink(self, link: Link, left: list[int], right: list[int]) -> None:
        """Make a blossom of two ways up that end in the same outer blossom and are joined by `link`."""
        up, up_links = self._with_inner(left)
        back, back_links = self._with_inner(right)
        children = [left[-1], *reversed(up), *back]
        links = [*reversed(up_links), link, *((inner, upper) for upper, inner in back_links)]
        entry = self.outer[left[-1]]
        new_outer = [child for child in children if child in self.inner]
        for child in children:
            self.outer.pop(child, None)
            self.inner.pop(child, None)
        self.outer[self.solver.close(children, links)] = entry
        for child in new_outer:
            self.queue.extend(self.solver.members[child])

    def _with_inner(self, way: list[int]) -> tuple[list[int], list[Link]]:
        """Return the blossoms of a way up but for its end, inner ones too, and their links, upper end first."""
        blossoms, links = [], []
        for blossom in way[:-1]:
            entry = self.outer[blossom]
            assert entry is not None, "only the end of the way can be a root"
            inner = self.solver.inside[entry[0]]
            blossoms += [blossom, inner]
            links += [entry, self.inner[inner]]
        return blossoms, links

    def _augment(self, vertex: int, partner: int) -> None:
        """Match the outer `vertex` with `partner` and shift every pair on the way to the root."""
        solver = self.solver
        while True:
            blossom = solver.inside[vertex]
            entry = self.outer[blossom]
            solver.move_base(blossom, vertex)
            solver.mate[vertex] = partner
            if entry is None:
                return
            inner = solver.inside[entry[0]]
            upper, lower = self.inner[inner]
            solver.move_base(inner, lower)
            solver.mate[lower] = upper
            vertex, partner = upper, lower

    def _open_inner(self, blossom: int) -> None:
        """Open an inner blossom without charge: an even stretch of it stays in the tree, the rest leaves it."""
        solver = self.solver
        entry = self.inner.pop(blossom)
        at, links = solver.child_of(blossom, entry[1]), solver.links[blossom]
        children = solver.open(blossom)
        size = len(children)
        self.inner[children[at]] = entry
        while at % size:
            if at % 2:
                down, up = links[at], links[(at + 1) % size]
                middle, end = (at + 1) % size, (at + 2) % size
            else:
                down, up = links[at - 1][::-1], links[at - 2][::-1]
                middle, end = at - 1, at - 2
            self._make_outer(children[middle], down)
            self.inner[children[end]] = up
            at = end
