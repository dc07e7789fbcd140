"""The criteria of 2017 as its articles put them (C.5 to C.19); `CRITERIA_2017` is the edition.

Those that the edition of 2026 words alike are its functions (`criteria.py`). A float is here whatever pairs unequal
scores or leaves somebody unpaired: "the same float" is any that a player gets in this round, with its difference.
"""

from collections.abc import Callable, Iterator

from rules.swiss.dutch.criteria import (
    Candidate,
    Criterion,
    Value,
    descending,
    minimise_disappointed,
    minimise_downfloaters,
    minimise_strongly_disappointed,
    minimise_third_colours,
    minimise_wide_differences,
    serve_next_bracket,
)
from rules.swiss.dutch.floats import Float
from rules.swiss.dutch.players import Player

POINT = 10  # tenths

FloatOf = Callable[[Player], Float | None]
Floater = tuple[Player, int]  # with the score difference


def _before(player: Player) -> Float | None:
    return player.float_before


def _before_that(player: Player) -> Float | None:
    return player.float_before_that


def minimise_score_differences(candidate: Candidate) -> Value:
    """C.6: the pairing score difference (A.8), that is the differences of all pairs and downfloaters."""
    pairs = (higher.score - lower.score for higher, lower in candidate.pairs)
    return descending((*pairs, *(difference for _, difference in _unpaired(candidate))))


def minimise_same_downfloats(candidate: Candidate) -> Value:
    """C.12: players who get the same downfloat as in the round before."""
    return (len(_repeated(_down(candidate), _before, Float.DOWN)),)


def minimise_same_upfloats(candidate: Candidate) -> Value:
    """C.13: players who get the same upfloat as in the round before."""
    return (len(_repeated(_up(candidate), _before, Float.UP)),)


def minimise_same_downfloats_two_before(candidate: Candidate) -> Value:
    """C.14: as C.12, two rounds before."""
    return (len(_repeated(_down(candidate), _before_that, Float.DOWN)),)


def minimise_same_upfloats_two_before(candidate: Candidate) -> Value:
    """C.15: as C.13, two rounds before."""
    return (len(_repeated(_up(candidate), _before_that, Float.UP)),)


def minimise_differences_of_same_downfloats(candidate: Candidate) -> Value:
    """C.16: the score differences of whom C.12 counts."""
    return _repeated(_down(candidate), _before, Float.DOWN)


def minimise_differences_of_same_upfloats(candidate: Candidate) -> Value:
    """C.17: the score differences of whom C.13 counts."""
    return _repeated(_up(candidate), _before, Float.UP)


def minimise_differences_of_same_downfloats_two_before(candidate: Candidate) -> Value:
    """C.18: the score differences of whom C.14 counts."""
    return _repeated(_down(candidate), _before_that, Float.DOWN)


def minimise_differences_of_same_upfloats_two_before(candidate: Candidate) -> Value:
    """C.19: the score differences of whom C.15 counts."""
    return _repeated(_up(candidate), _before_that, Float.UP)


CRITERIA_2017: tuple[Criterion, ...] = (
    minimise_downfloaters,  # C.5
    minimise_score_differences,
    serve_next_bracket,  # C.7
    minimise_wide_differences,  # C.8
    minimise_third_colours,  # C.9
    minimise_disappointed,  # C.10
    minimise_strongly_disappointed,  # C.11
    minimise_same_downfloats,
    minimise_same_upfloats,
    minimise_same_downfloats_two_before,
    minimise_same_upfloats_two_before,
    minimise_differences_of_same_downfloats,
    minimise_differences_of_same_upfloats,
    minimise_differences_of_same_downfloats_two_before,
    minimise_differences_of_same_upfloats_two_before,
)


def _unpaired(candidate: Candidate) -> Iterator[Floater]:
    """Yield the downfloaters with their difference to a point below the lowest score of the bracket (A.8)."""
    below = min(resident.score for resident in candidate.bracket.residents) - POINT
    return ((player, player.score - below) for player in candidate.downfloaters)


def _down(candidate: Candidate) -> Iterator[Floater]:
    """Yield everybody who floats down, in a pair or unpaired."""
    yield from ((one, one.score - two.score) for one, two in candidate.pairs if one.score > two.score)
    yield from _unpaired(candidate)


def _up(candidate: Candidate) -> Iterator[Floater]:
    """Yield everybody who floats up."""
    return ((two, one.score - two.score) for one, two in candidate.pairs if one.score > two.score)


def _repeated(floaters: Iterator[Floater], float_of: FloatOf, again: Float) -> Value:
    """Return the differences, highest first, of those who had the float already."""
    return descending(difference for player, difference in floaters if float_of(player) is again)
