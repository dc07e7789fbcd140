"""Idleness: the processor time that an installation uses while nobody does anything.

Server, gateway, worker and projector with 64 tournaments open, a round published in each, left alone; the sum of all four,
once with the one partition of a laptop, once with the 16 of a federation. Baseline: the same installation, its store
empty.
"""

import asyncio

from tests.benchmarks.bench import Bench
from tests.benchmarks.house import House, house
from tests.benchmarks.measuring import times
from tests.benchmarks.scale import Scale
from tests.benchmarks.table import Row

PLAYERS = 32
SHARE_MAX = 5.0  # % of one core
LAPTOP, FEDERATION = 1, 16  # partitions


async def rows(bench: Bench) -> list[Row]:
    """Leave two installations alone."""
    found = []
    for partitions in (LAPTOP, FEDERATION):
        async with house(bench.room(f"idle-{partitions}"), partitions) as running:
            found.append(await measured(running, bench.scale))
    return found


async def measured(running: House, scale: Scale) -> Row:
    """Leave a running installation alone, as it is and with tournaments open."""
    partitions, count = running.store.partitions, scale.tournaments
    empty = await _used(running, scale.idle_s)
    await running.open("idle", count, PLAYERS)
    await running.settled()
    used = await _used(running, scale.idle_s)
    ours, theirs = sum(used.values()), sum(empty.values())
    return Row(
        what=f"idle, {count} tournaments, {partitions} partition{'s' if partitions > 1 else ''}",
        figure=f"{ours:.1f} % of a core ({', '.join(f'{name} {share:.1f}' for name, share in used.items())})",
        baseline=f"{theirs:.1f} %, the store empty",
        ratio=times(ours / theirs) if theirs else "",
        target=f"< {SHARE_MAX:.0f} %" if partitions == LAPTOP else "",
        met=ours < SHARE_MAX if partitions == LAPTOP else None,
    )


async def _used(running: House, for_s: float) -> dict[str, float]:
    """Return what each process uses in `for_s` seconds of idleness, % of one core."""
    before = running.cpu_s()
    await asyncio.sleep(for_s)  # the idleness that is measured
    return {name: 100 * used / for_s for name, used in running.used_s(before).items()}
