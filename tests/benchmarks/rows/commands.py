"""Results over HTTP, each on the disk before it is answered, while the worker and the projector do their work.

An installation of 16 partitions on this one machine: server, gateway, worker and projector, and the load generator beside
them, a process of its own with 64 connections. Every request is another result of a published round, with its token and
its idempotency key; each answer must be 201. Baseline: the gateway's own `/health/live` asked by the same generator at
the same pace, which is what HTTP costs here without a command, and the same commands carried out without HTTP. Where
several results of one board are needed, those after the first are corrections. The logs have been read when it begins.
"""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice
from time import perf_counter

from rules.state import Tournament
from services.gateway.commands import Commands, Order
from tests.benchmarks.bench import Bench
from tests.benchmarks.generator import command, get
from tests.benchmarks.house import House, house
from tests.benchmarks.load import OK, Outcome, Shot
from tests.benchmarks.measuring import percentile, times
from tests.benchmarks.metering import metered
from tests.benchmarks.results import results
from tests.benchmarks.scale import Scale
from tests.benchmarks.table import Row

PARTITIONS = 16
PLAYERS_MAX = 320
AMPLE = 3  # times what is aimed at, so that nobody runs out of results
SINGLE_LANES = 16
P99_MS_MAX = 100.0
HEALTH = get("/health/live")
HEALTH_RATE_MAX = 20_000  # more than can be answered

Lanes = Sequence[Sequence[Shot]]


async def rows(bench: Bench) -> list[Row]:
    """Time commands over HTTP."""
    async with house(bench.room("commands"), PARTITIONS) as running:
        return await measured(running, bench.scale)


async def measured(running: House, scale: Scale) -> list[Row]:
    """Time commands to a running installation."""
    return [
        *await _at_a_rate(running, scale),
        *await _as_fast_as_possible(running, scale),
        *await _single(running, scale),
    ]


async def _at_a_rate(running: House, scale: Scale) -> list[Row]:
    """Offer `command_rate` a second to all tournaments."""
    rate, for_s, count = scale.command_rate, scale.command_s, scale.tournaments
    lanes = await _lanes(running, "paced", count, round(rate * for_s / count))
    health = await _health(running, count, rate, for_s / 2)
    outcome, costs = await metered(running, lanes, rate=rate)
    return [
        _latencies(f"results over HTTP, {count} tournaments", outcome, health, rate, P99_MS_MAX),
        costs,
    ]


async def _as_fast_as_possible(running: House, scale: Scale) -> list[Row]:
    """Let a connection for each tournament send without a pause: over HTTP, then the same without it."""
    for_s, count = scale.command_s, scale.tournaments
    lanes = await _lanes(running, "hasty", count, round(AMPLE * scale.command_rate * for_s / count))
    health = await _health(running, count, None, for_s / 2)
    outcome, costs = await metered(running, lanes, for_s=for_s)
    direct = await _without_http(running, count, round(outcome.rate * for_s / count / 4) + 1)
    what = f"results over HTTP, {count} tournaments, no pause"
    return [
        _rate(what, outcome, health.rate, "/health/live", scale.command_rate),
        costs,
        _rate(what, outcome, direct, "the same without HTTP", None),
    ]


async def _single(running: House, scale: Scale) -> list[Row]:
    """Send to one tournament: at the rate that is asked for, then without a pause."""
    rate, for_s = scale.single_rate, scale.command_s
    states = await _opened(running, "single", 1, scale.single_players)
    [(name, state)] = states.items()
    first = round(rate * for_s)
    shots = list(islice(_shots(running, name, state), first + round(AMPLE * rate * for_s)))
    health = await _health(running, SINGLE_LANES, rate, for_s / 2)
    paced = await running.generator.send(_by_board(shots[:first], state), rate=rate)
    hasty = await running.generator.send(_by_board(shots[first:], state), for_s=for_s)
    health_hasty = await _health(running, SINGLE_LANES, None, for_s / 2)
    what = f"results over HTTP, 1 tournament of {scale.single_players}"
    return [
        _latencies(what, paced, health, rate, P99_MS_MAX),
        _rate(f"{what}, no pause", hasty, health_hasty.rate, "/health/live", rate),
    ]


async def _opened(running: House, prefix: str, count: int, players: int) -> dict[str, Tournament]:
    states = await running.open(prefix, count, players)
    await running.settled()
    await running.seen(states)
    return states


async def _lanes(running: House, prefix: str, count: int, each: int) -> Lanes:
    """Open tournaments and return a lane for each, with so many results, all of them first ones if they fit."""
    states = await _opened(running, prefix, count, min(2 * each, PLAYERS_MAX))
    return [list(islice(_shots(running, name, state), each)) for name, state in states.items()]


def _shots(running: House, name: str, state: Tournament) -> Iterator[Shot]:
    for number, given in enumerate(results(state)):
        yield Shot(command(name, given, f"result-{number}", running.token))


def _by_board(shots: Sequence[Shot], state: Tournament) -> Lanes:
    """Deal out the results of one tournament, those of a board always to the same lane, which keeps their order."""
    boards = len(state.round(1).boards)
    lanes: list[list[Shot]] = [[] for _ in range(SINGLE_LANES)]
    for number, shot in enumerate(shots):
        lanes[number % boards % SINGLE_LANES].append(shot)
    return lanes


async def _health(running: House, lanes: int, rate: float | None, for_s: float) -> Outcome:
    count = round((rate or HEALTH_RATE_MAX) * for_s / lanes)
    shots = [[Shot(HEALTH)] * count] * lanes
    return await running.generator.send(shots, expected=OK, rate=rate, for_s=None if rate else for_s)


async def _without_http(running: House, count: int, each: int) -> float:
    """Return how many results a second have carried out so many writers in this process."""
    commands = Commands(running.store)
    states = await _opened(running, "direct", count, min(2 * each, PLAYERS_MAX))
    for name in states:
        await commands.state(name)

    async def write(name: str, state: Tournament) -> None:
        for number, given in enumerate(islice(results(state), each)):
            await commands.carry_out(name, given, Order(id=f"result-{number}", actor="bench"))

    start = perf_counter()
    await asyncio.gather(*(write(name, state) for name, state in states.items()))
    return count * each / (perf_counter() - start)


def _latencies(what: str, outcome: Outcome, health: Outcome, rate: int, p99_ms_max: float) -> Row:
    ours, theirs = (percentile(found.latencies_ms, 0.99) for found in (outcome, health))
    median = percentile(outcome.latencies_ms, 0.5)
    # What was offered was taken, up to the answer to the last request.
    kept_up = outcome.rate >= 0.98 * rate
    return Row(
        what=f"{what}, {rate}/s offered",
        figure=f"{outcome.rate:.0f}/s, p50 {median:.1f} ms, p99 {ours:.1f} ms",
        baseline=f"/health/live {health.rate:.0f}/s, p99 {theirs:.1f} ms",
        ratio=times(ours / theirs),
        target=f"{rate}/s, p99 < {p99_ms_max:.0f} ms",
        met=kept_up and ours < p99_ms_max,
    )


def _rate(what: str, outcome: Outcome, theirs: float, beside: str, target: int | None) -> Row:
    p99 = percentile(outcome.latencies_ms, 0.99)
    return Row(
        what=what,
        figure=f"{outcome.rate:.0f}/s, p99 {p99:.1f} ms",
        baseline=f"{theirs:.0f}/s, {beside}",
        ratio=times(outcome.rate / theirs),
        target=f"≥ {target}/s" if target else "",
        met=outcome.rate >= target if target else None,
    )
