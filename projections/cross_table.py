"""The cross table: a row a player in the order of the standings, a cell a published round.

Cells show what the standings count, so that the points of a row's cells make its points.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from events.facts import GameResult, PlayerId, Scoring
from projections.counting import bye_worth, counted, game_worth
from projections.rounds import Boards, SittingOutKind
from projections.standings import Standings
from rules.scores import points_text
from rules.state import Tournament

HALF = "½"

_SCORES: Mapping[GameResult | None, tuple[str, str]] = {
    GameResult.WHITE_WINS: ("1", "0"),
    GameResult.DRAW: (HALF, HALF),
    GameResult.BLACK_WINS: ("0", "1"),
    GameResult.BOTH_LOSE: ("0", "0"),
    GameResult.DRAW_LOSS: (HALF, "0"),
    GameResult.LOSS_DRAW: ("0", HALF),
    GameResult.WHITE_WINS_FORFEIT: ("+", "-"),
    GameResult.BLACK_WINS_FORFEIT: ("-", "+"),
    GameResult.DOUBLE_FORFEIT: ("-", "-"),
    None: ("", ""),
}


class Cell(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a player had in one round; empty for who was simply not there."""

    opponent: int | None = None  # his row
    colour: Literal["", "w", "b"] = ""
    score: str = (
        ""  # "1", "½", "0", "+", "-" of a game, the points of a bye; empty: not decided or not counted yet
    )
    points: int = 0  # tenths that the standings count
    bye: SittingOutKind | None = None


class CrossRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the cross table."""

    rank: int
    player: PlayerId
    points: int  # tenths
    cells: tuple[Cell, ...]  # of rounds 1, 2, …


def cross_table(state: Tournament, rounds: Sequence[Boards], shown: Standings) -> tuple[CrossRow, ...]:
    """Return the rows of the cross table that belongs to the standings `shown`."""
    assert state.announced is not None
    scoring = state.announced.scoring
    ranks = {row.player: row.rank for row in shown.rows}
    missing = Cell(points=scoring.zero_point_bye), Cell()
    columns = []
    for boards in rounds:
        cells = dict(_cells(boards, scoring, shown.after_round, ranks))
        absent = missing[boards.round > shown.after_round]
        columns.append([cells.get(row.player, absent) for row in shown.rows])
    lines = zip(*columns, strict=True) if columns else ((),) * len(shown.rows)
    return tuple(
        CrossRow(rank=row.rank, player=row.player, points=row.points, cells=cells)
        for row, cells in zip(shown.rows, lines, strict=True)
    )


def _cells(
    boards: Boards, scoring: Scoring, after: int, ranks: Mapping[PlayerId, int]
) -> Iterator[tuple[PlayerId, Cell]]:
    """Return the cells of all who were paired or had a bye; a round that does not count yet has no points."""
    worth = game_worth(scoring)
    for game in boards.boards:
        result = counted(game, after) if boards.round <= after else None
        (for_white, for_black), (white, black) = worth[result], _SCORES[result]
        yield (
            game.white,
            Cell(opponent=ranks[game.black], colour="w", score=white, points=for_white),
        )
        yield (
            game.black,
            Cell(opponent=ranks[game.white], colour="b", score=black, points=for_black),
        )
    of_byes = bye_worth(scoring)
    for bye in boards.byes:
        points = of_byes[bye.kind]
        counts = boards.round <= after
        yield (
            bye.player,
            Cell(bye=bye.kind, score=points_text(points), points=points) if counts else Cell(bye=bye.kind),
        )
