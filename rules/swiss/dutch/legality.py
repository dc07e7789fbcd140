"""The absolute criteria on the way out: whatever happened inside, no illegal pairing leaves the engine.

Written against the input alone, and sharing nothing with the search but the definition of a preference.
"""

from collections import Counter

from rules.swiss.dutch.colours import Strength, colour_preference
from rules.swiss.pairing_input import (
    Entrant,
    IllegalPairing,
    PairingInput,
    PairingOutput,
    RoundKind,
    RoundRecord,
)
from rules.swiss.systems import DUTCH_2017


def assert_legal(given: PairingInput, output: PairingOutput) -> None:
    """Raise `IllegalPairing` unless everybody present is there once and C1, C2 and C3 hold."""
    entrants = {entrant.player: entrant for entrant in given.entrants}
    seated = Counter(player for pair in output.pairs for player in pair)
    if output.pab is not None:
        seated[output.pab] += 1
        _assert_may_have_pab(given, entrants[output.pab])
    if seated != Counter(entrant.player for entrant in given.entrants if entrant.present):
        raise IllegalPairing("the pairing does not hold every player who takes part exactly once")
    for white, black in output.pairs:
        _assert_may_meet(given, entrants[white], entrants[black])


def _assert_may_have_pab(given: PairingInput, entrant: Entrant) -> None:
    """[C2] art. 2.1.2: no second bye, and none after a round won without a game."""
    for round_, record in enumerate(entrant.history, start=1):
        if _bars_from_pab(given, record):
            raise IllegalPairing(f"{entrant.player} gets the bye, but had {record.kind} in round {round_}")


def _bars_from_pab(given: PairingInput, record: RoundRecord) -> bool:
    if given.system == DUTCH_2017:  # C.2 names the opponent who did not come, and no bye that was asked for
        return record.kind in (RoundKind.PAIRING_ALLOCATED_BYE, RoundKind.FORFEIT_WIN)
    unplayed = record.kind is not RoundKind.GAME
    return record.kind is RoundKind.PAIRING_ALLOCATED_BYE or (unplayed and record.points >= given.win)


def _assert_may_meet(given: PairingInput, one: Entrant, two: Entrant) -> None:
    """[C1] art. 2.1.1, the event's prohibited pairs, and [C3] art. 2.1.3."""
    for round_, record in enumerate(one.history, start=1):
        if record.kind is RoundKind.GAME and record.opponent == two.player:
            raise IllegalPairing(f"{one.player} and {two.player} have met in round {round_}")
    if any(one.player in group and two.player in group for group in given.prohibited):
        raise IllegalPairing(f"{one.player} and {two.player} are a prohibited pair")
    topscorers = _is_topscorer(given, one) or _is_topscorer(given, two)
    if _has_absolute(one) and _preference(one) == _preference(two) and not topscorers:
        raise IllegalPairing(f"{one.player} and {two.player} must both have the same colour")


def _preference(entrant: Entrant) -> object:
    games = (record.colour for record in entrant.history if record.kind is RoundKind.GAME)
    return colour_preference([colour for colour in games if colour is not None])


def _has_absolute(entrant: Entrant) -> bool:
    preference = _preference(entrant)
    return isinstance(preference, tuple) and Strength.ABSOLUTE in preference


def _is_topscorer(given: PairingInput, entrant: Entrant) -> bool:
    """Art. 1.8: the last round, and more than half of what could be scored so far."""
    score = sum(record.points for record in entrant.history) + (entrant.virtual[-1] if entrant.virtual else 0)
    return given.round == given.rounds and 2 * score > (given.round - 1) * given.win
