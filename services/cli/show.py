"""What the command line shows: tables and progress, coloured on a terminal and plain elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.table import Table

from rules.scores import points_text
from rules.swiss.pairing_input import Entrant
from services.cli.play.runner import Played

WIDTH_PLAIN = 100  # columns, where there is no terminal to ask

Name = Callable[[str], str]  # a player's id → how he is called


def console() -> Console:
    """Return standard output: as wide as the terminal, of a fixed width without one."""
    width = None if sys.stdout.isatty() else WIDTH_PLAIN
    return Console(
        width=width, highlight=False, markup=False, emoji=False
    )  # names are text, whatever is in them


def round_table(played: Played, name: Name) -> Table:
    """Return the pairing as it would hang on the wall: board, number, name and points of both sides."""
    published = played.published
    entrants = {entrant.player: entrant for entrant in played.scene.entrants}
    table = Table(title=f"Round {published.round}", title_justify="left", pad_edge=False, box=None)
    for header, justify in (("board", "right"), ("no.", "right"), ("White", "left"), ("pts", "right")):
        table.add_column(header, justify=justify)  # type: ignore[arg-type]  # rich's own literals
    for header, justify in (("pts", "right"), ("Black", "left"), ("no.", "right")):
        table.add_column(header, justify=justify)  # type: ignore[arg-type]  # same
    for board, (white, black) in enumerate(published.pairs, start=1):
        left, right = entrants[white], entrants[black]
        table.add_row(
            str(board), str(left.tpn), name(white), _score(left), _score(right), name(black), str(right.tpn)
        )
    if published.pab is not None:
        alone = entrants[published.pab]
        table.add_row("", str(alone.tpn), name(published.pab), _score(alone), "", "bye", "")
    return table


def absent_line(played: Played, name: Name) -> str:
    """Return who of the entries is not in the round, empty when everybody is."""
    absent = [name(entrant.player) for entrant in played.scene.entrants if not entrant.present]
    return f"not in this round: {'; '.join(absent)}" if absent else ""


def proof_lines(played: Played) -> list[str]:
    """Return the digests that anybody with the log can recompute, and whether they did."""
    published = played.published
    checked = (
        "recomputed from the log" if not played.faults else "DOES NOT RECOMPUTE: " + "; ".join(played.faults)
    )
    return [
        f"version {played.version}, cutoff {published.cutoff}, {published.system}, {published.engine}; {checked}",
        f"  head   {published.head}",
        f"  input  {published.input}",
        f"  output {published.output}",
    ]


def _score(entrant: Entrant) -> str:
    return points_text(sum(record.points for record in entrant.history))


@contextmanager
def progress_bar() -> Iterator[Callable[[str, int, int], None]]:
    """Give a function that shows how far a long work is: a bar on a terminal, nothing elsewhere."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        tasks: dict[str, TaskID] = {}

        def show(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = progress.add_task(what, total=of)
            progress.update(tasks[what], completed=done)
            if done == of:
                progress.remove_task(tasks.pop(what))

        yield show
