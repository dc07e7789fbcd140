"""Whether what is left of the round can still be completed ([C4]), and who may get the bye ([C2], [C5])."""

from rules.swiss.dutch.matching.cardinality import NOBODY, bit_set, bits, enlarge
from rules.swiss.dutch.players import Field, Player
from rules.swiss.pairing_input import NoCompletePairing


class Completion:
    """The field as a graph under [C1] and [C3], with a vertex for the bye if the field is odd.

    It keeps the last matching it found, because the next question is nearly the same.
    """

    def __init__(self, field: Field, *, lowest_bye: bool) -> None:
        """Find a complete pairing, with the lowest bye or with any; raise `NoCompletePairing` if there is none."""
        size = len(field.players)
        self.odd = size % 2 == 1
        self.bye = 1 << size if self.odd else 0  # the bye's vertex, as a bit
        self.neighbours = [*field.legal, 0]
        self._mate = [NOBODY] * (size + 1)
        self.pab_score = self._lowest_pab_score(field) if self.odd and lowest_bye else None
        if self.odd and not lowest_bye:
            self._let_have_bye([player for player in field.players if not player.pab_barred])
        if not self.is_completable((1 << size) - 1):
            raise NoCompletePairing(f"no complete pairing of {size} players obeys C1 to C3")

    def _lowest_pab_score(self, field: Field) -> int | None:
        """Fix the score of the player who gets the bye, once for the whole round ([C5] art. 2.3.1)."""
        everybody = (1 << len(field.players)) - 1
        eligible = [player for player in field.players if not player.pab_barred]
        for score in sorted({player.score for player in eligible}):
            self._let_have_bye([player for player in eligible if player.score == score])
            if self.is_completable(everybody):
                return score
        raise NoCompletePairing("no player can be given the pairing-allocated bye with all the others paired")

    def _let_have_bye(self, takers: list[Player]) -> None:
        self.neighbours[-1] = bit_set([player.rank for player in takers])
        for rank in range(len(self.neighbours) - 1):
            self.neighbours[rank] &= ~self.bye
        for player in takers:
            self.neighbours[player.rank] |= self.bye

    def may_have_bye(self, player: Player) -> bool:
        """Tell whether the player may get the bye under [C2] and, where the edition has it, [C5]."""
        return bool(self.neighbours[player.rank] & self.bye)

    def is_completable(self, unpaired: int) -> bool:
        """Tell whether the players of the bit set `unpaired` can all be paired, but for one bye if odd ([C4])."""
        alive = unpaired | self.bye
        mate = [NOBODY] * len(self._mate)
        for vertex in bits(alive):
            partner = self._mate[vertex]
            if partner != NOBODY and alive >> partner & 1 and self.neighbours[vertex] >> partner & 1:
                mate[vertex] = partner
        complete = not enlarge(self.neighbours, alive, mate)
        if complete:
            self._mate = mate
        return complete
