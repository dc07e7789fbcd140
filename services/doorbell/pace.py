"""How soon a tournament that rings again is visited again: later, the more is going on.

A visit takes in everything that is new, so rings that wait for it cost nothing. When little goes on, nobody waits;
when much does, each tournament is visited less often, and the commands that cause it keep their processor time.
"""

import asyncio
import math
from collections import OrderedDict

MEMORY_S = 0.2  # over which visits are counted
GAP_S_MAX = 1.0
A_HUNDRED = 100.0


class Pace:
    """Keeps visits to the same tournament apart: by `gap_s` when a hundred visits a second are made to any of them.

    The gap grows with the square of the visits, so that few wait when few are made, and their number has a bound.
    """

    def __init__(self, gap_s: float) -> None:
        self._gap_s = gap_s
        self._began: OrderedDict[str, float] = OrderedDict()  # when tournaments were visited lately
        self._visits = 0.0  # a second
        self._counted = 0.0  # when that was

    async def wait(self, tournament: str) -> None:
        """Wait until `tournament` may be visited, and count the visit."""
        clock = asyncio.get_running_loop().time
        began = self._began.get(tournament)
        if began is not None:
            await asyncio.sleep(max(0.0, began + self.gap_s(clock()) - clock()))
        now = clock()
        self._visits = self._rate(now) + 1 / MEMORY_S
        self._counted = now
        self._began[tournament] = now
        self._began.move_to_end(tournament)
        while next(iter(self._began.values())) < now - GAP_S_MAX:
            self._began.popitem(last=False)

    def gap_s(self, now: float) -> float:
        """Return how far apart two visits to one tournament are at present."""
        return min(self._gap_s * (self._rate(now) / A_HUNDRED) ** 2, GAP_S_MAX)

    def _rate(self, now: float) -> float:
        return self._visits * math.exp((self._counted - now) / MEMORY_S)
