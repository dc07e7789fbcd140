"""One round by the Dutch system (art. 1.9): brackets from the top down, then colours and boards."""

from itertools import groupby

from rules.swiss.dutch.boards import board_order, seated
from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.consistency import assert_usable
from rules.swiss.dutch.legality import assert_legal
from rules.swiss.dutch.players import Field, Player, read_field
from rules.swiss.dutch.solve import best_pairs
from rules.swiss.pairing_input import NoCompletePairing, PairingInput, PairingOutput

ENGINE = "tirage-dutch/0.1.0"


def pair(given: PairingInput) -> PairingOutput:
    """Return the pairing of a round, in board order.

    A player who is alone gets the bye, if [C2] allows it: nobody else is left unpaired (art. 1.9.1).
    Raises `UnusableInput` for an input that contradicts itself, `NoCompletePairing` if C1 to C3 allow none or
    nobody takes part, and `IllegalPairing` rather than return what breaks an absolute rule.
    """
    assert_usable(given)
    field = read_field(given)
    if not field.players:
        raise NoCompletePairing("nobody takes part in the round")
    pairs, left = pair_brackets(field)
    output = PairingOutput(
        pairs=tuple(seated(*board, field.initial_colour) for board in board_order(pairs)),
        pab=left[0].player if left else None,
    )
    assert_legal(given, output)
    return output


def pair_brackets(field: Field) -> tuple[list[tuple[Player, Player]], list[Player]]:
    """Return all pairs, higher-ranked player first, and who is left over from the last bracket."""
    completion = Completion(field)
    pairs: list[tuple[Player, Player]] = []
    mdps: list[Player] = []
    groups = [tuple(group) for _, group in groupby(field.players, key=lambda player: player.score)]
    for at, residents in enumerate(groups):
        bracket = Bracket(
            mdps=tuple(mdps),
            residents=residents,
            next_group=groups[at + 1] if at + 1 < len(groups) else (),
            lower=tuple(player for group in groups[at + 2 :] for player in group),
            legal=field.legal,
            initial_colour=field.initial_colour,
            pab_score=completion.pab_score,
        )
        players = bracket.players
        found = [(players[higher], players[lower]) for higher, lower in best_pairs(bracket, completion)]
        pairs += found
        paired = {player.rank for pair in found for player in pair}
        mdps = [player for player in players if player.rank not in paired]
    return pairs, mdps
