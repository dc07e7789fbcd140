"""What is public at a moment: the pairings that were published, and results as the regulations let them be seen.

Everything else in this package asks here. Seals and cutoffs are looked at by nobody.
"""

from events.facts import NumbersAssigned, PlayerId
from rules.state import Tournament


def results_public(state: Tournament, round_: int) -> bool:
    """Return whether results of a published round may be seen.

    Where they are announced to be public at posting only, they are so too as soon as the next pairing shows what
    they were, and at the end: a round whose window was closed by an override is never posted.
    """
    assert state.announced is not None
    return (
        state.announced.results_public == "live"
        or state.round(round_).appeals_close is not None
        or round_ < state.published_rounds
        or state.closed
    )


def closings_public(state: Tournament) -> bool:
    """Return whether it may be seen at once what the closing of a window brought, such as adjourned games.

    While a round is to be paired it may not: it is told with the next pairing, and before that nobody knows that
    the window is closed. After the last one no pairing can be guessed from it.
    """
    assert state.announced is not None
    return state.published_rounds == state.announced.rounds


def numbers_public(state: Tournament) -> NumbersAssigned | None:
    """Return the numbers of the last published round, before round 1 those given for it.

    Those of a round to come are seen with its pairing.
    """
    numbers = state.numbers_for(max(1, state.published_rounds))
    return None if numbers is None else numbers[1]


def numbers_of(assigned: NumbersAssigned | None) -> dict[PlayerId, int]:
    """Return the tournament pairing numbers by player."""
    return {} if assigned is None else {player: tpn for tpn, player in enumerate(assigned.players, start=1)}
