"""What must agree inside a file: the two sides of every game, and the points with the results."""

from collections.abc import Sequence

from events.facts import ByeKind, Colour, Scoring
from rules.trf.errors import NotOffered, TrfError
from rules.trf.lines import Line
from rules.trf.model import Player, ResultCode, RoundEntry
from rules.trf.players import block_columns, write_tenths

_C = ResultCode
_BOTH_SIDES = frozenset(
    [
        (_C.WIN, _C.LOSS),
        (_C.DRAW, _C.DRAW),
        (_C.DRAW, _C.LOSS),  # 1/2-0 and 0-0 are the arbiter's decisions
        (_C.LOSS, _C.LOSS),
        (_C.SHORT_WIN, _C.SHORT_LOSS),
        (_C.SHORT_DRAW, _C.SHORT_DRAW),
        (_C.SHORT_DRAW, _C.SHORT_LOSS),
        (_C.SHORT_LOSS, _C.SHORT_LOSS),
        (_C.FORFEIT_WIN, _C.FORFEIT_LOSS),
        (_C.FORFEIT_LOSS, _C.FORFEIT_LOSS),
        (_C.PENDING, _C.PENDING),
    ]
)
COMPATIBLE = _BOTH_SIDES | {(theirs, ours) for ours, theirs in _BOTH_SIDES}
_OTHER = {Colour.WHITE: Colour.BLACK, Colour.BLACK: Colour.WHITE, None: None}


def check_games(players: Sequence[Player], lines: dict[int, Line]) -> None:
    """Raise unless every opponent's entry mirrors the player's own, and at most one player has the PAB of a round."""
    by_tpn = {player.tpn: player for player in players}
    byes: dict[int, int] = {}  # round: who has its pairing-allocated bye
    for player in players:
        for round_, entry in enumerate(player.entries, start=1):
            if entry is None:
                continue
            if entry.opponent is not None:
                _check_game(player.tpn, round_, entry, by_tpn, lines)
            elif (
                entry.code is ResultCode.PAIRING_ALLOCATED_BYE
                and byes.setdefault(round_, player.tpn) != player.tpn
            ):
                lines[player.tpn].fail(
                    *block_columns(round_),
                    f"one pairing-allocated bye in round {round_}; {byes[round_]} has it",
                )


def _check_game(
    tpn: int, round_: int, entry: RoundEntry, by_tpn: dict[int, Player], lines: dict[int, Line]
) -> None:
    assert entry.opponent is not None
    line, columns = lines[tpn], block_columns(round_)
    if entry.opponent == tpn:
        line.fail(*columns, f"an opponent other than player {tpn} itself")
    opponent = by_tpn.get(entry.opponent)
    if opponent is None:
        line.fail(*columns, f"an opponent of this file; no record has starting rank {entry.opponent}")
    theirs = opponent.entries[round_ - 1] if round_ <= len(opponent.entries) else None
    said = f"what the opponent's entry (line {lines[opponent.tpn].number}) mirrors"
    if theirs is None or theirs.opponent != tpn:
        line.fail(
            *columns,
            f"{said}; it names {'nobody' if theirs is None or theirs.opponent is None else theirs.opponent}",
        )
    if theirs.colour is not _OTHER[entry.colour]:
        line.fail(*columns, f"{said}; it gives colour {theirs.colour or '-'}")
    if (entry.code, theirs.code) not in COMPATIBLE:
        line.fail(*columns, f"{said}; results {_said(entry)} and {_said(theirs)} do not belong to one game")


def _said(entry: RoundEntry) -> str:
    return "blank" if entry.code is ResultCode.PENDING else entry.code.value


def check_no_bye_in_advance(players: Sequence[Player], lines: dict[int, Line], paired: int) -> None:
    """Raise for a pairing-allocated bye in a round without any game: it is the pairing that allocates it."""
    for player in players:
        for round_, entry in enumerate(player.entries[paired:], start=paired + 1):
            if entry is not None and entry.code not in _REQUESTABLE:
                raise NotOffered(
                    lines[player.tpn].number,
                    block_columns(round_),
                    f"found {entry.code.value} in round {round_}, which is not paired yet; a bye in advance is F, H or Z",
                )


_REQUESTABLE = {
    ResultCode.FULL_POINT_BYE: ByeKind.FULL_POINT,
    ResultCode.HALF_POINT_BYE: ByeKind.HALF_POINT,
    ResultCode.ZERO_POINT_BYE: ByeKind.ZERO_POINT,
    ResultCode.FORFEIT_LOSS: ByeKind.ZERO_POINT,  # `0000 - -`, as some programs mark an absence
}


def requested_kind(entry: RoundEntry | None) -> ByeKind | None:
    """Return the bye that an entry without an opponent asks for."""
    if entry is None or entry.opponent is not None:
        return None
    return _REQUESTABLE.get(entry.code)


def points_of(entry: RoundEntry | None, scoring: Scoring, unknown: int) -> int:
    """Return the tenths that an entry is worth; `unknown` is the value of a game without a result."""
    code = ResultCode.ZERO_POINT_BYE if entry is None else entry.code
    return {
        ResultCode.WIN: scoring.win,
        ResultCode.SHORT_WIN: scoring.win,
        ResultCode.DRAW: scoring.draw,
        ResultCode.SHORT_DRAW: scoring.draw,
        ResultCode.LOSS: scoring.loss,
        ResultCode.SHORT_LOSS: scoring.loss,
        ResultCode.FORFEIT_WIN: scoring.forfeit_win,
        ResultCode.FORFEIT_LOSS: scoring.forfeit_loss,
        ResultCode.HALF_POINT_BYE: scoring.half_point_bye,
        ResultCode.FULL_POINT_BYE: scoring.full_point_bye,
        ResultCode.PAIRING_ALLOCATED_BYE: scoring.pairing_allocated_bye,
        ResultCode.ZERO_POINT_BYE: scoring.zero_point_bye,
        ResultCode.PENDING: unknown,
    }[code]


def bye_points(kind: ByeKind, scoring: Scoring) -> int:
    """Return the tenths that a requested bye is worth."""
    return {
        ByeKind.ZERO_POINT: scoring.zero_point_bye,
        ByeKind.HALF_POINT: scoring.half_point_bye,
        ByeKind.FULL_POINT: scoring.full_point_bye,
    }[kind]


def check_points(line: Line, found: int, scored: int, extra: Sequence[int]) -> None:
    """Raise unless the points column is the sum of the rounds paired, or that and one of the known extras."""
    if found in {scored, *(scored + more for more in extra)}:
        return
    raise TrfError(
        line.number,
        (81, 84),
        f"found {write_tenths(found)} points, expected {write_tenths(scored)}, the sum of the player's results",
    )
