"""Growth: what it costs to have 10, 100, 1,000 tournaments of 100 players open at once.

Of each size an installation of its own. All tournaments are put into the store at once, entries closed: the time until
the worker has paired and published round 1 of them all, and until the projector shows it. Then results come in, one
after the other over all tournaments, so that every process has dealt with every one, each watched until the public
view shows it (the projector's lag); and in further tournaments the entries are closed, each watched until its round is
published (the worker's lag, the pairing included). Then the memory of each process. Baseline: the smallest size.
"""

import asyncio
from itertools import cycle, islice
from time import perf_counter

import msgspec

from rules.commands import CloseAppealWindow
from rules.state import Tournament
from services.gateway.commands import Commands, Order
from tests.benchmarks import paper
from tests.benchmarks.bench import Bench
from tests.benchmarks.house import House, house
from tests.benchmarks.measuring import percentile, times
from tests.benchmarks.rows.freshness import watched
from tests.benchmarks.scale import Scale
from tests.benchmarks.table import Row

PARTITIONS = 16
RATE = 50  # results a second
LANES = 16
PROBE_EVERY_S = 0.5
LOOK_EVERY_S = 0.002


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What one size costs."""

    count: int
    flood_s: float  # until every first round is public
    projector_ms: tuple[float, ...]
    worker_ms: tuple[float, ...]
    memory_mb: dict[str, float]


async def rows(bench: Bench) -> list[Row]:
    """Open more and more tournaments."""
    found = []
    for count in bench.scale.growth:
        async with house(bench.room(f"growth-{count}"), PARTITIONS) as running:
            found.append(await measured(running, bench.scale, count))
    return compared(found, bench.scale.growth_players)


async def measured(running: House, scale: Scale, count: int) -> Found:
    """Open so many tournaments in an installation that has none."""
    start = perf_counter()
    states = await running.open(f"open-{count}", count, scale.growth_players)
    await running.settled()
    flood_s = perf_counter() - start
    probes = [f"probe-{count}-{number}" for number in range(scale.growth_probes)]
    for probe in probes:
        await paper.put(running.store, probe, paper.entered(scale.growth_players, closed=False))
    await running.settled()
    await running.seen(states)
    shown, worker_ms = await asyncio.gather(
        _results(running, states, scale.growth_results), _closings(running, probes)
    )
    return Found(
        count=count,
        flood_s=flood_s,
        projector_ms=shown,
        worker_ms=worker_ms,
        memory_mb=running.memory_mb(),
    )


def compared(found: list[Found], players: int) -> list[Row]:
    """Return the lines that set the sizes beside each other."""
    sizes = " / ".join(f"{size.count:,}" for size in found)
    what = f"{sizes} tournaments of {players}"
    least, most = found[0], found[-1]
    return [
        Row(
            what=f"{what}: all first rounds paired and public",
            figure=" / ".join(f"{size.flood_s:.1f} s" for size in found),
            baseline=f"{least.count / least.flood_s:.0f} tournaments/s with {least.count}",
            ratio=times((most.count / most.flood_s) / (least.count / least.flood_s)),
        ),
        _lag(f"{what}: projector's lag", {size.count: size.projector_ms for size in found}),
        _lag(f"{what}: worker's lag, pairing included", {size.count: size.worker_ms for size in found}),
        *(_memory(what, name, found) for name in least.memory_mb),
    ]


async def _results(running: House, states: dict[str, Tournament], least: int) -> tuple[float, ...]:
    """Send results to all tournaments in turn, at least so many, and return after how many ms each was public."""
    shots = cycle([watched(name, state, running.token) for name, state in states.items()])
    count = max(least, len(states))
    taken = [next(source) for source in islice(shots, count)]
    # Those of one tournament stay in one lane, which keeps their order.
    lanes = [
        [shot for number, shot in enumerate(taken) if number % len(states) % LANES == lane]
        for lane in range(min(LANES, len(states)))
    ]
    return (await running.generator.send(lanes, rate=RATE)).shown_ms


async def _closings(running: House, probes: list[str]) -> tuple[float, ...]:
    """Close the entries of tournaments, one after the other, and return after how many ms round 1 was published."""
    commands, found = Commands(running.store), []
    for probe in probes:
        await asyncio.sleep(PROBE_EVERY_S)  # a pace, not a wait
        await commands.carry_out(probe, CloseAppealWindow(round=0), Order(id="close", actor="bench"))
        closed = perf_counter()
        while not (await commands.state(probe)).state.published_rounds:
            running.check()
            await asyncio.sleep(LOOK_EVERY_S)
        found.append((perf_counter() - closed) * 1000)
    return tuple(found)


def _lag(what: str, lags: dict[int, tuple[float, ...]]) -> Row:
    p50 = {count: percentile(lag, 0.5) for count, lag in lags.items()}
    p99 = {count: percentile(lag, 0.99) for count, lag in lags.items()}
    least, most = min(lags), max(lags)
    return Row(
        what=what,
        figure=f"p50 {' / '.join(f'{ms:.0f}' for ms in p50.values())} ms, "
        f"p99 {' / '.join(f'{ms:.0f}' for ms in p99.values())} ms",
        baseline=f"p50 {p50[least]:.0f} ms with {least}",
        ratio=times(p50[most] / p50[least]),
    )


def _memory(what: str, name: str, found: list[Found]) -> Row:
    sizes = [size.memory_mb[name] for size in found]
    return Row(
        what=f"{what}: memory of {name}",
        figure=" / ".join(f"{mb:.0f}" for mb in sizes) + " MB",
        baseline=f"{sizes[0]:.0f} MB with {found[0].count}",
        ratio=times(sizes[-1] / sizes[0]),
    )
