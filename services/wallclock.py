"""The clock on the wall, as a value that is passed in: the only place outside the store that reads it."""

import time
from collections.abc import Callable

Clock = Callable[[], int]  # milliseconds since 1970


def wall_clock() -> int:
    """Return this machine's clock, milliseconds since 1970."""
    return time.time_ns() // 1_000_000
