"""Standings: points in tenths, then number, until tie-breaks come. They keep everybody who has taken part.

A correction counts from the round its stored effect names: in the standings after that round and after later ones.
"""

from collections.abc import Sequence

import msgspec

from events.facts import PlayerId
from projections.counting import counted, standings_points
from projections.embargo import numbers_of, numbers_public
from projections.rounds import Boards
from rules.state import Tournament

UNNUMBERED = 10_000  # after every number


class Rank(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the standings."""

    rank: int  # 1-based, in the order of rows: equal points do not share one
    player: PlayerId
    points: int  # tenths


class Standings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The standings after a round; 0: before any result."""

    after_round: int
    rows: tuple[Rank, ...]
    pending: int = 0  # games up to that round that have no public result yet


def standings(state: Tournament, rounds: Sequence[Boards]) -> Standings:
    """Return the standings that are shown. `rounds` are the published ones, as they may be seen."""
    after = round_of_standings(rounds)
    points = standings_points(state, rounds, after)
    numbers = numbers_of(numbers_public(state))
    order = sorted(
        taking_part(state, rounds), key=lambda player: (-points[player], numbers.get(player, UNNUMBERED))
    )
    return Standings(
        after_round=after,
        rows=tuple(
            Rank(rank=rank, player=player, points=points[player])
            for rank, player in enumerate(order, start=1)
        ),
        pending=sum(counted(game, after) is None for boards in rounds[:after] for game in boards.boards),
    )


def round_of_standings(rounds: Sequence[Boards]) -> int:
    """Return the round after which standings are shown: the last one of which a result is public; 0 before that.

    A round is also over, though nobody played, when the next one is published.
    """
    for boards in reversed(rounds):
        over = boards.round < len(rounds) or not boards.boards
        if over or any(game.result is not None for game in boards.boards):
            return boards.round
    return 0


def taking_part(state: Tournament, rounds: Sequence[Boards]) -> list[PlayerId]:
    """Return who is ranked, as entered: whoever was on a board or had a bye; before round 1, who has not left."""
    if not rounds:
        return [player for player, entry in state.players.items() if entry.withdrawn_from is None]
    placed: set[PlayerId] = set()
    for boards in rounds:
        placed.update(game.white for game in boards.boards)
        placed.update(game.black for game in boards.boards)
        placed.update(bye.player for bye in boards.byes)
    return [player for player in state.players if player in placed]
