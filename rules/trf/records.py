"""Every record but the player's own: what each line adds to the draft. A record that is not here is kept as text."""

from collections.abc import Callable

from events.facts import ByeKind, Colour
from rules.trf import scoring
from rules.trf.draft import Draft, Mention, VirtualRange
from rules.trf.lines import ROUND_MAX, TPN_MAX, Line
from rules.trf.players import read_player

HEADER_FIELDS = {
    "012": "name",
    "022": "city",
    "032": "federation",
    "042": "start_date",
    "052": "end_date",
    "062": "player_count",
    "072": "rated_count",
    "082": "team_count",
    "092": "type_text",
    "102": "chief_arbiter",
    "122": "allotted_times",
    "172": "starting_rank_method",
    "182": "controller",
    "202": "tie_breaks",
    "212": "standings_order",
    "222": "time_control",
}
BYE_KINDS = {"F": ByeKind.FULL_POINT, "H": ByeKind.HALF_POINT, "Z": ByeKind.ZERO_POINT}
COLOURS_152 = {"W": Colour.WHITE, "B": Colour.BLACK}
DATES_FIRST = 92  # column of round 1's date in 132; ten columns a round

_TEAMS = "team events are not yet offered"
_DRAFT = "a code of a draft of 2024, never in force; the records 240, 250, 260 and 162 say this now"
REFUSED = {
    "299": "points given or taken by the arbiter are not yet offered",
    "340": _DRAFT,
    **dict.fromkeys(("013", "300", "310", "320", "330", "352", "362"), _TEAMS),
    **dict.fromkeys(("ACC", "TSE", "PAB", "FPB", "HPB", "ZPB", "MFO", "DFM"), _DRAFT),
}


def add(draft: Draft, line: Line) -> None:
    """Take one line into the draft; refuse it if it would change the pairing and is not honoured."""
    handler = _HANDLERS.get(line.tag)
    if handler is not None:
        handler(draft, line)
    elif line.tag in HEADER_FIELDS:
        _header(draft, line)
    elif line.tag in REFUSED:
        line.refuse(REFUSED[line.tag])
    elif line.tag[:2] in ("XX", "BB"):
        line.refuse("an extension of another engine that is not offered here")
    else:
        draft.keep(line)


def _player(draft: Draft, line: Line) -> None:
    player = read_player(line)
    earlier = draft.lines.get(player.tpn)
    if earlier is not None:
        line.fail(5, 8, f"a starting rank of its own; line {earlier.number} has it already")
    draft.lines[player.tpn] = line
    draft.players.append(player)


def _header(draft: Draft, line: Line) -> None:
    name, text = HEADER_FIELDS[line.tag], line.rest(5)
    if name in draft.header:
        draft.keep(line)
    elif text:
        draft.header[name] = text


def _deputy(draft: Draft, line: Line) -> None:
    if line.rest(5):
        draft.deputies.append(line.rest(5))


def _round_dates(draft: Draft, line: Line) -> None:
    if draft.round_dates or line.field(4, DATES_FIRST - 1):
        draft.keep(line)
        return
    draft.round_dates = tuple(
        line.text[start : start + 10].strip() for start in range(DATES_FIRST - 1, len(line.text), 10)
    )


def _rounds(draft: Draft, line: Line) -> None:
    count = line.integer(5, max(8, len(line.text)), "the number of rounds", ROUND_MAX)
    if draft.rounds is not None and draft.rounds[0] != count:
        line.fail(5, len(line.text), f"{draft.rounds[0]} rounds, as line {draft.rounds[1].number} says")
    draft.rounds = (count, line)


def _initial_colour(draft: Draft, line: Line) -> None:
    colour = COLOURS_152.get(line.rest(5).upper())
    if colour is None:
        line.fail(5, max(5, len(line.text)), "the initial colour, W or B")
    _set_colour(draft, line, colour)


def _configuration(draft: Draft, line: Line) -> None:
    """XXC: words that add up over all lines."""
    for column, word in line.words():
        match word:
            case "white1":
                _set_colour(draft, line, Colour.WHITE)
            case "black1":
                _set_colour(draft, line, Colour.BLACK)
            case "rank":
                line.refuse(
                    "'rank', pairing by the order of the lines, is not offered; give starting ranks in that order"
                )
            case _:
                line.fail(column, column + len(word) - 1, "white1 or black1")


def _set_colour(draft: Draft, line: Line, colour: Colour) -> None:
    if draft.initial_colour not in (None, colour):
        line.fail(5, len(line.text), "one initial colour; another was given before")
    draft.initial_colour = colour


