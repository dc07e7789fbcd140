"""Compare our engine with another one that has the customary command line, on ranges of seeds.

`python -m tests.differential --engine COMMAND --first 1 --count 1000`; the command is called as
`COMMAND --dutch FILE -p OUT`. Exit status 0 when every round agrees. A difference is a finding, not a verdict: its
state is written to a file beside the report, to be analysed by the articles.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rules.swiss.pairing_input import PairingOutput
from rules.swiss.systems import DUTCH_2017, DUTCH_2026
from rules.trf import TournamentFile, write
from rules.trf.writer import Dialect
from tests.differential.events import states

NO_PAIRING = 1  # exit code of the customary command line
REPORT_EVERY_S = 10.0
EDITIONS: dict[str, tuple[str, Dialect]] = {  # with what their reference engines read
    "2026": (DUTCH_2026, "trf26"),
    "2017": (DUTCH_2017, "trf16"),
}

Pairs = set[tuple[int, int]] | None


class Crashed(Exception):
    """The other engine died instead of answering."""


def ours(output: PairingOutput | None) -> Pairs:
    """Return (white, black) by number, 0 for the bye; None for no pairing."""
    if output is None:
        return None
    pairs = {(int(white[1:]), int(black[1:])) for white, black in output.pairs}
    return pairs | ({(int(output.pab[1:]), 0)} if output.pab else set())


def theirs(command: list[str], file: TournamentFile, folder: Path, dialect: Dialect) -> Pairs:
    """Return what the other engine gives."""
    question, answer = folder / "in.trf", folder / "out.txt"
    question.write_text(_with_points(file, dialect))
    done = subprocess.run(
        [*command, "--dutch", str(question), "-p", str(answer)], capture_output=True, text=True, check=False
    )
    if done.returncode == NO_PAIRING:
        return None
    if done.returncode < 0:
        raise Crashed(f"signal {-done.returncode}")
    if done.returncode:
        raise SystemExit(f"the other engine refused {question.read_text()}\n{done.stderr or done.stdout}")
    lines = answer.read_text().split("\n")[1:]
    return {(int(white), int(black)) for white, black in (line.split() for line in lines if line.strip())}


def _with_points(file: TournamentFile, dialect: Dialect) -> str:
    """Return the file, its points in BBx records: the reference engine reads another 162 than the text's."""
    scoring = file.scoring
    lines = [line for line in write(file, dialect).splitlines() if not line.startswith(("162", "XXS"))]
    points = {
        "W": scoring.win,
        "D": scoring.draw,
        "L": scoring.loss,
        "F": scoring.forfeit_loss,
        "Z": scoring.zero_point_bye,
        "U": scoring.pairing_allocated_bye,
    }
    lines += [f"BB{symbol} {tenths // 10:>2}.{tenths % 10}" for symbol, tenths in points.items()]
    return "\n".join(lines) + "\n"


def compare(
    command: list[str], seed: int, folder: Path, edition: str = "2026"
) -> Iterator[tuple[str, TournamentFile]]:
    """Yield a verdict for each round of the event of a seed."""
    system, dialect = EDITIONS[edition]
    for file, output in states(seed, system):
        if _nobody_takes_part(file):
            return  # a file in which everybody has a cell for the round asks for the next one
        found = ours(output)
        try:
            expected = theirs(command, file, folder, dialect)
        except Crashed:
            yield "the other engine crashed", file
            continue  # its state is kept; nothing is known against our pairing
        if found == expected:
            verdict = "equal"
        elif found is not None and expected is not None and _opponents(found) == _opponents(expected):
            verdict = "colours differ"
        else:
            verdict = "pairs differ"
        yield verdict, file
        if verdict != "equal":
            return  # what follows is another event


def _nobody_takes_part(file: TournamentFile) -> bool:
    return {bye.tpn for bye in file.requested} == {player.tpn for player in file.players}


def _opponents(pairs: set[tuple[int, int]]) -> set[frozenset[int]]:
    return {frozenset(pair) for pair in pairs}


def main() -> int:
    """Print the table; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", required=True)
    parser.add_argument("--edition", choices=EDITIONS, default="2026")
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--keep", type=Path, default=Path("differences"), help="where states that differ go")
    arguments = parser.parse_args()
    verdicts: Counter[str] = Counter()
    told = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(arguments.first, arguments.first + arguments.count):
            for verdict, file in compare(
                shlex.split(arguments.engine), seed, Path(folder), arguments.edition
            ):
                verdicts[verdict] += 1
                if verdict != "equal":
                    arguments.keep.mkdir(exist_ok=True)
                    (arguments.keep / f"{seed}-r{file.next_round}.trf").write_text(write(file))
            if time.monotonic() - told > REPORT_EVERY_S:
                told = time.monotonic()
                sys.stderr.write(f"seed {seed}: {dict(verdicts)}\n")
    rounds = sum(verdicts.values())
    sys.stdout.write(f"tournaments {arguments.count} from seed {arguments.first}, rounds {rounds}\n")
    for verdict, count in sorted(verdicts.items()):
        sys.stdout.write(f"  {verdict:24} {count}\n")
    return 0 if verdicts["equal"] == rounds else 1


if __name__ == "__main__":
    sys.exit(main())
