"""Baku acceleration (C.04.7): who is in the upper group, and the virtual points it has in each round."""

from events.facts import Scoring


def takes_baku(scoring: Scoring) -> bool:
    """Tell whether the method is made for these points: a win worth two draws, a loss worth nothing (art. 1.1)."""
    return scoring.loss == 0 and scoring.win == 2 * scoring.draw


def baku_group(participants: int) -> int:
    """Return how many participants, the first by TPN, are in group GA: half, rounded up to even (art. 1.2).

    >>> baku_group(161), baku_group(160), baku_group(10), baku_group(1)
    (82, 80, 6, 2)
    """
    return 2 * -(-participants // 4)


def baku_points(rounds: int, win: int) -> tuple[int, ...]:
    """Return the virtual points, tenths, that a member of GA has in rounds 1 to `rounds` (art. 1.4).

    A win in the first half of the accelerated rounds, which are the first half of all, and half a win in the others;
    both halves rounded up. The points of a round replace those of the one before.

    >>> baku_points(9, 10)
    (10, 10, 10, 5, 5, 0, 0, 0, 0)
    """
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    return (win,) * full + (win // 2,) * (accelerated - full) + (0,) * (rounds - accelerated)