def _system(draft: Draft, line: Line) -> None:
    code = line.rest(5).upper()
    if draft.system is not None and draft.system[0] != code:
        line.fail(
            5, max(5, len(line.text)), f"one system; line {draft.system[1].number} gave {draft.system[0]}"
        )
    draft.system = (code, line)


def _scoring_162(draft: Draft, line: Line) -> None:
    scoring.read_162(line, draft.scoring_162)
    draft.scoring_line = line


def _scoring_xxs(draft: Draft, line: Line) -> None:
    scoring.read_xxs(line, draft.scoring_xxs)
    draft.scoring_line = line


def _scoring_bb(draft: Draft, line: Line) -> None:
    scoring.read_bb(line, draft.scoring_bb)
    draft.scoring_line = line


def _byes(draft: Draft, line: Line) -> None:
    """240: type in column 5, round 7-9, starting ranks from 11 on."""
    kind = BYE_KINDS.get(line.field(5, 5).upper())
    if kind is None:
        line.fail(5, 5, "the kind of bye: F, H or Z")
    line.blank(6, 6)
    round_ = line.integer(7, 9, "a round", ROUND_MAX)
    line.blank(10, 10)
    draft.byes.append(Mention(line, tuple(line.ids(11)), round_, round_, kind))


def _virtual_range(draft: Draft, line: Line) -> None:
    """250: match points 5-8 (teams), points 10-13, rounds 15-17 and 19-21, starting ranks 23-26 and 28-31."""
    for column in (9, 14, 18, 22, 27):
        line.blank(column, column)
    if line.field(5, 8) and line.tenths(5, 8, "match points") != 0:
        line.refuse(f"match points: {_TEAMS}")
    points = line.tenths(10, 13, "virtual points")
    if points < 1:
        line.fail(10, 13, "virtual points above 0")
    first, last = (
        line.integer(15, 17, "the first round", ROUND_MAX),
        line.integer(19, 21, "the last round", 999),
    )
    low, high = (
        line.integer(23, 26, "a starting rank", TPN_MAX),
        line.integer(28, 31, "a starting rank", TPN_MAX),
    )
    if last < first or high < low:
        line.fail(15, 31, "ranges that do not run backwards")
    draft.virtual_ranges.append(VirtualRange(line, points, first, min(last, ROUND_MAX), low, high))


def _virtual_row(draft: Draft, line: Line) -> None:
    """XXA: starting rank 5-8, virtual points of round r in the four columns from 10+5(r-1) on."""
    tpn = line.integer(5, 8, "a starting rank", TPN_MAX)
    if tpn in draft.virtual_rows:
        line.fail(5, 8, "one XXA record a player")
    values = []
    for column in range(10, len(line.text) + 1, 5):
        line.blank(column - 1, column - 1)
        points = line.tenths(column, column + 3, "virtual points") if line.field(column, column + 3) else 0
        if points < 0:
            line.fail(column, column + 3, "virtual points of 0 or more")
        values.append(points)
    if len(values) > ROUND_MAX:
        line.fail(10, len(line.text), f"at most {ROUND_MAX} rounds")
    draft.virtual_rows[tpn] = (line, tuple(values))


def _prohibited(draft: Draft, line: Line) -> None:
    """260: rounds 5-7 and 9-11, starting ranks from 13 on."""
    first, last = line.integer(5, 7, "the first round", ROUND_MAX), line.integer(9, 11, "the last round", 999)
    for column in (8, 12):
        line.blank(column, column)
    if last < first:
        line.fail(5, 11, "rounds that do not run backwards")
    draft.prohibited.append(Mention(line, tuple(line.ids(13)), first, min(last, ROUND_MAX)))


def _prohibited_always(draft: Draft, line: Line) -> None:
    draft.prohibited.append(Mention(line, _word_ids(line)))


def _absent(draft: Draft, line: Line) -> None:
    draft.byes.append(Mention(line, _word_ids(line)))


def _word_ids(line: Line) -> tuple[tuple[int, int], ...]:
    return tuple(
        (column, line.integer(column, column + len(word) - 1, "a starting rank", TPN_MAX))
        for column, word in line.words()
    )


def _comment(draft: Draft, line: Line) -> None:
    draft.keep(line)


_HANDLERS: dict[str, Callable[[Draft, Line], None]] = {
    "###": _comment,
    "001": _player,
    "112": _deputy,
    "132": _round_dates,
    "142": _rounds,
    "152": _initial_colour,
    "162": _scoring_162,
    "192": _system,
    "240": _byes,
    "250": _virtual_range,
    "260": _prohibited,
    "XXA": _virtual_row,
    "XXC": _configuration,
    "XXP": _prohibited_always,
    "XXR": _rounds,
    "XXS": _scoring_xxs,
    "XXZ": _absent,
    **dict.fromkeys(scoring.TAGS_BB, _scoring_bb),
}
