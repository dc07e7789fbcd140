"""What one bracket is (art. 1.3.2), and the parts of the field around it."""

from dataclasses import dataclass
from functools import cached_property

from events.facts import Colour
from rules.swiss.dutch.players import Player


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
