"""Load with a look at who pays for it: the processor time of each process, and of everybody else, meanwhile."""

from collections.abc import Sequence

from tests.benchmarks.house import House
from tests.benchmarks.load import Outcome, Shot
from tests.benchmarks.processes import machine_cpu_s
from tests.benchmarks.table import Row


async def metered(
    running: House, lanes: Sequence[Sequence[Shot]], rate: float | None = None, for_s: float | None = None
) -> tuple[Outcome, Row]:
    """Send `lanes`, and return besides what each process used meanwhile: who is near 100 % is the bottleneck."""
    before, everybody_before = running.cpu_s(), machine_cpu_s()
    outcome = await running.generator.send(lanes, rate=rate, for_s=for_s)
    everybody = machine_cpu_s() - everybody_before
    used = running.used_s(before) | {"load": outcome.cpu_s}
    others = max(0.0, everybody - sum(used.values()))  # besides the harness: whoever shares the machine
    shares = {name: 100 * seconds / outcome.took_s for name, seconds in (used | {"others": others}).items()}
    each = {name: 1000 * seconds / len(outcome.latencies_ms) for name, seconds in used.items()}
    return outcome, Row(
        what="  processor time meanwhile, % of one core",
        figure=_listed(shares, ".0f"),
        baseline=f"{sum(each.values()):.2f} ms a result: {_listed(each, '.2f')}",
    )


def _listed(figures: dict[str, float], form: str) -> str:
    return ", ".join(f"{name} {figure:{form}}" for name, figure in figures.items())
