"""The boards of each published round as the public sees them, and what became of a result that was corrected.

What was printed with the pairing stays: numbers and points before the round are those that the pairing saw.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from events.facts import GameResult, Instant, PairingPublished, PlayerId, Reason, Round
from projections.embargo import closings_public, numbers_of, results_public
from rules.state import Board, Tournament

EffectLabel = Literal["immediate", "next_pairing", "rating_only"]
SittingOutKind = Literal["allocated", "half", "zero", "full"]


class Correction(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A correction of a result that had been seen, and where it counts (C.04.2 4.3)."""

    was: GameResult
    result: GameResult
    revision: int  # of the board, from this correction on
    label: EffectLabel
    standings_from: Round | None = None  # the first round whose standings count it; absent: none does
    pairing_from: Round | None = None  # the first round whose pairing counts it; absent: none does
    reported_at: Instant
    reason: Reason
    rated: bool = True  # False: the game lasted less than one move
    was_rated: bool = True


class Game(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A board of a round. `result` is the latest record; what standings count, `corrections` say."""

    board: int  # 1-based
    white: PlayerId
    black: PlayerId
    white_number: int  # tournament pairing number, as valid in this round
    black_number: int
    white_points: int  # tenths, before the round, as its pairing counted them: an adjourned game as a draw
    black_points: int
    result: GameResult | None = None
    rated: bool = True
    adjourned: bool = False  # no result yet
    revision: int = 0  # how often the result was recorded; a correction names it
    corrections: tuple[Correction, ...] = ()  # oldest first


class SittingOut(msgspec.Struct, frozen=True, kw_only=True):
    """A player who has a bye in a round. Who has left or is simply not there is not listed."""

    player: PlayerId
    kind: SittingOutKind


class Boards(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A published round."""

    round: Round
    boards: tuple[Game, ...]  # in board order
    byes: tuple[SittingOut, ...] = ()  # the pairing-allocated one first, then by number
    ended: bool = False  # every game has a public result or is adjourned
    appeals_close: Instant | None = None  # set when the results are posted


def new_boards(state: Tournament, fact: PairingPublished, points: Mapping[PlayerId, int]) -> Boards:
    """Return the round that `fact` has published; `points` are those that its pairing counted, in tenths."""
    assigned = state.numbers_for(fact.round)
    numbers = numbers_of(assigned[1] if assigned else None)
    games = tuple(
        Game(
            board=board,
            white=white,
            black=black,
            white_number=numbers[white],
            black_number=numbers[black],
            white_points=points[white],
            black_points=points[black],
        )
        for board, (white, black) in enumerate(fact.pairs, start=1)
    )
    return Boards(round=fact.round, boards=games, byes=byes_of(state, fact.round), ended=not games)


def byes_of(state: Tournament, round_: int) -> tuple[SittingOut, ...]:
    """Return who has a bye in a published round."""
    the_round = state.round(round_)
    assert the_round.published is not None
    pab = the_round.published.pab
    assigned = state.numbers_for(round_)
    allocated = [] if pab is None else [SittingOut(player=pab, kind="allocated")]
    requested = (
        SittingOut(player=player, kind=kind.value)
        for player in (assigned[1].players if assigned else ())
        if (kind := state.players[player].bye_in(round_)) is not None
    )
    return (*allocated, *requested)


def with_game(boards: Boards, state: Tournament, board: int, trail: tuple[Correction, ...]) -> Boards:
    """Return `boards` after something happened on one board; the same object when the public sees none of it."""
    old = boards.boards[board - 1]
    new = _seen(old, state, boards.round, trail)
    if new == old:
        return boards
    games = (*boards.boards[: board - 1], new, *boards.boards[board:])
    return replace(boards, boards=games, ended=_ended(games))


def with_all(
    boards: Boards, state: Tournament, trails: Mapping[tuple[int, int], tuple[Correction, ...]]
) -> Boards:
    """Return `boards` as they may be seen now; the same object when nothing is new."""
    games = tuple(
        _seen(game, state, boards.round, trails.get((boards.round, game.board), ())) for game in boards.boards
    )
    new = Boards(
        round=boards.round,
        boards=games,
        byes=byes_of(state, boards.round),
        ended=_ended(games),
        appeals_close=state.round(boards.round).appeals_close,
    )
    return boards if new == boards else new


def _seen(game: Game, state: Tournament, round_: int, trail: tuple[Correction, ...]) -> Game:
    board: Board = state.round(round_).boards[game.board - 1]
    if board.result is not None:
        if not results_public(state, round_):
            return game
        return replace(
            game,
            result=board.result,
            rated=board.rated,
            adjourned=False,
            revision=board.revision,
            corrections=trail,
        )
    told = round_ < state.published_rounds or closings_public(state)
    return replace(game, adjourned=board.adjourned and told)


def _ended(games: Sequence[Game]) -> bool:
    return all(game.result is not None or game.adjourned for game in games)
