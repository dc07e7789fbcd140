"""What one bracket is (art. 1.3.2), and the parts of the field around it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from events.facts import Colour
from rules.swiss.dutch.players import Field, Player

PlayerPair = tuple[Player, Player]  # the higher-ranked one first


@dataclass(frozen=True)
class Bracket:
    """The players to be paired together, in the order of art. 1.2, and everybody below them."""

    mdps: tuple[Player, ...]  # moved down from the brackets above
    residents: tuple[Player, ...]
    next_group: tuple[Player, ...]  # residents of the next bracket, none in the last one
    lower: tuple[Player, ...]  # everybody below the next bracket
    legal: tuple[int, ...]  # of the field, by rank
    initial_colour: Colour
    pab_score: int | None  # the score that [C5] gives the bye to; None: nobody gets one

    @cached_property
    def players(self) -> tuple[Player, ...]:
        """Return the players of the bracket; their position, from 0, is their BSN less one (art. 4.1)."""
        return self.mdps + self.residents

    def allows(self, one: Player, two: Player) -> bool:
        """Tell whether the two may meet under [C1] and [C3]."""
        return bool(self.legal[one.rank] >> two.rank & 1)

    def may_pair(self, higher: int, lower: int) -> bool:
        """Tell whether two positions of the bracket may be paired in it: MDPs meet residents only (art. 3.2)."""
        return lower >= len(self.mdps) and self.allows(self.players[higher], self.players[lower])

    def split(self, pairs: Iterable[tuple[int, int]]) -> tuple[list[PlayerPair], tuple[Player, ...]]:
        """Return the players of pairs of positions, and who floats down."""
        found = [(self.players[higher], self.players[lower]) for higher, lower in pairs]
        paired = {player.rank for pair in found for player in pair}
        return found, tuple(player for player in self.players if player.rank not in paired)


def scoregroups(field: Field) -> list[tuple[Player, ...]]:
    """Return the players of each score, from the highest down (art. 1.3.1)."""
    return [tuple(group) for _, group in groupby(field.players, key=lambda player: player.score)]


def bracket_of(
    field: Field, mdps: Sequence[Player], groups: Sequence[tuple[Player, ...]], pab_score: int | None = None
) -> Bracket:
    """Return the bracket of the first of `groups`, which are all that are not paired yet."""
    return Bracket(
        mdps=tuple(mdps),
        residents=groups[0],
        next_group=groups[1] if len(groups) > 1 else (),
        lower=tuple(player for group in groups[2:] for player in group),
        legal=field.legal,
        initial_colour=field.initial_colour,
        pab_score=pab_score,
    )
