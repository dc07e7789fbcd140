"""The criteria C.5 to C.19 of 2017 as numbers, in the way of `costs.py`: digits of one mixed-radix integer.

A list of score differences becomes a digit for every difference there can be, the largest first: how many have it.
Everybody gets at most one float, so a digit reaches the number of players for whom there is that difference.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.costs import Digit, WishCosts, places
from rules.swiss.dutch.criteria_2017 import POINT
from rules.swiss.dutch.floats import Float
from rules.swiss.dutch.players import Player
from rules.swiss.dutch.topscorers import breaches_of_topscorers

UNFIT_FOR_THE_BYE = 3  # what such a player weighs who is left over in the last scoregroup


class Costs2017:
    """Prices the pairs and the floats of one bracket. C.7 counts if there is a next group."""

    def __init__(self, bracket: Bracket) -> None:
        self.bracket = bracket
        self._below = bracket.residents[-1].score - POINT  # A.8: where a downfloater counts as going
        self._place = places(_radices(bracket, self._below))
        self._wishes = WishCosts(self._at("C.10"), self._at("C.11"))
        self._last_round = any(player.topscorer for player in bracket.players)
        self._of_down = {
            (player.rank, difference): self._downfloat(player, difference)
            for player in bracket.players
            for difference in _differences_down(bracket, player, self._below)
        }
        self._of_up = {
            (player.rank, difference): self._upfloat(player, difference)
            for player in bracket.residents
            for difference in _differences_up(bracket, player)
        }

    def _at(self, criterion: str, difference: int = 0) -> int:
        return self._place.get((criterion, difference), 0)

    def of_pair(self, higher: Player, lower: Player) -> int:
        """Return what it costs to pair the two in the bracket; `lower` is a resident."""
        cost = self._wishes.of(higher.preference, lower.preference)
        if self._last_round and (higher.topscorer or lower.topscorer):
            too_wide, third = breaches_of_topscorers(higher, lower, self.bracket.initial_colour)
            cost += too_wide * self._at("C.8") + third * self._at("C.9")
        difference = higher.score - lower.score
        if difference:
            cost += self._of_down[higher.rank, difference] + self._of_up[lower.rank, difference]
        return cost

    def of_float(self, player: Player) -> int:
        """Return what it costs to leave the player unpaired in the bracket."""
        return self._at("C.5") + self._of_down[player.rank, player.score - self._below]

    def of_passing_next(self, player: Player) -> int:
        """Return what it costs that the player is left unpaired in the next bracket too (C.7).

        The scores of the next group itself do not count. See `following_bracket` in `literal.py` for the weight.
        """
        unfit = player.pab_barred and not self.bracket.lower
        return (UNFIT_FOR_THE_BYE if unfit else 1) * self._at("C.7") + self._at("C.7 score", player.score)

    def _downfloat(self, player: Player, difference: int) -> int:
        before, before_that = player.float_before is Float.DOWN, player.float_before_that is Float.DOWN
        return (
            self._at("C.6", difference)
            + before * (self._at("C.12") + self._at("C.16", difference))
            + before_that * (self._at("C.14") + self._at("C.18", difference))
        )

    def _upfloat(self, player: Player, difference: int) -> int:
        before, before_that = player.float_before is Float.UP, player.float_before_that is Float.UP
        return before * (self._at("C.13") + self._at("C.17", difference)) + before_that * (
            self._at("C.15") + self._at("C.19", difference)
        )


def _differences_down(bracket: Bracket, player: Player, below: int) -> list[int]:
    """Return by how much the player can float down: to a resident, or unpaired."""
    scores = sorted({resident.score for resident in bracket.residents if resident.score < player.score})
    return [player.score - score for score in (below, *scores)]


def _differences_up(bracket: Bracket, player: Player) -> list[int]:
    """Return by how much the player can float up."""
    return sorted({other.score - player.score for other in bracket.players if other.score > player.score})


def _radices(bracket: Bracket, below: int) -> list[tuple[Digit, int]]:
    """Return the digits in the order of the criteria, with one more than their largest sum."""
    players = bracket.players
    size, pairs = len(players) + 1, len(players) // 2 + 1
    tops = size if any(player.topscorer for player in players) else 1
    down = {player.rank: _differences_down(bracket, player, below) for player in players}
    up = {player.rank: _differences_up(bracket, player) for player in bracket.residents}
    downs = [down[player.rank] for player in players if player.float_before is Float.DOWN]
    downs_that = [down[player.rank] for player in players if player.float_before_that is Float.DOWN]
    ups = [up[player.rank] for player in bracket.residents if player.float_before is Float.UP]
    ups_that = [up[player.rank] for player in bracket.residents if player.float_before_that is Float.UP]
    digits: list[tuple[Digit, int]] = [(("C.5", 0), size), *_by_difference("C.6", down.values())]
    if bracket.next_group:
        weight = UNFIT_FOR_THE_BYE * (size + len(bracket.next_group))
        scores = sorted({player.score for player in players}, reverse=True)
        digits += [(("C.7", 0), weight)] + [(("C.7 score", score), size) for score in scores]
    digits += [(("C.8", 0), tops), (("C.9", 0), tops), (("C.10", 0), pairs), (("C.11", 0), pairs)]
    digits += [(("C.12", 0), len(downs) + 1), (("C.13", 0), _some(ups) + 1)]
    digits += [(("C.14", 0), len(downs_that) + 1), (("C.15", 0), _some(ups_that) + 1)]
    digits += [*_by_difference("C.16", downs), *_by_difference("C.17", ups)]
    digits += [*_by_difference("C.18", downs_that), *_by_difference("C.19", ups_that)]
    return digits


def _by_difference(criterion: str, of_players: Iterable[Sequence[int]]) -> list[tuple[Digit, int]]:
    """Return a digit for every difference, the largest first."""
    count = Counter(difference for differences in of_players for difference in differences)
    return [((criterion, difference), count[difference] + 1) for difference in sorted(count, reverse=True)]


def _some(of_players: Sequence[Sequence[int]]) -> int:
    return sum(bool(differences) for differences in of_players)
