"""The engine: median time of one pairing, warm, of positions whose right pairing is known and checked.

Baseline: reading the position's file in the same minute, work that grows with the players alone; and the position of half
as many players, which says how time grows. With `--engine COMMAND`, any engine with the
customary command line (`COMMAND --dutch FILE -p OUT`), and our own program called the same way: whole processes, the
reading of the file and, with us, the start of Python included.
"""

import gzip
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

Pairs = set[tuple[int, int]]


async def rows(bench: Bench) -> list[Row]:
    """Time every position."""
    room = bench.room("engine")
    found, half_s = [], 0.0
    for size in bench.scale.engine_sizes:
        row, half_s = _row(f"n{size}", bench.scale.runs, half_s)
        found += [row, *_beside(bench, f"n{size}", room)]
    for name in bench.scale.engine_hard:
        found += [_row(name, bench.scale.runs)[0], *_beside(bench, name, room)]
    return found


def _row(name: str, runs: int, half_s: float = 0.0) -> tuple[Row, float]:
    """Time a position; return also the median in seconds."""
    text = _file(name)
    seen = to_pairing_input(read(text))
    assert _numbers(pair(seen)) == _expected(name), f"{name} is paired wrongly"
    ours, theirs = median_s(lambda: pair(seen), runs), median_s(lambda: read(text), runs)
    growth = f", {times(ours / half_s)} that of half the players" if half_s else ""
    row = Row(
        what=f"pair {name}",
        figure=f"{ours * 1000:.1f} ms{growth}",
        baseline=f"{theirs * 1000:.1f} ms to read its file",
        ratio=times(ours / theirs),
    )
    return row, ours


def _beside(bench: Bench, name: str, room: Path) -> list[Row]:
    """Time the other engine, where one is named, and our program in the same way."""
    if not bench.engine:
        return []
    file = room / f"{name}.trf"
    file.write_bytes(_file(name))
    ours = _process_s([TIRAGE, "pair"], file, bench.scale.runs)
    theirs = _process_s(bench.engine_command, file, bench.scale.runs)
    return [
        Row(
            what=f"  {name}, whole process",
            figure=f"{ours * 1000:.0f} ms",
            baseline=f"{theirs * 1000:.0f} ms, {bench.engine}",
            ratio=times(ours / theirs),
        )
    ]


def _process_s(command: list[str], file: Path, runs: int) -> float:
    answer = file.with_suffix(".out")
    whole = [*command, "--dutch", str(file), "-p", str(answer)]
    return median_s(lambda: subprocess.run(whole, check=True, capture_output=True), runs)


def _file(name: str) -> bytes:
    return gzip.decompress((POSITIONS / f"{name}.trf.gz").read_bytes())


def _expected(name: str) -> Pairs:
    known = msgspec.json.decode(
        (POSITIONS / "expected.json").read_bytes(), type=dict[str, tuple[tuple[int, int], ...]]
    )
    return set(known[f"{name}.trf.gz"])


def _numbers(output: PairingOutput) -> Pairs:
    pairs = {(int(white[1:]), int(black[1:])) for white, black in output.pairs}
    return pairs | ({(int(output.pab[1:]), 0)} if output.pab else set())
