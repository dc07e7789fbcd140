"""The player record, 001: its columns, read and written."""

from functools import lru_cache

import msgspec

from events.facts import Colour
from rules.trf.errors import NotExpressible
from rules.trf.lines import ROUND_MAX, TPN_MAX, Line
from rules.trf.model import Player, ResultCode, RoundEntry

BLOCK_FIRST = 92  # column of round 1's block; each block is ten wide
BLOCK_WIDTH = 10
RANK_MAX = 9999
RATING_MAX = 9999

BYES = frozenset(
    {
        ResultCode.HALF_POINT_BYE,
        ResultCode.FULL_POINT_BYE,
        ResultCode.PAIRING_ALLOCATED_BYE,
        ResultCode.ZERO_POINT_BYE,
    }
)
FORFEITS = frozenset({ResultCode.FORFEIT_WIN, ResultCode.FORFEIT_LOSS})

_GAPS = (4, 9, 14, 48, 53, 57, 69, 85, 90, 91)  # columns that separate the fields before round 1
_COLOURS = {
    "w": Colour.WHITE,
    "b": Colour.BLACK,
    "s": Colour.BLACK,
    "-": None,
    " ": None,
}  # s: German programs
_CODES = {code.value: code for code in ResultCode}


def block_columns(round_: int) -> tuple[int, int]:
    """Return the first and last column of a round's block, without the gap after it."""
    first = BLOCK_FIRST + BLOCK_WIDTH * (round_ - 1)
    return first, first + 7


def read_player(line: Line) -> Player:
    """Return the player of a 001 record; `points` and `entries` as the columns say."""
    for column in _GAPS:
        line.blank(column, column)
    return Player(
        tpn=line.integer(5, 8, "a starting rank", TPN_MAX),
        sex=line.field(10, 10),
        title=line.field(11, 13),
        name=line.text[14:47].strip(),
        rating=line.integer(49, 52, "a rating", RATING_MAX, least=0) if line.field(49, 52) else 0,
        federation=line.field(54, 56),
        fide_id=_fide_id(line),
        birth_date=line.field(70, 79),
        points=line.tenths(80, 84, "points") if line.field(80, 84) else 0,  # 100.0 spills over to the left
        rank=line.integer(86, 89, "a rank", RANK_MAX) if line.field(86, 89) not in ("", "0") else None,
        entries=_entries(line),
    )


def write_player(player: Player) -> str:
    """Return the 001 record of a player as it stands, blocks included. A name is cut at its 33 characters."""
    static = (
        f"001 {columns(player.tpn, 4)} {columns(player.sex, 1)}{columns(player.title, 3)} {player.name[:33]:<33} "
        f"{columns(player.rating or '', 4)} {columns(player.federation, 3)} {columns(player.fide_id, 11)} "
        f"{player.birth_date[:10]:<10}{columns(write_tenths(player.points), 5)} {columns(player.rank or '', 4)}"
    )
    blocks = "".join(f"  {_block(entry)}" for entry in player.entries)
    return (static + blocks).rstrip(" ")


def columns(value: object, width: int) -> str:
    """Return a value right-aligned in its columns; raise `NotExpressible` when it is too wide for them."""
    text = str(value)
    if len(text) > width:
        raise NotExpressible(f"{text!r} does not fit {width} columns")
    return text.rjust(width)


def write_tenths(tenths: int) -> str:
    """Return points with one decimal.

    >>> write_tenths(25), write_tenths(-5)
    ('2.5', '-0.5')
    """
    sign = "-" if tenths < 0 else ""
    return f"{sign}{abs(tenths) // 10}.{abs(tenths) % 10}"


def _fide_id(line: Line) -> str:
    field = line.field(58, 68)
    if field and not (field.isascii() and field.isdigit()):
        line.fail(58, 68, "a FIDE ID of digits")
    return field


def _entries(line: Line) -> tuple[RoundEntry | None, ...]:
    """Return one entry a block, trailing empty blocks left out."""
    entries: list[RoundEntry | None] = []
    for start in range(BLOCK_FIRST - 1, len(line.text), BLOCK_WIDTH):
        block = line.text[start : start + BLOCK_WIDTH].ljust(BLOCK_WIDTH)
        column = start + 1
        fault = _parsed(block)
        if isinstance(fault, _Fault):
            line.fail(column + fault.first, column + fault.last, fault.expected)
        entries.append(fault)
    while entries and entries[-1] is None:
        entries.pop()
    if len(entries) > ROUND_MAX:
        line.fail(*block_columns(len(entries)), f"at most {ROUND_MAX} rounds")
    return tuple(entries)


class _Fault(msgspec.Struct, frozen=True):
    """What is wrong inside a block: columns from its start, and what was expected there."""

    first: int
    last: int
    expected: str


@lru_cache(maxsize=20_000)
def _parsed(block: str) -> RoundEntry | _Fault | None:
    """Return the entry of a block of ten columns; None when it is empty or says no more than 'absent'."""
    opponent_field, colour_field, code_field = block[:4].strip(" "), block[5].lower(), block[7].upper()
    if opponent_field and not (opponent_field.isascii() and opponent_field.isdigit()):
        return _Fault(0, 3, "the opponent's starting rank, or 0000")
    for gap in (4, 6, 8, 9):
        if block[gap] != " ":
            return _Fault(gap, gap, "a blank inside or between the rounds' blocks; is the line shifted?")
    if colour_field not in _COLOURS:
        return _Fault(5, 5, "a colour: w, b or -")
    if code_field not in _CODES:
        return _Fault(7, 7, "a result: one of 1 = 0 W D L + - H F U Z, or a blank")
    opponent = int(opponent_field or "0") or None
    return _checked(opponent, _COLOURS[colour_field], _CODES[code_field])


def _checked(opponent: int | None, colour: Colour | None, code: ResultCode) -> RoundEntry | _Fault | None:
    if opponent is None:
        return _alone(colour, code)
    if code in BYES:
        return _Fault(0, 7, f"opponent 0000 and colour - with the bye {code.value}: a bye has no opponent")
    if colour is None and code not in FORFEITS:
        return _Fault(5, 5, "w or b: a game has a colour")
    return RoundEntry(code=code, opponent=opponent, colour=colour)


def _alone(colour: Colour | None, code: ResultCode) -> RoundEntry | _Fault | None:
    if colour is not None:
        return _Fault(5, 5, "- without an opponent: a bye has no colour")
    if code is ResultCode.PENDING:
        return None
    if code not in BYES and code not in FORFEITS:
        return _Fault(0, 3, f"the opponent's starting rank: result {code.value} needs one")
    return RoundEntry(code=code)


def _block(entry: RoundEntry | None) -> str:
    if entry is None:
        return " " * 8
    opponent = "0000" if entry.opponent is None else columns(entry.opponent, 4)
    return f"{opponent} {entry.colour or '-'} {entry.code}"
