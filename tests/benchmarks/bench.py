"""What every row is given: how much to do, where, and with what beside us."""

import shlex
from pathlib import Path

import msgspec

from tests.benchmarks.scale import Scale


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """One run of the benchmarks."""

    scale: Scale
    folder: Path  # empty, on the disk whose durability counts
    engines: tuple[str, ...] = ()  # command lines of other pairing engines

    def room(self, name: str) -> Path:
        """Return a new folder."""
        room = self.folder / name
        room.mkdir()
        return room

    @staticmethod
    def words(engine: str) -> list[str]:
        """Return the words of a command line."""
        return shlex.split(engine)
