"""What every row is given: how much to do, where, and with what beside us."""

import shlex
from pathlib import Path

import msgspec

from tests.benchmarks.scale import Scale


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the benchmarks."""

    scale: Scale
    folder: Path  # empty, on the disk whose durability counts
    engine: str = ""  # command line of another pairing engine

    def room(self, name: str) -> Path:
        """Return a new folder."""
        room = self.folder / name
        room.mkdir()
        return room

    @property
    def engine_command(self) -> list[str]:
        """The words of `engine`."""
        return shlex.split(self.engine)
