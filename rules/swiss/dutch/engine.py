"""One round by the Dutch system (art. 1.9): brackets from the top down, then colours and boards."""

from rules.swiss.dutch.boards import board_order, seated
from rules.swiss.dutch.consistency import assert_usable
from rules.swiss.dutch.editions import EDITIONS
from rules.swiss.dutch.legality import assert_legal
from rules.swiss.pairing_input import NoCompletePairing, PairingInput, PairingOutput

# Name and version of the code, whatever the edition: the edition stands beside it in every proof, as `system`.
ENGINE = "tirage-dutch/0.1.0"


def pair(given: PairingInput) -> PairingOutput:
    """Return the pairing of a round by the edition that `given.system` names, in board order.

    A player who is alone gets the bye, if [C2] allows it: nobody else is left unpaired (art. 1.9.1).
    Raises `UnusableInput` for an input that contradicts itself, `NoCompletePairing` if C1 to C3 allow none or
    nobody takes part, and `IllegalPairing` rather than return what breaks an absolute rule.
    """
    assert_usable(given)
    edition = EDITIONS[given.system]
    field = edition.field(given)
    if not field.players:
        raise NoCompletePairing("nobody takes part in the round")
    pairs, left = edition.pair_brackets(field)
    output = PairingOutput(
        pairs=tuple(seated(*board, field.initial_colour) for board in board_order(pairs)),
        pab=left[0].player if left else None,
    )
    assert_legal(given, output)
    return output
