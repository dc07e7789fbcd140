"""The engine: median time of one pairing, warm, of positions whose right pairing is known and checked.

Baseline: with `--engine COMMAND`, once or more, the fastest of other engines that have the customary command line
(`COMMAND --dutch FILE -p OUT`): whole processes, reading the file included, as these offer nothing else; and each of them
beside our own program called the same way, the start of Python included. Without: reading the position's file in the same
minute, work that grows with the players alone.
"""

import gzip
import math
import os
import subprocess
from pathlib import Path

import msgspec

from rules.swiss.dutch import pair
from rules.swiss.pairing_input import PairingOutput
from rules.trf import read, to_pairing_input
from tests.benchmarks.bench import Bench
from tests.benchmarks.measuring import median_s, times
from tests.benchmarks.table import Row
from tests.support.program import TIRAGE

POSITIONS = Path(__file__).parents[1] / "positions"
MS_MAX = {50: 8, 100: 38, 200: 100, 400: 300, 800: 900, 1600: 2500, 3200: 8000}  # by players
GROWTH_FROM = 400
EXPONENT_MAX = 2.0
MEMORY_MB_MAX = 500

Pairs = set[tuple[int, int]]


async def rows(bench: Bench) -> list[Row]:
    """Time every position."""
    room = bench.room("engine")
    found, medians = [], {}
    for size in bench.scale.engine_sizes:
        medians[size] = _ours_s(f"n{size}", bench.scale.runs)
        found += _compared(bench, f"n{size}", medians[size], room, MS_MAX[size])
    for name in bench.scale.engine_hard:
        found += _compared(bench, name, _ours_s(name, bench.scale.runs), room)
    return [*found, *_growth(medians), _memory(room, max(bench.scale.engine_sizes))]


def _ours_s(name: str, runs: int) -> float:
    """Return the median time of our pairing of a position, in seconds."""
    seen = to_pairing_input(read(_file(name)))
    expected = _expected(name)
    assert expected is None or _numbers(pair(seen)) == expected, f"{name} is paired wrongly"
    return median_s(lambda: pair(seen), runs)


def _compared(bench: Bench, name: str, ours_s: float, room: Path, ms_max: int | None = None) -> list[Row]:
    """Return the row of a position, and one for each other engine."""
    file = room / f"{name}.trf"
    file.write_bytes(_file(name))
    others = {engine: _process_s(bench.words(engine), file, bench.scale.runs) for engine in bench.engines}
    if others:
        best = min(others, key=lambda engine: others[engine])
        beside_s, what = others[best], f"{best}, whole process"
    else:
        beside_s, what = median_s(lambda: read(file.read_bytes()), bench.scale.runs), "to read its file"
    found = [
        Row(
            what=f"pair {name}",
            figure=f"{ours_s * 1000:.1f} ms",
            baseline=f"{beside_s * 1000:.1f} ms {what}",
            ratio=times(ours_s / beside_s),
            target=f"≤ {ms_max} ms" if ms_max else "",
            met=ours_s * 1000 <= ms_max if ms_max else None,
        )
    ]
    if others:
        program_s = _process_s([TIRAGE, "pair"], file, bench.scale.runs)
        found += [
            Row(
                what=f"  {name}, whole process",
                figure=f"{program_s * 1000:.0f} ms",
                baseline=f"{theirs_s * 1000:.0f} ms, {engine}",
                ratio=times(program_s / theirs_s),
            )
            for engine, theirs_s in others.items()
        ]
    return found


def _growth(medians: dict[int, float]) -> list[Row]:
    """Return the exponent of the time's growth from `GROWTH_FROM` players to the largest position."""
    largest = max(medians)
    if GROWTH_FROM not in medians or largest == GROWTH_FROM:
        return []
    exponent = math.log(medians[largest] / medians[GROWTH_FROM]) / math.log(largest / GROWTH_FROM)
    return [
        Row(
            what=f"growth from {GROWTH_FROM} to {largest} players",
            figure=f"players to the power of {exponent:.2f}",
            baseline="",
            target=f"≤ {EXPONENT_MAX:.0f}",
            met=exponent <= EXPONENT_MAX,
        )
    ]


def _memory(room: Path, size: int) -> Row:
    """Return how much memory our program takes at most for a position."""
    file, answer = room / f"n{size}.trf", room / "memory.out"
    pid = os.posix_spawn(TIRAGE, [TIRAGE, "pair", "--dutch", str(file), "-p", str(answer)], dict(os.environ))
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, status
    used_mb = usage.ru_maxrss / 1024  # Linux counts in KiB
    return Row(
        what=f"memory to pair n{size}, whole process",
        figure=f"{used_mb:.0f} MB at most",
        baseline="",
        target=f"≤ {MEMORY_MB_MAX} MB",
        met=used_mb <= MEMORY_MB_MAX,
    )


def _process_s(command: list[str], file: Path, runs: int) -> float:
    answer = file.with_suffix(".out")
    whole = [*command, "--dutch", str(file), "-p", str(answer)]
    return median_s(lambda: subprocess.run(whole, check=True, capture_output=True), runs)


def _file(name: str) -> bytes:
    return gzip.decompress((POSITIONS / f"{name}.trf.gz").read_bytes())


def _expected(name: str) -> Pairs | None:
    """Return the reference engine's pairing, where one is known: it never ended with the largest position."""
    known = msgspec.json.decode(
        (POSITIONS / "expected.json").read_bytes(), type=dict[str, tuple[tuple[int, int], ...]]
    )
    pairs = known.get(f"{name}.trf.gz")
    return None if pairs is None else set(pairs)


def _numbers(output: PairingOutput) -> Pairs:
    pairs = {(int(white[1:]), int(black[1:])) for white, black in output.pairs}
    return pairs | ({(int(output.pab[1:]), 0)} if output.pab else set())
