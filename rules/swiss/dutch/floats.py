"""Floats that past rounds left on the card (art. 1.4): by tournament round, never compressed."""

from enum import Enum

from rules.swiss.pairing_input import RoundKind, RoundRecord


class Float(Enum):
    """How a player left the scoregroup in one past round."""

    DOWN = "down"
    UP = "up"


def float_of_game(score: int, opponent_score: int) -> Float | None:
    """Return the float of a played game; pairing scores before that round, virtual points included."""
    if score == opponent_score:
        return None
    return Float.DOWN if score > opponent_score else Float.UP


def float_of_unplayed(record: RoundRecord, loss: int) -> Float | None:
    """Return the float of a round without a game since 2026 (art. 1.4.3).

    The pairing-allocated bye is a downfloat whatever it is worth: the text says so, though the reference
    engine gives none when the bye is worth nothing. Anything else floats down if it brought more than a loss.
    """
    if record.kind is RoundKind.PAIRING_ALLOCATED_BYE or record.points > loss:
        return Float.DOWN
    return None


def float_of_any_unplayed(_record: RoundRecord, _loss: int) -> Float:
    """Return the float of a round without a game till 2026 (A.4.b): down, for whatever reason there was none."""
    return Float.DOWN
