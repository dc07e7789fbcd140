"""The round paired word for word: every candidate generated and judged, every completion tried.

Hopeless beyond ten players or so, and that is its use: it shares no algorithm with the fast path that it checks.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.candidates import heterogeneous
from rules.swiss.dutch.criteria import Candidate, Value, vector
from rules.swiss.dutch.players import Field, Player
from rules.swiss.pairing_input import NoCompletePairing

PlayerPair = tuple[Player, Player]


def pair_literally(field: Field) -> tuple[list[PlayerPair], list[Player]]:
    """Return all pairs, higher-ranked player first, and who is left over from the last bracket."""
    trial = _Trial(field)
    groups = [tuple(group) for _, group in groupby(field.players, key=lambda player: player.score)]
    pairs: list[PlayerPair] = []
    mdps: tuple[Player, ...] = ()
    for at, residents in enumerate(groups):
        bracket = Bracket(
            mdps=mdps,
            residents=residents,
            next_group=groups[at + 1] if at + 1 < len(groups) else (),
            lower=tuple(player for group in groups[at + 2 :] for player in group),
            legal=field.legal,
            initial_colour=field.initial_colour,
            pab_score=trial.pab_score,
        )
        best = best_candidate(bracket, trial)
        pairs += best.pairs
        mdps = best.downfloaters
    return pairs, list(mdps)


class _Trial:
    """Completions and next brackets of one field, by trying everything."""

    def __init__(self, field: Field) -> None:
        self.legal = field.legal
        self.pab_takers = frozenset[Player]()
        self.pab_score: int | None = None
        self._known: dict[frozenset[Player], bool] = {}
        if len(field.players) % 2:
            self._fix_pab(field)
        elif not self.is_completable(field.players):
            raise NoCompletePairing("no pairing obeys C1 and C3")

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


def best_candidate(bracket: Bracket, trial: _Trial) -> Candidate:
    """Return the earliest of the candidates with the best criteria (art. 3.8)."""
    for pairs in range(len(bracket.players) // 2, -1, -1):
        found = _best_of(bracket, trial, pairs)
        if found is not None:
            return found  # MaxPairs is the largest number for which there is a legal candidate
    raise AssertionError("every bracket leaves the rest completable")


def _best_of(bracket: Bracket, trial: _Trial, pairs: int) -> Candidate | None:
    best: tuple[tuple[Value, ...], Candidate] | None = None
    for candidate in _legal_candidates(bracket, trial, pairs):
        value = vector(candidate)
        if best is None or value < best[0]:
            best = value, candidate
    return best[1] if best else None


def _legal_candidates(bracket: Bracket, trial: _Trial, pairs: int) -> Iterator[Candidate]:
    """Yield the candidates that obey C1 to C5. Numbers of paired MDPs do not compete: [C7] tells them apart."""
    by_bsn = dict(enumerate(bracket.players, start=1))
    mdps, residents = list(by_bsn)[: len(bracket.mdps)], list(by_bsn)[len(bracket.mdps) :]
    known: dict[tuple[Player, ...], Value] = {}
    for paired_mdps in range(min(pairs, len(mdps)), -1, -1):
        for generated in heterogeneous(mdps, residents, paired_mdps, pairs):
            found = tuple((by_bsn[min(pair)], by_bsn[max(pair)]) for pair in generated)
            if not all(bracket.allows(*pair) for pair in found):
                continue
            paired = {bsn for pair in generated for bsn in pair}
            down = tuple(player for bsn, player in by_bsn.items() if bsn not in paired)
            if trial.is_completable((*down, *bracket.next_group, *bracket.lower)):
                if down not in known:
                    known[down] = trial.next_bracket(bracket, down)
                yield Candidate(bracket, found, down, known[down])
