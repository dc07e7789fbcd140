"""How soon a tournament that rings again is visited again: later, the more is written.

A visit takes in everything that is new, so rings that wait for it cost nothing. When little is written, nobody waits;
when much is, each tournament is visited less often, and the commands keep the processor and the disk.
"""

import asyncio
import math
from collections import OrderedDict

MEMORY_S = 1.0  # over which entries are counted
GAP_S_MAX = 0.5
A_HUNDRED = 100.0


class Pace:
    """Keeps visits to the same tournament apart: by `gap_s` when a hundred entries a second are written to all.

    The gap grows with the square of the entries, so that it is nothing to speak of when few are written, and the
    number of visits falls when very many are.
    """

    def __init__(self, gap_s: float) -> None:
        self._gap_s = gap_s
        self._began: OrderedDict[str, float] = OrderedDict()  # when tournaments were visited lately
        self._entries = 0.0  # a second
        self._counted = 0.0  # when that was

    async def wait(self, tournament: str) -> None:
        """Wait until `tournament` may be visited."""
        clock = asyncio.get_running_loop().time
        began = self._began.get(tournament)
        if began is not None:
            await asyncio.sleep(max(0.0, began + self.gap_s(clock()) - clock()))
        now = clock()
        self._began[tournament] = now
        self._began.move_to_end(tournament)
        while next(iter(self._began.values())) < now - GAP_S_MAX:
            self._began.popitem(last=False)

    def count(self, entries: int) -> None:
        """Count entries that a visit took in."""
        now = asyncio.get_running_loop().time()
        self._entries = self._rate(now) + entries / MEMORY_S
        self._counted = now

    def gap_s(self, now: float) -> float:
        """Return how far apart two visits to one tournament are at present."""
        return min(self._gap_s * (self._rate(now) / A_HUNDRED) ** 2, GAP_S_MAX)

    def _rate(self, now: float) -> float:
        return self._entries * math.exp((self._counted - now) / MEMORY_S)
