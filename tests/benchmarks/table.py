"""The table: one line a figure, each beside its baseline; and what it was measured on."""

import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line. Figures carry their units."""

    what: str
    figure: str
    baseline: str
    ratio: str = ""  # figure to baseline
    target: str = ""
    met: bool | None = None  # None: no target, or nothing to compare with

    @property
    def verdict(self) -> str:
        """The target and what became of it."""
        outcome = {None: "", True: ": met", False: ": MISSED"}[self.met]
        return self.target + outcome

    def in_words(self) -> str:
        """Return the line for a log."""
        parts = [
            f"{self.what}: {self.figure}",
            f"baseline {self.baseline}" if self.baseline else "",
            f"ratio {self.ratio}" if self.ratio else "",
            f"target {self.verdict}" if self.target else "",
        ]
        return "; ".join(part for part in parts if part)


def machine(folder: Path, programs: str) -> str:
    """Return in one line what the figures depend on; `folder` holds the data that are written."""
    load = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}, "
        f"data on {_filesystem(folder)}, load {load:.1f} at the start; {programs}"
    )


class Report:
    """Shows rows: on a terminal as a table at the end, elsewhere as lines at once."""

    def __init__(self, heading: str) -> None:
        self._console = Console()
        self._heading = heading
        self._rows: list[Row] = []
        if not self._console.is_terminal:
            self._say(heading)

    def begin(self, name: str) -> None:
        """Say what is under way."""
        if self._console.is_terminal:
            self._console.print(f"[dim]{name} …[/dim]")

    def add(self, rows: Iterable[Row]) -> None:
        """Take in rows."""
        for row in rows:
            self._rows.append(row)
            if not self._console.is_terminal:
                self._say(row.in_words())

    def end(self) -> None:
        """Show the table."""
        if not self._console.is_terminal:
            return
        table = Table(title=self._heading, title_justify="left", box=None)
        for header in ("what", "ours", "baseline", "ratio", "target"):
            table.add_column(header)
        for row in self._rows:
            style = "red" if row.met is False else None
            table.add_row(row.what, row.figure, row.baseline, row.ratio, row.verdict, style=style)
        self._console.print(table)

    def _say(self, line: str) -> None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _filesystem(folder: Path) -> str:
    """Return the type of the file system that holds `folder`: on one in memory, nothing is durable."""
    best, kind = "", "an unknown file system"
    for line in Path("/proc/mounts").read_text().splitlines():
        _, mount, found, *_ = line.split()
        if folder.resolve().is_relative_to(mount) and len(mount) >= len(best):
            best, kind = mount, found
    return kind
