"""From an accepted result to the public view: the time between its 201 and the first answer that shows it.

The installation of `commands`, at a steady stream of results over 64 tournaments. Of every fourth it is watched when it
is public: whoever has sent it asks the gateway for the boards of its round, again 5 ms after each answer, until they
show it. The figures are up to that much too long, and the asking is part of the load: the later a result is shown, the
more there is of it. Baseline: one such question when nothing goes on.
"""

from collections.abc import Iterator
from itertools import islice

from rules.state import Tournament
from tests.benchmarks.bench import Bench
from tests.benchmarks.generator import command, get
from tests.benchmarks.house import House, house
from tests.benchmarks.load import OK, Shot, Watch
from tests.benchmarks.measuring import percentile, times
from tests.benchmarks.metering import metered
from tests.benchmarks.results import results
from tests.benchmarks.scale import Scale
from tests.benchmarks.table import Row

PARTITIONS = 16
RATE = 100  # results a second
WATCHED_EVERY = 4
P99_MS_MAX = 100.0
QUIET = 3  # questions a tournament when nothing goes on
QUIET_RATE = 20  # of them a second


async def rows(bench: Bench) -> list[Row]:
    """Watch results on their way."""
    async with house(bench.room("freshness"), PARTITIONS) as running:
        return await measured(running, bench.scale)


async def measured(running: House, scale: Scale) -> list[Row]:
    """Watch results on their way through a running installation."""
    count = scale.tournaments
    each = round(RATE * scale.watch_s / count)
    states = await running.open("watched", count, 2 * each)
    await running.settled()
    await running.seen(states)
    asked = [[Shot(get(_boards(name)))] * QUIET for name in states]
    quiet = await running.generator.send(asked, expected=OK, rate=QUIET_RATE)
    shots = [list(islice(watched(name, state, running.token), each)) for name, state in states.items()]
    lanes = [
        [
            shot if (number + turn) % WATCHED_EVERY == 0 else Shot(shot.request)
            for turn, shot in enumerate(lane)
        ]
        for number, lane in enumerate(shots)
    ]
    outcome, costs = await metered(running, lanes, rate=RATE)
    ours, theirs = percentile(outcome.shown_ms, 0.99), percentile(quiet.latencies_ms, 0.99)
    median, worst = percentile(outcome.shown_ms, 0.5), max(outcome.shown_ms)
    row = Row(
        what=f"accepted result → public view, {RATE}/s over {count} tournaments",
        figure=f"p50 {median:.0f} ms, p99 {ours:.0f} ms, at worst {worst:.0f} ms",
        baseline=f"p99 {theirs:.1f} ms, the view asked for once",
        ratio=times(ours / theirs),
        target=f"p99 < {P99_MS_MAX:.0f} ms",
        met=ours < P99_MS_MAX,
    )
    return [row, costs]


def watched(name: str, state: Tournament, token: str) -> Iterator[Shot]:
    """Yield results of round 1, each with the way to see that it is public."""
    for number, given in enumerate(results(state)):
        watch = Watch(get(_boards(name)), given.board, given.result)
        yield Shot(command(name, given, f"watched-{number}", token), watch)


def _boards(tournament: str) -> str:
    return f"/tournaments/{tournament}/rounds/1"
