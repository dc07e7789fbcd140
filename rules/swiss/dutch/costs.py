"""The criteria C6 to C21 of 2026 as numbers: what an edge of the bracket's graph costs, most significant digit first.

Every criterion is a sum over pairs once "floats down" is an edge too. Each criterion is a digit (a scored one,
a digit for every score) of one mixed-radix integer; a radix is one more than the sum that the digit can reach,
so digits never carry, and a cheaper matching is a better candidate. C18 and C20 need digits for MDPs in the Limbo
only: these count above every difference to a resident, and who is not there is paired.
"""

from collections import Counter
from collections.abc import Sequence

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.colours import ColourPreference, Strength, same_wish
from rules.swiss.dutch.floats import Float
from rules.swiss.dutch.matching.minimum_cost import UNIT
from rules.swiss.dutch.players import Player
from rules.swiss.dutch.topscorers import breaches_of_topscorers

Digit = tuple[str, int]  # the criterion, and a score for the scored ones


class Costs:
    """Prices the pairs and the floats of one bracket."""

    def __init__(self, bracket: Bracket, *, single_floater: bool) -> None:
        """`single_floater` tells that the best candidates float exactly one player, so that [C9] can apply."""
        self.bracket = bracket
        self._place = places(_radices(bracket, single_floater=single_floater))
        self._wishes = WishCosts(self._at("C12"), self._at("C13"))
        self._mdps = {mdp.rank for mdp in bracket.mdps}
        self._of_upfloat = {
            (mdp_score, resident.float_before, resident.float_before_that): self._upfloat(mdp_score, resident)
            for mdp_score in sorted({mdp.score for mdp in bracket.mdps})
            for resident in bracket.residents
        }
        self._last_round = any(player.topscorer for player in bracket.players)

    def _at(self, criterion: str, score: int = 0) -> int:
        return self._place.get((criterion, score), 0)

    def of_pair(self, higher: Player, lower: Player) -> int:
        """Return what it costs to pair the two in the bracket; `lower` is a resident."""
        cost = self._wishes.of(higher.preference, lower.preference)
        if self._last_round and (higher.topscorer or lower.topscorer):
            too_wide, third = breaches_of_topscorers(higher, lower, self.bracket.initial_colour)
            cost += too_wide * self._at("C10") + third * self._at("C11")
        if higher.rank in self._mdps:
            cost += self._of_upfloat[higher.score, lower.float_before, lower.float_before_that]
        return cost

    def of_float(self, player: Player) -> int:
        """Return what it costs to leave the player unpaired in the bracket."""
        cost = self._at("C6") + self._at("C7", player.score)
        if player.score == self.bracket.pab_score:
            cost += player.unplayed * self._at("C9")
        before, before_that = player.float_before is Float.DOWN, player.float_before_that is Float.DOWN
        if player.rank in self._mdps:  # left in the Limbo
            return cost + before * self._at("C18", player.score) + before_that * self._at("C20", player.score)
        return cost + before * self._at("C14") + before_that * self._at("C16")

    def of_passing_next(self, player: Player) -> int:
        """Return what it costs that the player is left unpaired in the next bracket too ([C8])."""
        return self._at("C8") + self._at("C8 score", player.score)

    def _upfloat(self, mdp_score: int, resident: Player) -> int:
        before, before_that = resident.float_before is Float.UP, resident.float_before_that is Float.UP
        return before * (self._at("C15") + self._at("C19", mdp_score)) + before_that * (
            self._at("C17") + self._at("C21", mdp_score)
        )


class WishCosts:
    """Prices the wishes for colours of a pair."""

    def __init__(self, lost: int, strong_lost: int) -> None:
        self._lost, self._strong_lost = lost, strong_lost
        self._known: dict[tuple[ColourPreference | None, ColourPreference | None], int] = {}

    def of(self, one: ColourPreference | None, two: ColourPreference | None) -> int:
        """Return what it costs that two with these wishes meet."""
        key = (one, two)
        if key not in self._known:
            self._known[key] = self._lost * same_wish(one, two) + self._strong_lost * strong_wish_lost(
                one, two
            )
        return self._known[key]


def strong_wish_lost(one: ColourPreference | None, two: ColourPreference | None) -> bool:
    """Tell whether a strong preference is disappointed ([C13]): equal wishes, both at least strong.

    Of two absolute wishes an absolute one is lost, not a strong one: it is left to C10 and C11.
    """
    if one is None or two is None or not same_wish(one, two):
        return False
    return min(one.strength, two.strength) == Strength.STRONG


def places(radices: Sequence[tuple[Digit, int]]) -> dict[Digit, int]:
    """Return the place value of every digit that can be other than 0."""
    place, value = {}, UNIT
    for digit, radix in reversed(radices):
        if radix > 1:
            place[digit] = value
            value *= radix
    return place


def _radices(bracket: Bracket, *, single_floater: bool) -> list[tuple[Digit, int]]:
    """Return the digits in the order of the criteria, with one more than their largest sum."""
    players, residents, mdps = bracket.players, bracket.residents, bracket.mdps
    size, pairs = len(players) + 1, len(players) // 2 + 1
    tops = 1 if not any(player.topscorer for player in players) else size
    down = sum(resident.float_before is Float.DOWN for resident in residents) + 1
    down_that = sum(resident.float_before_that is Float.DOWN for resident in residents) + 1
    up = sum(resident.float_before is Float.UP for resident in residents) + 1 if mdps else 1
    up_that = sum(resident.float_before_that is Float.UP for resident in residents) + 1 if mdps else 1
    scores = sorted({player.score for player in players}, reverse=True)
    mdp_scores = scores[: len({mdp.score for mdp in mdps})]
    all_down = Counter(mdp.score for mdp in mdps if mdp.float_before is Float.DOWN)
    all_down_that = Counter(mdp.score for mdp in mdps if mdp.float_before_that is Float.DOWN)
    takers = [player.unplayed for player in players if player.score == bracket.pab_score]
    digits: list[tuple[Digit, int]] = [(("C6", 0), size)]
    digits += [(("C7", score), size) for score in scores[:-1]]  # C6 and these fix the last one
    if bracket.next_group:
        everybody = size + len(bracket.next_group)
        digits += [(("C8", 0), everybody)] + [(("C8 score", score), size) for score in scores]
    digits += [(("C9", 0), sum(takers) + 1 if single_floater else 1)]
    digits += [(("C10", 0), tops), (("C11", 0), tops), (("C12", 0), pairs), (("C13", 0), pairs)]
    digits += [(("C14", 0), down), (("C15", 0), up), (("C16", 0), down_that), (("C17", 0), up_that)]
    digits += [(("C18", score), all_down[score] + 1) for score in mdp_scores]
    digits += [(("C19", score), up) for score in mdp_scores]
    digits += [(("C20", score), all_down_that[score] + 1) for score in mdp_scores]
    digits += [(("C21", score), up_that) for score in mdp_scores]
    return digits
