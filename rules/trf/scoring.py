"""What results are worth: TRF26 162, JaVaFo's XXS, bbpPairings' BBW … BBU. Points are tenths."""

from typing import TypeAlias

import msgspec

from events.facts import Scoring
from rules.trf.errors import NotExpressible
from rules.trf.lines import Line, to_tenths
from rules.trf.players import columns, write_tenths

Values: TypeAlias = dict[str, int]  # by symbol or key, as one family of records gives them

SYMBOLS_162 = "WDLAPXZ"  # Z: what one engine reads for A
KEYS_XXS = ("WW", "BW", "WD", "BD", "WL", "BL", "ZPB", "HPB", "FPB", "PAB", "FW", "FL")
SHORTCUTS_XXS = {"W": ("WW", "BW", "FW", "FPB"), "D": ("WD", "BD", "HPB"), "L": ("WL", "BL")}
TAGS_BB = ("BBW", "BBD", "BBL", "BBZ", "BBF", "BBU")

_DEFAULT = Scoring()


def read_162(line: Line, values: Values) -> None:
    """Add the [symbol, points] pairs of a line: symbols in columns 6, 15, 24 …, points in the four after each."""
    line.blank(5, 5)
    for column in range(6, len(line.text) + 1, 9):
        symbol = line.field(column, column).upper()
        if not symbol:
            line.blank(column, column + 8)
            continue
        if symbol not in SYMBOLS_162:
            line.fail(column, column, f"one of the symbols {' '.join(SYMBOLS_162[:-1])}")
        _once(
            line,
            column,
            values,
            "A" if symbol == "Z" else symbol,
            line.tenths(column + 1, column + 4, "the value"),
        )
        line.blank(column + 5, column + 8)


def read_xxs(line: Line, values: Values) -> None:
    """Add the KEY=POINTS words of a line; a later word replaces an earlier one."""
    for column, word in line.words():
        key, _, value = word.partition("=")
        points = to_tenths(value)
        if points is None or (key not in KEYS_XXS and key not in SHORTCUTS_XXS):
            line.fail(
                column,
                column + len(word) - 1,
                f"KEY=POINTS with tenths at most, KEY one of W D L {' '.join(KEYS_XXS)}",
            )
        for name in SHORTCUTS_XXS.get(key, (key,)):
            values[name] = points


def depends_on_colour(values: Values) -> bool:
    """Whether the XXS records make a result worth more with one colour, which we do not offer."""
    points = _XXS_DEFAULT | values
    return any(points[white] != points[black] for white, black in (("WW", "BW"), ("WD", "BD"), ("WL", "BL")))


def read_bb(line: Line, values: Values) -> None:
    """Add the value of one of bbpPairings' records."""
    column, word = next(iter(line.words()), (5, ""))
    points = to_tenths(word)
    if points is None or line.rest(5) != word:
        line.fail(column, max(column, len(line.text)), "points with one decimal such as 1.0")
    _once(line, column, values, line.tag, points)


def from_162(values: Values) -> Scoring:
    """Return the scoring that record 162 describes; P is a win unless given, A counts for forfeit losses too."""
    points = _games(
        values.get("W", _DEFAULT.win), values.get("D", _DEFAULT.draw), values.get("L", _DEFAULT.loss)
    )
    absent = values.get("A", _DEFAULT.zero_point_bye)
    return msgspec.structs.replace(
        points,
        zero_point_bye=absent,
        forfeit_loss=absent,
        pairing_allocated_bye=values.get("P", points.win),
    )


def from_bb(values: Values) -> Scoring:
    """Return the scoring that the BB records describe; the pairing-allocated bye is a win unless given."""
    points = _games(
        values.get("BBW", _DEFAULT.win), values.get("BBD", _DEFAULT.draw), values.get("BBL", _DEFAULT.loss)
    )
    return msgspec.structs.replace(
        points,
        zero_point_bye=values.get("BBZ", _DEFAULT.zero_point_bye),
        forfeit_loss=values.get("BBF", _DEFAULT.forfeit_loss),
        pairing_allocated_bye=values.get("BBU", points.win),
    )


def from_xxs(values: Values) -> Scoring:
    """Return the scoring that the XXS records describe. W, D and L leave the pairing-allocated bye alone."""
    points = _XXS_DEFAULT | values
    return Scoring(
        win=points["WW"],
        draw=points["WD"],
        loss=points["WL"],
        forfeit_win=points["FW"],
        forfeit_loss=points["FL"],
        pairing_allocated_bye=points["PAB"],
        full_point_bye=points["FPB"],
        half_point_bye=points["HPB"],
        zero_point_bye=points["ZPB"],
    )


def write_162(scoring: Scoring, unknown: int | None) -> list[str]:
    """Return the 162 record, none when every value is the usual one; raise `NotExpressible` for what it cannot say."""
    values = {
        "W": scoring.win,
        "D": scoring.draw,
        "L": scoring.loss,
        "A": scoring.zero_point_bye,
        "P": scoring.pairing_allocated_bye,
    }
    if from_162(values) != scoring:
        raise NotExpressible(
            "TRF26 has no values for forfeits and requested byes apart from those of games and absences"
        )
    usual = {
        "W": _DEFAULT.win,
        "D": _DEFAULT.draw,
        "L": _DEFAULT.loss,
        "A": _DEFAULT.zero_point_bye,
        "P": scoring.win,
    }
    if unknown is None and values == usual:
        return []
    if unknown is not None:
        values["X"] = unknown
    return [
        "162  "
        + "    ".join(f"{symbol}{columns(write_tenths(points), 4)}" for symbol, points in values.items())
    ]


def write_xxs(scoring: Scoring) -> list[str]:
    """Return the XXS record, none when every value is the usual one."""
    if scoring == _DEFAULT:
        return []
    values = _xxs_values(scoring)
    return ["XXS " + " ".join(f"{key}={write_tenths(values[key])}" for key in KEYS_XXS)]


def _once(line: Line, column: int, values: Values, key: str, points: int) -> None:
    if values.setdefault(key, points) != points:
        line.fail(
            column, len(line.text), f"one value for {key}, and {write_tenths(values[key])} was given before"
        )


def _games(win: int, draw: int, loss: int) -> Scoring:
    """Return a scoring in which forfeit wins and full-point byes are worth a win, half-point byes a draw."""
    return Scoring(win=win, draw=draw, loss=loss, forfeit_win=win, full_point_bye=win, half_point_bye=draw)


def _xxs_values(scoring: Scoring) -> Values:
    points = msgspec.structs.asdict(scoring)
    return {
        "WW": points["win"],
        "BW": points["win"],
        "WD": points["draw"],
        "BD": points["draw"],
        "WL": points["loss"],
        "BL": points["loss"],
        "ZPB": points["zero_point_bye"],
        "HPB": points["half_point_bye"],
        "FPB": points["full_point_bye"],
        "PAB": points["pairing_allocated_bye"],
        "FW": points["forfeit_win"],
        "FL": points["forfeit_loss"],
    }


_XXS_DEFAULT = _xxs_values(_DEFAULT)
