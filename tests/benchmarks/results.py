"""Results as arbiters give them: first each board's own, then corrections, each naming what it corrects."""

from collections.abc import Iterator
from typing import Any

from events.facts import GameResult
from rules.commands import CorrectResult, RecordResult
from rules.state import Tournament

TURNS = (GameResult.WHITE_WINS, GameResult.DRAW, GameResult.BLACK_WINS)


def results(state: Tournament, round_: int = 1) -> Iterator[RecordResult | CorrectResult]:
    """Yield the results of a published round without end: every board once, then again every board."""
    boards = state.round(round_).boards
    turn = 0
    while True:
        for number, board in enumerate(boards, start=1):
            result, was = TURNS[(turn + number) % 3], TURNS[(turn + number - 1) % 3]
            about: dict[str, Any] = {
                "round": round_,
                "board": number,
                "white": board.white,
                "black": board.black,
            }
            if turn == 0:
                yield RecordResult(**about, result=result)
            else:
                yield CorrectResult(**about, was=was, result=result, reason="the score sheet says so")
        turn += 1
