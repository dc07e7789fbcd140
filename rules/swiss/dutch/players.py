"""The players of the round as the articles see them, read from the canonical input."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from events.facts import Colour, PlayerId
from rules.swiss.dutch.colours import Card, ColourPreference, Strength, colour_difference, colour_preference
from rules.swiss.dutch.floats import Float, float_of_game
from rules.swiss.dutch.matching.cardinality import bit_set
from rules.swiss.pairing_input import Entrant, PairingInput, RoundKind, RoundRecord


@dataclass(frozen=True, kw_only=True)
class CardRules:
    """How an edition reads a past round; the second argument is what a loss, or a win, gives."""

    float_of_unplayed: Callable[[RoundRecord, int], Float | None]
    bars_from_pab: Callable[[RoundRecord, int], bool]


@dataclass(frozen=True, slots=True, eq=False)
class Player:
    """One player who takes part in the round. `rank` is the place in the order of art. 1.2, from 0."""

    player: PlayerId
    rank: int
    tpn: int
    parity_number: int  # decides in art. 5.2.5: the TPN, or its place among those who ever took part
    score: int  # pairing score: points plus the virtual points of this round (C.04.7 1.5)
    colours: tuple[Colour, ...]  # of played games, oldest first
    colour_difference: int
    preference: ColourPreference | None
    pab_barred: bool  # [C2]
    unplayed: int  # rounds without a game, for [C9]
    float_before: Float | None  # in the round just before, r-1
    float_before_that: Float | None  # in round r-2
    topscorer: bool  # art. 1.8; nobody before the last round

    @property
    def strength(self) -> int:
        """The strength of the colour preference, 0 for none."""
        return self.preference.strength if self.preference else 0

    @property
    def card(self) -> Card:
        """What article 5 looks at."""
        return Card(self.colours, self.preference, self.parity_number)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """Everything that decides the pairing of one round: the players who take part, in the order of art. 1.2."""

    players: tuple[Player, ...]
    legal: tuple[int, ...]  # by rank: the bit set of ranks whom [C1] and [C3] allow as opponents
    initial_colour: Colour
    rounds_before: int


class _Reading(NamedTuple):
    """What all cards are read with."""

    given: PairingInput
    rules: CardRules
    scores: dict[PlayerId, list[int]]
    parity_numbers: dict[PlayerId, int]


def read_field(given: PairingInput, rules: CardRules) -> Field:
    """Return the field of a round. `given` must be consistent (see `consistency`)."""
    scores = _pairing_scores(given)
    reading = _Reading(given, rules, scores, _parity_numbers(given))
    present = sorted(
        (entrant for entrant in given.entrants if entrant.present),
        key=lambda entrant: (-scores[entrant.player][-1], entrant.tpn),  # art. 1.2
    )
    players = tuple(_read_player(reading, entrant, rank) for rank, entrant in enumerate(present))
    return Field(players, _legal_opponents(given, players), given.initial_colour, given.round - 1)


def _pairing_scores(given: PairingInput) -> dict[PlayerId, list[int]]:
    """Return each entrant's pairing scores before round 1, 2, ... and before the round to pair."""
    scores = {}
    for entrant in given.entrants:
        points = accumulate((record.points for record in entrant.history), initial=0)
        virtual = entrant.virtual or (0,) * given.round
        scores[entrant.player] = [real + extra for real, extra in zip(points, virtual, strict=True)]
    return scores


def _parity_numbers(given: PairingInput) -> dict[PlayerId, int]:
    """Return the numbers of art. 5.2.5. The text says TPN; the engines skip who never took part (a setting)."""
    if given.initial_colour_parity == "tpn":
        return {entrant.player: entrant.tpn for entrant in given.entrants}
    taking_part = sorted(filter(_ever_took_part, given.entrants), key=lambda entrant: entrant.tpn)
    return {entrant.player: number for number, entrant in enumerate(taking_part, start=1)}


def _ever_took_part(entrant: Entrant) -> bool:
    paired = (
        RoundKind.GAME,
        RoundKind.FORFEIT_WIN,
        RoundKind.FORFEIT_LOSS,
        RoundKind.PAIRING_ALLOCATED_BYE,
    )
    return entrant.present or any(record.kind in paired for record in entrant.history)


def _read_player(reading: _Reading, entrant: Entrant, rank: int) -> Player:
    given, bars_from_pab = reading.given, reading.rules.bars_from_pab
    games = [record for record in entrant.history if record.kind is RoundKind.GAME]
    colours = tuple(record.colour for record in games if record.colour is not None)
    score = reading.scores[entrant.player][-1]
    last_round = given.round == given.rounds
    return Player(
        player=entrant.player,
        rank=rank,
        tpn=entrant.tpn,
        parity_number=reading.parity_numbers[entrant.player],
        score=score,
        colours=colours,
        colour_difference=colour_difference(colours),
        preference=colour_preference(colours),
        pab_barred=any(bars_from_pab(record, given.win) for record in entrant.history),
        unplayed=len(entrant.history) - len(games),
        float_before=_float(reading, entrant, given.round - 1),
        float_before_that=_float(reading, entrant, given.round - 2),
        # The maximum possible score is that of the rounds already played (art. 1.8).
        topscorer=last_round and 2 * score > (given.round - 1) * given.win,
    )


def _float(reading: _Reading, entrant: Entrant, round_: int) -> Float | None:
    """Return the float of tournament round `round_`, None before the first."""
    if round_ < 1:
        return None
    record, scores = entrant.history[round_ - 1], reading.scores
    if record.kind is RoundKind.GAME and record.opponent is not None:
        return float_of_game(scores[entrant.player][round_ - 1], scores[record.opponent][round_ - 1])
    return reading.rules.float_of_unplayed(record, reading.given.loss)


def _legal_opponents(given: PairingInput, players: tuple[Player, ...]) -> tuple[int, ...]:
    """Return by rank the bit set of opponents that [C1], [C3] and the event's prohibited pairs allow."""
    rank_of = {player.player: player.rank for player in players}
    everybody = (1 << len(players)) - 1
    barred = [1 << player.rank for player in players]
    for entrant in given.entrants:
        if entrant.player in rank_of:
            barred[rank_of[entrant.player]] |= _met(entrant, rank_of)  # [C1]
    for group in given.prohibited:
        ranks = sum(1 << rank_of[player] for player in dict.fromkeys(group) if player in rank_of)
        for player in group:
            if player in rank_of:
                barred[rank_of[player]] |= ranks
    for rank, clash in _absolute_clashes(players):
        barred[rank] |= clash  # [C3]
    return tuple(everybody & ~mask for mask in barred)


def _met(entrant: Entrant, rank_of: dict[PlayerId, int]) -> int:
    """Return the bit set of players whom `entrant` has played; a forfeit is not a meeting (BR 2)."""
    met = 0
    for record in entrant.history:
        if record.kind is RoundKind.GAME and record.opponent in rank_of:
            met |= 1 << rank_of[record.opponent]
    return met


def _absolute_clashes(players: tuple[Player, ...]) -> Iterator[tuple[int, int]]:
    """Yield, by rank, the bit set of rivals for the same colour: absolute preferences, no topscorers (C3)."""
    for colour in Colour:
        rivals = [
            player.rank
            for player in players
            if player.preference == (colour, Strength.ABSOLUTE) and not player.topscorer
        ]
        clash = bit_set(rivals)
        yield from ((rank, clash) for rank in rivals)
