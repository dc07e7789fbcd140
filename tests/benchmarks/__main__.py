"""`make bench`: medians of several runs, each beside a baseline measured in the same minute.

The machine is shared and noisy: quote the ratios. `--engine COMMAND` names another pairing engine with the customary
command line (`COMMAND --dutch FILE -p`), which is then timed on the same files, as a whole process.
"""

import argparse
import asyncio
import os
import shlex
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from events.envelope import decode
from rules.state import replay
from rules.swiss.dutch import pair
from rules.trf import TournamentFile, to_pairing_input, write
from services.server import Server
from services.store import RedisStore
from tests.support.entries import put
from tests.support.ledger import ready
from tests.support.simulation import field, simulate

SIZES = (50, 100, 200, 400, 800)
RUNS = 5
APPENDS = 300
WRITERS = 64
LONG_MS = 5_000


@dataclass
class Row:
    """One line of the table."""

    what: str
    figure: str
    baseline: str
    ratio: str


def median_ms(work: Callable[[], object]) -> float:
    """Return the median time of `work`, after one run to warm up; of what takes seconds, the time of that one."""
    times: list[float] = []
    while len(times) <= RUNS and sum(times) < LONG_MS:
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times[1:] or times)


def before_round_5(players: int) -> TournamentFile:
    """Return a made-up tournament of nine rounds after its fourth."""
    file = simulate(field(players, 1), 4, 1)
    return msgspec.structs.replace(file, rounds=9)


def pairing_rows(engine: str | None) -> list[Row]:
    """Time a pairing of round 5 of 9, warm; beside it another engine, or twice the players at n² as a yardstick."""
    rows, before = [], None
    for players in SIZES:
        file = before_round_5(players)
        scene = to_pairing_input(file)
        ours = median_ms(lambda scene=scene: pair(scene))  # type: ignore[misc]  # bound now
        if engine:
            theirs = _peer_ms(engine, file)
            rows.append(
                Row(f"pair {players} players", f"{ours:.1f} ms", f"{theirs:.1f} ms", f"{ours / theirs:.2f}")
            )
        else:
            growth = f"{ours / before:.1f} × for twice the players" if before else ""
            rows.append(Row(f"pair {players} players", f"{ours:.1f} ms", growth, ""))
        before = ours
    return rows


def _peer_ms(engine: str, file: TournamentFile) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.trf"
        path.write_text(write(file))
        command = [*shlex.split(engine), "--dutch", str(path), "-p", os.devnull]
        return median_ms(lambda: subprocess.run(command, check=True, capture_output=True))


def replay_row() -> Row:
    """Time the fold of a log, beside the bare decoding of its JSON."""
    ledger = ready(200)
    entries = ledger.entries
    folded = median_ms(lambda: replay(decode(entry, v) for v, entry in enumerate(entries, start=1)))
    bare = median_ms(lambda: [msgspec.json.decode(entry) for entry in entries])
    rate = len(entries) / folded
    return Row(
        f"replay {len(entries)} events",
        f"{rate:.0f} k/s",
        f"{len(entries) / bare:.0f} k/s JSON alone",
        f"{folded / bare:.1f}",
    )


async def append_row(url: str) -> Row:
    """Time durable appends of 64 writers on 64 tournaments, beside those of one writer."""
    store = await RedisStore.open(url)
    start = time.perf_counter()
    for number in range(APPENDS):
        await put(store, cause=f"one-{number}", tournament="single")
    single = APPENDS / (time.perf_counter() - start)

    async def writer(name: str) -> None:
        for number in range(APPENDS // 10):
            await put(store, cause=f"many-{number}", tournament=name)

    start = time.perf_counter()
    await asyncio.gather(*(writer(f"t{number}") for number in range(WRITERS)))
    many = WRITERS * (APPENDS // 10) / (time.perf_counter() - start)
    await store.close()
    return Row(
        f"durable appends, {WRITERS} writers",
        f"{many:.0f}/s",
        f"{single:.0f}/s, one writer",
        f"{many / single:.1f}",
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", help="another engine to time beside ours")
    arguments = parser.parse_args()
    table = Table(title=f"medians of {RUNS}, {os.cpu_count()} cores", title_justify="left", box=None)
    for header in ("what", "ours", "baseline", "ratio"):
        table.add_column(header)
    rows = [*pairing_rows(arguments.engine), replay_row()]
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:
        rows.append(asyncio.run(append_row(server.url)))
    for row in rows:
        table.add_row(row.what, row.figure, row.baseline, row.ratio)
    Console().print(table)


if __name__ == "__main__":
    main()
