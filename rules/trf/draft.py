"""What the reader has gathered so far, record by record, before the whole can be checked. Mutable, internal."""

from dataclasses import dataclass, field
from typing import NoReturn

from events.facts import ByeKind, Colour
from rules.trf.lines import Line
from rules.trf.model import Player
from rules.trf.scoring import Values


@dataclass(frozen=True)
class Mention:
    """Starting ranks that a record names, with the place of each for errors about it."""

    line: Line
    ids: tuple[tuple[int, int], ...]  # (column, starting rank)
    first_round: int | None = None  # None: the round to pair (XXZ), or from the first round on (XXP)
    last_round: int | None = None  # None: to the last round
    kind: ByeKind = ByeKind.ZERO_POINT

    def fail(self, tpn: int, expected: str) -> NoReturn:
        """Raise for one of the starting ranks."""
        column = next(column for column, number in self.ids if number == tpn)
        self.line.fail(
            column, column + len(str(tpn)) - 1 if self.line.tag.startswith("XX") else column + 3, expected
        )


@dataclass(frozen=True)
class VirtualRange:
    """One 250 record."""

    line: Line
    points: int
    first_round: int
    last_round: int
    first_tpn: int
    last_tpn: int


@dataclass
class Draft:
    """One attribute a kind of record."""

    header: dict[str, str] = field(default_factory=dict)
    deputies: list[str] = field(default_factory=list)
    round_dates: tuple[str, ...] = ()
    players: list[Player] = field(default_factory=list)
    lines: dict[int, Line] = field(default_factory=dict)  # by starting rank
    rounds: tuple[int, Line] | None = None
    initial_colour: Colour | None = None
    system: tuple[str, Line] | None = None
    scoring_162: Values = field(default_factory=dict)
    scoring_xxs: Values = field(default_factory=dict)
    scoring_bb: Values = field(default_factory=dict)
    scoring_line: Line | None = None  # the last one that spoke of scoring
    byes: list[Mention] = field(default_factory=list)
    prohibited: list[Mention] = field(default_factory=list)
    virtual_ranges: list[VirtualRange] = field(default_factory=list)
    virtual_rows: dict[int, tuple[Line, tuple[int, ...]]] = field(
        default_factory=dict
    )  # XXA, by starting rank
    kept_head: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def keep(self, line: Line) -> None:
        """Put a line aside as text."""
        (self.kept if self.players else self.kept_head).append(line.text)
