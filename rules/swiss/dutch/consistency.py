"""What an input must fulfil before it is paired: it names each player once, and no history contradicts another."""

from collections.abc import Iterator

from events.facts import PlayerId
from rules.swiss import systems
from rules.swiss.pairing_input import (
    PAIRING_INPUT_FORMAT,
    Entrant,
    PairingInput,
    RoundKind,
    RoundRecord,
    UnusableInput,
)

_MIRRORED = {  # what the opponent of a round must have
    RoundKind.GAME: (RoundKind.GAME,),
    RoundKind.FORFEIT_WIN: (RoundKind.FORFEIT_LOSS,),
    RoundKind.FORFEIT_LOSS: (RoundKind.FORFEIT_WIN, RoundKind.FORFEIT_LOSS),
}


def assert_usable(given: PairingInput) -> None:
    """Raise `UnusableInput`, naming player and round, unless `given` agrees with itself."""
    for complaint in _complaints(given):
        raise UnusableInput(complaint)


def _complaints(given: PairingInput) -> Iterator[str]:
    if given.format != PAIRING_INPUT_FORMAT:
        yield f"format {given.format} is not {PAIRING_INPUT_FORMAT}"
    if given.system not in systems.OFFERED:
        yield systems.refusal(given.system)
    if not 1 <= given.round <= given.rounds:
        yield f"round {given.round} is none of the {given.rounds} rounds"
    if given.initial_colour_parity not in ("participants", "tpn"):
        yield f"initial_colour_parity {given.initial_colour_parity} is neither participants nor tpn"
    by_player = {entrant.player: entrant for entrant in given.entrants}
    yield from _number_complaints(given)
    for entrant in given.entrants:
        yield from _length_complaints(given, entrant)
    for entrant in given.entrants:
        for round_, record in enumerate(entrant.history, start=1):
            yield from _record_complaints(by_player, entrant, round_, record)
    for group in given.prohibited:
        for player in group:
            if player not in by_player:
                yield f"prohibited pair of {player}, who is not entered"


def _number_complaints(given: PairingInput) -> Iterator[str]:
    players: set[PlayerId] = set()
    numbers: set[int] = set()
    for entrant in given.entrants:
        if entrant.player in players:
            yield f"{entrant.player} is entered twice"
        if entrant.tpn in numbers:
            yield f"{entrant.player} has number {entrant.tpn}, which somebody else has"
        if entrant.tpn < 1:
            yield f"{entrant.player} has number {entrant.tpn}"
        players.add(entrant.player)
        numbers.add(entrant.tpn)


def _length_complaints(given: PairingInput, entrant: Entrant) -> Iterator[str]:
    if len(entrant.history) != given.round - 1:
        yield f"{entrant.player} has {len(entrant.history)} past rounds before round {given.round}"
    if entrant.virtual and len(entrant.virtual) != given.round:
        yield f"{entrant.player} has virtual points of {len(entrant.virtual)} rounds, not of {given.round}"


def _record_complaints(
    by_player: dict[PlayerId, Entrant], entrant: Entrant, round_: int, record: RoundRecord
) -> Iterator[str]:
    who = f"{entrant.player} in round {round_}"
    if record.kind not in _MIRRORED:
        if record.opponent is not None or record.colour is not None:
            yield f"{who}: a bye ({record.kind}) with an opponent or a colour"
        return
    if record.opponent is None:
        if record.kind is RoundKind.GAME:
            yield f"{who}: a game without an opponent"
        return  # a forfeit may have lost its opponent on the way
    if record.kind is RoundKind.GAME and record.colour is None:
        yield f"{who}: a game without a colour"
    if record.opponent not in by_player or record.opponent == entrant.player:
        yield f"{who}: the opponent {record.opponent} is not another entrant"
        return
    mirror = by_player[record.opponent].history[round_ - 1]
    if mirror.opponent != entrant.player or mirror.kind not in _MIRRORED[record.kind]:
        yield f"{who}: the record of the opponent {record.opponent} does not mirror it"
    elif record.colour is not None and mirror.colour is record.colour:
        yield f"{who}: the opponent {record.opponent} had the same colour"
