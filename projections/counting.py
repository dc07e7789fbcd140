"""What rounds are worth: points in tenths, as standings or pairings count them (C.04.2 4.3).

A correction counts from the round that its stored effect names. Nothing here looks at a clock.
"""

from collections.abc import Iterable, Mapping, Sequence

from events.facts import Colour, GameResult, PlayerId, Scoring
from projections.rounds import Boards, Correction, Game, SittingOut
from rules.scores import bye_points, game_points
from rules.state import Board, Tournament
from rules.swiss.pairing_input import RoundKind

Worth = Mapping[GameResult | None, tuple[int, int]]  # what White and Black have of a game; None: not decided
Counted = tuple[PlayerId, PlayerId, GameResult | None]  # White, Black, the result that counts

_BYES = {
    "allocated": RoundKind.PAIRING_ALLOCATED_BYE,
    "full": RoundKind.FULL_POINT_BYE,
    "half": RoundKind.HALF_POINT_BYE,
    "zero": RoundKind.ZERO_POINT_BYE,
}


def game_worth(scoring: Scoring) -> Worth:
    """Return what each result is worth; a game that is not decided, nothing."""
    worth: dict[GameResult | None, tuple[int, int]] = {
        result: (game_points(result, Colour.WHITE, scoring), game_points(result, Colour.BLACK, scoring))
        for result in GameResult
    }
    worth[None] = (0, 0)
    return worth


def bye_worth(scoring: Scoring) -> Mapping[str, int]:
    """Return what each kind of bye is worth."""
    return {kind: bye_points(of, scoring) for kind, of in _BYES.items()}


def counted(game: Game, after: int) -> GameResult | None:
    """Return the result of a game that the standings after round `after` count."""
    if not game.corrections:
        return game.result
    counts = (
        one.result
        for one in reversed(game.corrections)
        if one.standings_from is not None and one.standings_from <= after
    )
    return next(counts, game.corrections[0].was)


def standings_points(state: Tournament, rounds: Sequence[Boards], after: int) -> dict[PlayerId, int]:
    """Return the points of every player in the standings after round `after`."""
    assert state.announced is not None
    shown = (
        (((game.white, game.black, counted(game, after)) for game in boards.boards), boards.byes)
        for boards in rounds[:after]
    )
    return _sum(state.players, shown, state.announced.scoring, game_worth(state.announced.scoring))


def pairing_points(
    state: Tournament,
    trails: Mapping[tuple[int, int], tuple[Correction, ...]],
    rounds: Sequence[Boards],
    paired: int,
) -> dict[PlayerId, int]:
    """Return the points of every player as the pairing of round `paired` counts them, from the state at its cutoff.

    A game without a result is adjourned then: a draw, for pairing only (C.04.2 3.1).
    """
    assert state.announced is not None
    scoring = state.announced.scoring
    worth = {**game_worth(scoring), None: (scoring.draw, scoring.draw)}
    seen = (
        (
            (
                (board.white, board.black, _paired_with(board, trails.get((number, place), ()), paired))
                for place, board in enumerate(state.round(number).boards, start=1)
            ),
            rounds[number - 1].byes,
        )
        for number in range(1, paired)
    )
    return _sum(state.players, seen, scoring, worth)


def _paired_with(board: Board, trail: tuple[Correction, ...], paired: int) -> GameResult | None:
    if not trail:
        return board.result
    counts = (
        one.result for one in reversed(trail) if one.pairing_from is not None and one.pairing_from <= paired
    )
    return next(counts, trail[0].was)


def _sum(
    players: Iterable[PlayerId],
    rounds: Iterable[tuple[Iterable[Counted], Sequence[SittingOut]]],
    scoring: Scoring,
    worth: Worth,
) -> dict[PlayerId, int]:
    """Return everybody's points; who is neither on a board nor has a bye scores as for a zero-point bye."""
    points = dict.fromkeys(players, 0)
    of_byes, absent, count = bye_worth(scoring), scoring.zero_point_bye, 0
    for games, byes in rounds:
        count += 1
        for white, black, result in games:
            for_white, for_black = worth[result]
            points[white] += for_white - absent
            points[black] += for_black - absent
        for bye in byes:
            points[bye.player] += of_byes[bye.kind] - absent
    if absent:
        points = {player: of_games + count * absent for player, of_games in points.items()}
    return points
