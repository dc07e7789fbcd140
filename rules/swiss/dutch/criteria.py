"""The criteria of 2026 as the articles put them (art. 2), one function each, on a candidate written out in full.

Slow and literal: what the fast path is measured against. Each returns a number or a list of numbers, and
smaller is better; `CRITERIA_2026` is the edition.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.colours import Strength
from rules.swiss.dutch.floats import Float
from rules.swiss.dutch.players import Player
from rules.swiss.dutch.topscorers import breaches_of_topscorers

Value = tuple[int, ...]


@dataclass(frozen=True)
class Candidate:
    """One way to pair a bracket: its pairs, higher-ranked player first, and who floats down."""

    bracket: Bracket
    pairs: tuple[tuple[Player, Player], ...]
    downfloaters: tuple[Player, ...]
    next_bracket: Value  # what the next bracket comes to, by C6 and C7 ([C8])

    def mdp_pairs(self) -> Iterator[tuple[Player, Player]]:
        """Yield the pairs of an MDP with a resident."""
        return ((one, two) for one, two in self.pairs if one in self.bracket.mdps)

    def resident_downfloaters(self) -> Iterator[Player]:
        """Yield the downfloaters of the bracket's own scoregroup."""
        return (player for player in self.downfloaters if player in self.bracket.residents)


Criterion = Callable[[Candidate], Value]


def descending(values: Iterable[int]) -> Value:
    """Return scores, or differences of scores, as the articles compare them: highest first."""
    return tuple(sorted(values, reverse=True))


def minimise_downfloaters(candidate: Candidate) -> Value:
    """[C6] art. 2.4.1: make as many pairs as possible."""
    return (len(candidate.downfloaters),)


def minimise_downfloater_scores(candidate: Candidate) -> Value:
    """[C7] art. 2.4.2: scores of the downfloaters, highest first."""
    return descending(player.score for player in candidate.downfloaters)


def serve_next_bracket(candidate: Candidate) -> Value:
    """[C8] art. 2.4.3: let the next bracket, and only that, obey the criteria up to C7 as well as it can."""
    return candidate.next_bracket


def minimise_unplayed_of_pab(candidate: Candidate) -> Value:
    """[C9] art. 2.4.4: rounds without a game of who gets the bye, as soon as that is certain.

    A single floater with the score that C5 gives the bye to must get it: below, every score is lower.
    """
    if len(candidate.downfloaters) != 1 or candidate.downfloaters[0].score != candidate.bracket.pab_score:
        return (0,)
    return (candidate.downfloaters[0].unplayed,)


def minimise_wide_differences(candidate: Candidate) -> Value:
    """[C10] art. 2.4.5: topscorers, or their opponents, with a colour difference beyond two."""
    return (sum(_breaches(candidate, *pair)[0] for pair in candidate.pairs),)


def minimise_third_colours(candidate: Candidate) -> Value:
    """[C11] art. 2.4.6: topscorers, or their opponents, with the same colour three times running."""
    return (sum(_breaches(candidate, *pair)[1] for pair in candidate.pairs),)


def minimise_disappointed(candidate: Candidate) -> Value:
    """[C12] art. 2.4.7: players who do not get the colour they prefer."""
    return (sum(_wish(one) is not None and _wish(one) == _wish(two) for one, two in candidate.pairs),)


def minimise_strongly_disappointed(candidate: Candidate) -> Value:
    """[C13] art. 2.4.8: players who do not get a strong preference. Absolute ones belong to C10 and C11."""
    return (
        sum(
            _wish(one) == _wish(two) and min(one.strength, two.strength) == Strength.STRONG
            for one, two in candidate.pairs
        ),
    )


def minimise_repeated_downfloats(candidate: Candidate) -> Value:
    """[C14] art. 2.4.9: residents who float down as in the round before."""
    return (sum(player.float_before is Float.DOWN for player in candidate.resident_downfloaters()),)


def minimise_repeated_upfloats(candidate: Candidate) -> Value:
    """[C15] art. 2.4.10: opponents of MDPs who float up as in the round before."""
    return (sum(resident.float_before is Float.UP for _, resident in candidate.mdp_pairs()),)


def minimise_downfloats_two_before(candidate: Candidate) -> Value:
    """[C16] art. 2.4.11: as C14, two rounds before."""
    return (sum(player.float_before_that is Float.DOWN for player in candidate.resident_downfloaters()),)


def minimise_upfloats_two_before(candidate: Candidate) -> Value:
    """[C17] art. 2.4.12: as C15, two rounds before."""
    return (sum(resident.float_before_that is Float.UP for _, resident in candidate.mdp_pairs()),)


def minimise_differences_of_downfloaters(candidate: Candidate) -> Value:
    """[C18] art. 2.4.13: score differences of MDPs who floated down in the round before."""
    return _mdp_differences(candidate, lambda player: player.float_before)


def minimise_differences_of_upfloaters(candidate: Candidate) -> Value:
    """[C19] art. 2.4.14: score differences of opponents of MDPs who floated up in the round before."""
    return descending(
        mdp.score - resident.score
        for mdp, resident in candidate.mdp_pairs()
        if resident.float_before is Float.UP
    )


def minimise_differences_of_downfloaters_two_before(candidate: Candidate) -> Value:
    """[C20] art. 2.4.15: as C18, two rounds before."""
    return _mdp_differences(candidate, lambda player: player.float_before_that)


def minimise_differences_of_upfloaters_two_before(candidate: Candidate) -> Value:
    """[C21] art. 2.4.16: as C19, two rounds before."""
    return descending(
        mdp.score - resident.score
        for mdp, resident in candidate.mdp_pairs()
        if resident.float_before_that is Float.UP
    )


CRITERIA_2026: tuple[Criterion, ...] = (
    minimise_downfloaters,
    minimise_downfloater_scores,
    serve_next_bracket,
    minimise_unplayed_of_pab,
    minimise_wide_differences,
    minimise_third_colours,
    minimise_disappointed,
    minimise_strongly_disappointed,
    minimise_repeated_downfloats,
    minimise_repeated_upfloats,
    minimise_downfloats_two_before,
    minimise_upfloats_two_before,
    minimise_differences_of_downfloaters,
    minimise_differences_of_upfloaters,
    minimise_differences_of_downfloaters_two_before,
    minimise_differences_of_upfloaters_two_before,
)


def _wish(player: Player) -> object:
    return player.preference.colour if player.preference else None


def _breaches(candidate: Candidate, higher: Player, lower: Player) -> tuple[int, int]:
    return breaches_of_topscorers(higher, lower, candidate.bracket.initial_colour)


def _mdp_differences(candidate: Candidate, float_of: Callable[[Player], Float | None]) -> Value:
    """Return the differences of MDPs, highest first; one left in the Limbo counts above any that is paired.

    The text defines no difference for the Limbo; the commentary of FIDE's committee and all engines read it so.
    """
    paired = [
        mdp.score - resident.score for mdp, resident in candidate.mdp_pairs() if float_of(mdp) is Float.DOWN
    ]
    own_score = candidate.bracket.residents[0].score
    beyond = candidate.bracket.players[0].score - own_score
    limbo = [
        beyond + player.score - own_score
        for player in candidate.downfloaters
        if player in candidate.bracket.mdps and float_of(player) is Float.DOWN
    ]
    return descending((*limbo, *paired))
