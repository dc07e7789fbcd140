"""Medians, percentiles, and runs that alternate with those of the baseline, so that both meet the same noise."""

import math
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence

Timed = Callable[[], Awaitable[float]]  # does its work once and returns what it measured

LONG_S = 5.0


def median_s(work: Callable[[], object], runs: int) -> float:
    """Return the median time of `work` after one run to warm up; when a run takes seconds, fewer count."""
    times: list[float] = []
    while len(times) <= runs and sum(times) < LONG_S:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:] or times)


async def duel(ours: Timed, theirs: Timed, runs: int) -> tuple[float, float]:
    """Return the medians of two measurements that alternate, after one of each to warm up."""
    await ours()
    await theirs()
    pairs = [(await ours(), await theirs()) for _ in range(runs)]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of all `values` do not exceed.

    >>> percentile([3, 1, 2, 4], 0.5), percentile([3, 1, 2, 4], 0.99)
    (2, 4)
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def times(ratio: float) -> str:
    """Return a ratio as it stands in the table."""
    return f"{ratio:.2f} ×" if ratio < 10 else f"{ratio:.0f} ×"
