"""The round paired word for word: every candidate generated and judged, every completion tried.

Hopeless beyond ten players or so, and that is its use: it shares no algorithm with the fast path that it checks.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rules.swiss.dutch.bracket import Bracket, PlayerPair, bracket_of, scoregroups
from rules.swiss.dutch.candidates import heterogeneous
from rules.swiss.dutch.criteria import Candidate, Value
from rules.swiss.dutch.editions import CompletionScope, Edition
from rules.swiss.dutch.players import Field, Player
from rules.swiss.pairing_input import NoCompletePairing

Pairing = tuple[list[PlayerPair], list[Player]]
UNFIT_FOR_THE_BYE = (
    3  # what such a player weighs who is left over in the last scoregroup (`following_bracket`)
)


def pair_literally(field: Field, edition: Edition) -> Pairing:
    """Return all pairs, higher-ranked player first, and who is left over from the last bracket."""
    trial = _Trial(field, lowest_bye=edition.lowest_bye)
    if edition.completion is CompletionScope.EVERY_BRACKET:
        return _completing_every_bracket(field, trial, edition)
    return _collapsing_the_last(field, trial, edition)


def _completing_every_bracket(field: Field, trial: "_Trial", edition: Edition) -> Pairing:
    """Art. 1.9: every bracket leaves what can be completed ([C4])."""
    judge = _Judge(trial, edition, must_complete=True, next_bracket=trial.next_bracket)
    groups = scoregroups(field)
    pairs: list[PlayerPair] = []
    mdps: tuple[Player, ...] = ()
    for at in range(len(groups)):
        best = judge.best_candidate(bracket_of(field, mdps, groups[at:], trial.pab_score))
        pairs += best.pairs
        mdps = best.downfloaters
    return pairs, list(mdps)


def _collapsing_the_last(field: Field, trial: "_Trial", edition: Edition) -> Pairing:
    """A.9: the first bracket that leaves what cannot be completed is paired anew, and all below it collapse."""
    free = _Judge(trial, edition, must_complete=False, next_bracket=trial.following_bracket)
    bound = _Judge(trial, edition, must_complete=True, next_bracket=lambda _bracket, _downfloaters: ())
    groups = scoregroups(field)
    pairs: list[PlayerPair] = []
    mdps: tuple[Player, ...] = ()
    while len(groups) > 1:
        bracket = bracket_of(field, mdps, groups)
        lower = bracket.next_group + bracket.lower
        best = free.best_candidate(bracket)
        groups = groups[1:]
        if not trial.is_completable((*best.downfloaters, *lower)):
            best = bound.best_candidate(bracket)
            groups = [lower]
        pairs += best.pairs
        mdps = best.downfloaters
    last = bound.best_candidate(bracket_of(field, mdps, groups))
    return [*pairs, *last.pairs], list(last.downfloaters)


class _Trial:
    """Completions and next brackets of one field, by trying everything."""

    def __init__(self, field: Field, *, lowest_bye: bool) -> None:
        self.legal = field.legal
        self.pab_takers = frozenset(player for player in field.players if not player.pab_barred)
        self.pab_score: int | None = None
        self._known: dict[frozenset[Player], bool] = {}
        if lowest_bye and len(field.players) % 2:
            self._fix_pab(field)
        elif not self.is_completable(field.players):
            raise NoCompletePairing("no pairing obeys C1 to C3")

    def _fix_pab(self, field: Field) -> None:
        """[C5] art. 2.3.1."""
        for score in sorted({player.score for player in field.players}):
            self.pab_score = score
            self.pab_takers = frozenset(
                player for player in field.players if player.score == score and not player.pab_barred
            )
            self._known.clear()
            if self.is_completable(field.players):
                return
        raise NoCompletePairing("no pairing obeys C1 to C3")

    def is_completable(self, players: Sequence[Player]) -> bool:
        """[C4] art. 2.2.1: pair everybody, but for one bye if their number is odd."""
        key = frozenset(players)
        if key not in self._known:
            self._known[key] = self._complete(players)
        return self._known[key]

    def _complete(self, players: Sequence[Player]) -> bool:
        if not players:
            return True
        first, rest = players[0], players[1:]
        if len(players) % 2 and first in self.pab_takers and self.is_completable(rest):
            return True
        return any(
            self.legal[first.rank] >> other.rank & 1
            and self.is_completable([player for player in rest if player is not other])
            for other in rest
        )

    def next_bracket(self, bracket: Bracket, downfloaters: Sequence[Player]) -> Value:
        """[C8] art. 2.4.3: the best number and scores of players unpaired in the next bracket."""
        if not bracket.next_group:
            return ()
        return min(
            (len(left), *sorted((player.score for player in left), reverse=True))
            for left in self._unpaired(bracket, (*downfloaters, *bracket.next_group), ())
            if self.is_completable((*left, *bracket.lower))
        )

    def following_bracket(self, bracket: Bracket, downfloaters: Sequence[Player]) -> Value:
        """C.7 of 2017: as [C8], without a look at completion, and with the scores of today's downfloaters alone.

        Whoever is left over in the last scoregroup and may not have the bye counts three times. The text has no
        word of it; it stands for C.2, and the engines of 2017 agree on it.
        """
        last = not bracket.lower
        return min(
            (
                sum(UNFIT_FOR_THE_BYE if last and player.pab_barred else 1 for player in left),
                *sorted((player.score for player in left if player in downfloaters), reverse=True),
            )
            for left in self._unpaired(bracket, (*downfloaters, *bracket.next_group), ())
        )

    def _unpaired(
        self, bracket: Bracket, players: tuple[Player, ...], left: tuple[Player, ...]
    ) -> Iterator[tuple[Player, ...]]:
        """Yield who may be left unpaired by the pairings of `players`: MDPs meet residents only."""
        if not players:
            yield left
            return
        first, rest = players[0], players[1:]
        yield from self._unpaired(bracket, rest, (*left, first))
        for other in rest:
            if other in bracket.next_group and bracket.allows(first, other):
                yield from self._unpaired(bracket, tuple(p for p in rest if p is not other), left)


@dataclass(frozen=True)
class _Judge:
    """Generates the candidates of a bracket and takes the best."""

    trial: _Trial
    edition: Edition
    must_complete: bool
    next_bracket: Callable[[Bracket, Sequence[Player]], Value]

    def best_candidate(self, bracket: Bracket) -> Candidate:
        """Return the earliest of the candidates with the best criteria (art. 3.8)."""
        for pairs in range(len(bracket.players) // 2, -1, -1):
            found = self._best_of(bracket, pairs)
            if found is not None:
                return found  # MaxPairs is the largest number for which there is a legal candidate
        raise AssertionError("every bracket leaves the rest completable")

    def _best_of(self, bracket: Bracket, pairs: int) -> Candidate | None:
        best: tuple[tuple[Value, ...], Candidate] | None = None
        for candidate in self._legal_candidates(bracket, pairs):
            value = tuple(criterion(candidate) for criterion in self.edition.criteria)
            if best is None or value < best[0]:
                best = value, candidate
        return best[1] if best else None

    def _legal_candidates(self, bracket: Bracket, pairs: int) -> Iterator[Candidate]:
        """Yield the candidates that obey the absolute criteria.

        Numbers of paired MDPs do not compete: the scores of the downfloaters tell them apart.
        """
        by_bsn = dict(enumerate(bracket.players, start=1))
        residents = list(by_bsn)[len(bracket.mdps) :]
        scores = [mdp.score for mdp in bracket.mdps]
        known: dict[tuple[Player, ...], Value] = {}
        for paired_mdps in range(min(pairs, len(scores)), -1, -1):
            sets = self.edition.mdp_sets(scores, paired_mdps)
            for generated in heterogeneous(sets, residents, pairs - paired_mdps):
                found = tuple((by_bsn[min(pair)], by_bsn[max(pair)]) for pair in generated)
                if not all(bracket.allows(*pair) for pair in found):
                    continue
                paired = {bsn for pair in generated for bsn in pair}
                down = tuple(player for bsn, player in by_bsn.items() if bsn not in paired)
                left = (*down, *bracket.next_group, *bracket.lower)
                if self.must_complete and not self.trial.is_completable(left):
                    continue
                if down not in known:
                    known[down] = self.next_bracket(bracket, down)
                yield Candidate(bracket, found, down, known[down])
