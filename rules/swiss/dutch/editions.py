"""The editions of C.04.3 that the engine holds, as data.

What is not here they share: the order, BSNs, transpositions, exchanges, colours and the matching. The order of the
boards belongs to the general handling rules, which have editions of their own.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from rules.swiss import systems
from rules.swiss.dutch import procedure
from rules.swiss.dutch.bracket import PlayerPair
from rules.swiss.dutch.byes import barred_by_a_forfeit_won, barred_by_a_win_unplayed
from rules.swiss.dutch.candidates import mdp_exchanges, mdp_sets
from rules.swiss.dutch.criteria import CRITERIA_2026, Criterion
from rules.swiss.dutch.criteria_2017 import CRITERIA_2017
from rules.swiss.dutch.floats import float_of_any_unplayed, float_of_unplayed
from rules.swiss.dutch.players import CardRules, Field, Player, read_field
from rules.swiss.pairing_input import PairingInput


class CompletionScope(Enum):
    """Where a bracket must leave what can be completed ([C4])."""

    EVERY_BRACKET = "every bracket"
    LAST_BRACKETS = (
        "last brackets"  # tested after a bracket; if it fails, that one and all below collapsed (A.9)
    )


@dataclass(frozen=True, kw_only=True)
class Edition:
    """What one edition does in its own way."""

    system: str
    card_rules: CardRules
    criteria: tuple[Criterion, ...]  # in their order, as the literal judge takes them
    lowest_bye: bool  # [C5]: the lowest score that can get the bye is fixed before the first bracket
    completion: CompletionScope
    mdp_sets: Callable[
        [Sequence[int], int], Iterable[tuple[int, ...]]
    ]  # in their order; by scores and number
    pair_brackets: Callable[[Field], tuple[list[PlayerPair], list[Player]]]  # the fast path

    def field(self, given: PairingInput) -> Field:
        """Return the players of a round as this edition sees them."""
        return read_field(given, self.card_rules)


EDITION_2026 = Edition(
    system=systems.DUTCH_2026,
    card_rules=CardRules(float_of_unplayed=float_of_unplayed, bars_from_pab=barred_by_a_win_unplayed),
    criteria=CRITERIA_2026,
    lowest_bye=True,
    completion=CompletionScope.EVERY_BRACKET,
    mdp_sets=mdp_sets,
    pair_brackets=procedure.completing_every_bracket,
)
EDITION_2017 = Edition(
    system=systems.DUTCH_2017,
    card_rules=CardRules(float_of_unplayed=float_of_any_unplayed, bars_from_pab=barred_by_a_forfeit_won),
    criteria=CRITERIA_2017,
    lowest_bye=False,
    completion=CompletionScope.LAST_BRACKETS,
    mdp_sets=mdp_exchanges,
    pair_brackets=procedure.collapsing_the_last,
)
EDITIONS = {edition.system: edition for edition in (EDITION_2026, EDITION_2017)}
