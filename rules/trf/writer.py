"""Writes a tournament as a report file: TRF26, or TRF16 with the customary extensions.

What a dialect has no record for is refused, never left out. The text records of TRF26 (182, 202 …) stand in the
older dialect too: readers of TRF16 pass over what they do not know.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Literal, TypeAlias

import msgspec

from events.facts import ByeKind, Colour, VirtualPoints
from rules.trf.checks import bye_points
from rules.trf.errors import NotExpressible
from rules.trf.lines import CONTROL, ROUND_MAX
from rules.trf.model import Header, Player, RequestedBye, ResultCode, RoundEntry, TournamentFile
from rules.trf.players import columns, write_player, write_tenths
from rules.trf.records import BYE_KINDS, DATES_FIRST, HEADER_FIELDS
from rules.trf.scoring import write_162, write_xxs

Dialect: TypeAlias = Literal["trf26", "trf16"]

_BYE_LETTERS = {kind: letter for letter, kind in BYE_KINDS.items()}
_BYE_CODES = {
    ByeKind.FULL_POINT: ResultCode.FULL_POINT_BYE,
    ByeKind.HALF_POINT: ResultCode.HALF_POINT_BYE,
    ByeKind.ZERO_POINT: ResultCode.ZERO_POINT_BYE,
}
_COLOUR_WORDS = {Colour.WHITE: "white1", Colour.BLACK: "black1"}


def write(file: TournamentFile, dialect: Dialect = "trf26") -> str:
    """Return the file's text, lines ended by LF; raise `NotExpressible` for what the dialect cannot say."""
    regulations, players, after = _PARTS[dialect]
    lines = [
        *_header(file.header),
        *regulations(file),
        *file.kept_head,
        *players(file),
        *after(file),
        *file.kept,
    ]
    for line in lines:
        if CONTROL.search(line):
            raise NotExpressible(f"a control character, which no record can hold, stands in {line[:40]!r}")
    return "\n".join(lines) + "\n"


def acceleration(file: TournamentFile) -> tuple[VirtualPoints, ...]:
    """Return the players' virtual points as ranges of rounds and numbers, none of them overlapping."""
    return tuple(
        VirtualPoints(points=points, first_round=first, last_round=last, first_tpn=low, last_tpn=high)
        for (first, last, points), low, high in _stretches_of_players(file.players)
    )


def _header(header: Header) -> Iterator[str]:
    texts = msgspec.structs.asdict(header)
    for tag, name in HEADER_FIELDS.items():
        if tag == "122":
            yield from (f"112 {deputy}" for deputy in header.deputies)
        if texts[name]:
            yield f"{tag} {texts[name]}"
        if tag == "122" and header.round_dates:
            dates = "".join(f"{date:<10}" for date in header.round_dates)
            yield ("132".ljust(DATES_FIRST - 1) + dates).rstrip()


def _regulations_26(file: TournamentFile) -> Iterator[str]:
    if file.rounds is not None:
        yield f"142 {file.rounds}"
    if file.initial_colour is not None:
        yield f"152 {file.initial_colour.upper()}"
    yield from write_162(file.scoring, file.unknown_result)
    yield from _system(file)


def _regulations_16(file: TournamentFile) -> Iterator[str]:
    if file.rounds is not None:
        yield f"XXR {file.rounds}"
    if file.initial_colour is not None:
        yield f"XXC {_COLOUR_WORDS[file.initial_colour]}"
    yield from write_xxs(file.scoring)
    if file.unknown_result is not None:
        yield "162  X" + columns(write_tenths(file.unknown_result), 4)
    yield from _system(file)


def _system(file: TournamentFile) -> Iterator[str]:
    if file.system_code:
        yield f"192 {file.system_code}"


def _players_26(file: TournamentFile) -> Iterator[str]:
    return map(write_player, file.players)


def _players_16(file: TournamentFile) -> Iterator[str]:
    """Yield the player records with requested byes in their rounds' columns, and the next round's in the points."""
    next_round = file.next_round
    requested: dict[int, dict[int, ByeKind]] = {}
    for bye in file.requested:
        requested.setdefault(bye.tpn, {})[bye.round] = bye.kind
    for player in file.players:
        byes = requested.get(player.tpn, {})
        ahead = range(next_round, max(byes, default=0) + 1)
        entries = player.entries + tuple(_requested_entry(byes.get(round_)) for round_ in ahead)
        coming = bye_points(byes[next_round], file.scoring) if next_round in byes else 0
        yield write_player(msgspec.structs.replace(player, entries=entries, points=player.points + coming))


def _requested_entry(kind: ByeKind | None) -> RoundEntry | None:
    return None if kind is None else RoundEntry(code=_BYE_CODES[kind])


def _after_26(file: TournamentFile) -> Iterator[str]:
    for (round_, kind), byes in groupby(file.requested, key=_round_and_kind):
        yield f"240 {_BYE_LETTERS[kind]} {round_:>3}" + "".join(f" {bye.tpn:>4}" for bye in byes)
    for range_ in acceleration(file):
        yield (
            f"250      {columns(write_tenths(range_.points), 4)} {range_.first_round:>3} {range_.last_round:>3} "
            f"{range_.first_tpn:>4} {range_.last_tpn:>4}"
        )
    for group in file.prohibited:
        numbers = "".join(f" {tpn:>4}" for tpn in group.players)
        yield f"260 {group.first_round:>3} {group.last_round:>3}{numbers}"


def _after_16(file: TournamentFile) -> Iterator[str]:
    for player in file.players:
        if player.virtual:
            yield f"XXA {player.tpn:>4}" + "".join(
                " " + columns(write_tenths(points), 4) for points in player.virtual
            )
    for group in file.prohibited:
        if (group.first_round, group.last_round) != (1, file.rounds or ROUND_MAX):
            raise NotExpressible("TRF16 has no record for pairs that are prohibited in some rounds only")
        yield "XXP " + " ".join(str(tpn) for tpn in group.players)


def _round_and_kind(bye: RequestedBye) -> tuple[int, ByeKind]:
    return bye.round, bye.kind


def _stretches_of_players(players: Sequence[Player]) -> Iterator[tuple[tuple[int, int, int], int, int]]:
    """Yield ((first round, last round, points), first number, last number) for neighbours with a stretch in common."""
    open_: dict[tuple[int, int, int], tuple[int, int]] = {}
    for player in sorted(players, key=lambda player: player.tpn):
        stretches = set(_stretches(player.virtual))
        for stretch in sorted(open_.keys() - stretches):
            yield stretch, *open_.pop(stretch)
        for stretch in stretches:
            open_[stretch] = (open_[stretch][0] if stretch in open_ else player.tpn, player.tpn)
    for stretch in sorted(open_):
        yield stretch, *open_[stretch]


def _stretches(virtual: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (first round, last round, points) for each run of equal virtual points above 0."""
    for points, rounds in groupby(enumerate(virtual, start=1), key=lambda item: item[1]):
        run = [round_ for round_, _ in rounds]
        if points:
            yield run[0], run[-1], points


_Part: TypeAlias = Callable[[TournamentFile], Iterator[str]]
_PARTS: dict[Dialect, tuple[_Part, _Part, _Part]] = {
    "trf26": (_regulations_26, _players_26, _after_26),
    "trf16": (_regulations_16, _players_16, _after_16),
}
