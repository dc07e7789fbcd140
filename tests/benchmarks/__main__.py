"""`make bench`, or `python -m tests.benchmarks [ROW…] [--quick]`: measure, and print a table.

The machine is shared and noisy: quote the ratios.
"""

import argparse
import asyncio
import logging
import sys
import tempfile
import traceback
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TypeAlias

from services import logs
from services.server import Server
from services.store import RedisStore
from tests.benchmarks.bench import Bench
from tests.benchmarks.peer_process import ABSENT, peer
from tests.benchmarks.rows import appends, commands, engine, freshness, growth, idle, replay
from tests.benchmarks.scale import FULL, QUICK
from tests.benchmarks.table import Report, Row, machine

Rows: TypeAlias = Callable[[Bench], Coroutine[None, None, list[Row]]]

ROWS: dict[str, Rows] = {
    "engine": engine.rows,
    "replay": replay.rows,
    "appends": appends.rows,
    "commands": commands.rows,
    "freshness": freshness.rows,
    "idle": idle.rows,
    "growth": growth.rows,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for; return 1 when something could not be measured. A missed target is no failure."""
    options = _parser().parse_args(arguments)
    logs.configure(level=logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="tirage-bench-", dir=options.folder) as name:
        folder = Path(name)
        bench = Bench(scale=QUICK if options.quick else FULL, folder=folder, engines=tuple(options.engine))
        report = Report(machine(folder, asyncio.run(_beside_in_words(folder))))
        failed = [row for row in options.rows or ROWS if not _measure(row, bench, report)]
        report.end()
    return 1 if failed else 0


def _measure(name: str, bench: Bench, report: Report) -> bool:
    report.begin(name)
    try:
        report.add(asyncio.run(ROWS[name](bench)))
    except Exception:  # noqa: BLE001 - the other rows are measured all the same
        sys.stderr.write(f"{name} could not be measured:\n{traceback.format_exc()}\n")
        return False
    return True


async def _beside_in_words(folder: Path) -> str:
    """Return what the server that the benchmarks start says of itself, and what the peer does."""
    with Server(folder / "about") as server:
        store = await RedisStore.open(server.url)
        await store.close()
    async with peer(folder) as other:
        theirs = await other.ask("about") if other else f"pyeventsourcing {ABSENT}"
    return f"{store.durability.in_words().partition(':')[0]}; {theirs}"


def _row(name: str) -> str:
    if name not in ROWS:
        raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(ROWS)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", type=_row, metavar="ROW", help=f"{', '.join(ROWS)}; default: all")
    parser.add_argument("--quick", action="store_true", help="less of everything, in a few minutes")
    parser.add_argument(
        "--engine",
        action="append",
        default=[],
        metavar="COMMAND",
        help="time another engine of the customary command line, too; may be given again",
    )
    parser.add_argument("--folder", type=Path, help="where the data are written, on the disk that counts")
    return parser


if __name__ == "__main__":
    sys.exit(main())
