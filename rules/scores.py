"""What a round is worth: points in tenths for each result and each unplayed kind (C.04.2, section 3; TRF codes)."""

from collections.abc import Mapping
from types import MappingProxyType

from events.facts import ByeKind, Colour, GameResult, Scoring
from rules.swiss.pairing_input import RoundKind

HALF_POINT = 5  # tenths
FORFEITS = (GameResult.WHITE_WINS_FORFEIT, GameResult.BLACK_WINS_FORFEIT, GameResult.DOUBLE_FORFEIT)

# What White and Black have of a game, as names of the scoring's fields.
_SIDES: Mapping[GameResult, tuple[str, str]] = MappingProxyType(
    {
        GameResult.WHITE_WINS: ("win", "loss"),
        GameResult.DRAW: ("draw", "draw"),
        GameResult.BLACK_WINS: ("loss", "win"),
        GameResult.BOTH_LOSE: ("loss", "loss"),
        GameResult.DRAW_LOSS: ("draw", "loss"),
        GameResult.LOSS_DRAW: ("loss", "draw"),
        GameResult.WHITE_WINS_FORFEIT: ("forfeit_win", "forfeit_loss"),
        GameResult.BLACK_WINS_FORFEIT: ("forfeit_loss", "forfeit_win"),
        GameResult.DOUBLE_FORFEIT: ("forfeit_loss", "forfeit_loss"),
    }
)

BYE_KINDS: Mapping[ByeKind, RoundKind] = MappingProxyType(
    {
        ByeKind.ZERO_POINT: RoundKind.ZERO_POINT_BYE,
        ByeKind.HALF_POINT: RoundKind.HALF_POINT_BYE,
        ByeKind.FULL_POINT: RoundKind.FULL_POINT_BYE,
    }
)

_BYE_FIELDS: Mapping[RoundKind, str] = MappingProxyType(
    {
        RoundKind.ZERO_POINT_BYE: "zero_point_bye",
        RoundKind.HALF_POINT_BYE: "half_point_bye",
        RoundKind.FULL_POINT_BYE: "full_point_bye",
        RoundKind.PAIRING_ALLOCATED_BYE: "pairing_allocated_bye",
    }
)


def game_points(result: GameResult, colour: Colour, scoring: Scoring) -> int:
    """Return what the player of `colour` scores by `result`, in tenths."""
    white, black = _SIDES[result]
    points: int = getattr(scoring, white if colour is Colour.WHITE else black)
    return points


def game_kind(result: GameResult, colour: Colour) -> RoundKind:
    """Return what the round was for the player of `colour`: a game, or a forfeit won or lost.

    >>> game_kind(GameResult.DOUBLE_FORFEIT, Colour.WHITE)
    <RoundKind.FORFEIT_LOSS: 'forfeit_loss'>
    """
    if result not in FORFEITS:
        return RoundKind.GAME
    white, black = _SIDES[result]
    return RoundKind(white if colour is Colour.WHITE else black)


def bye_points(kind: RoundKind, scoring: Scoring) -> int:
    """Return what a bye of `kind` scores, in tenths."""
    points: int = getattr(scoring, _BYE_FIELDS[kind])
    return points


def points_text(tenths: int) -> str:
    """Return tenths of a point as players write them.

    >>> [points_text(tenths) for tenths in (45, 5, 40, 0, 33, -15)]
    ['4½', '½', '4', '0', '3.3', '-1½']
    """
    if tenths < 0:
        return f"-{points_text(-tenths)}"
    whole, rest = divmod(tenths, 10)
    if rest == HALF_POINT:
        return f"{whole or ''}½"
    return f"{whole}.{rest}" if rest else str(whole)
