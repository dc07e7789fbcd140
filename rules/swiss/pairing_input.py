"""What a pairing engine sees, and what it answers: the canonical, versioned bytes that proofs digest.

No names, no clock, no log: a history is enough to recompute a round. Scores are tenths of a point.
"""

from enum import StrEnum

import msgspec

from events.facts import Colour, PlayerId

PAIRING_INPUT_FORMAT = 1


class RoundKind(StrEnum):
    """What a player did in a past round (the kinds of C.04.2, and of the TRF result codes)."""

    GAME = "game"  # played over the board, or adjourned: a meeting, with a colour
    FORFEIT_WIN = "forfeit_win"
    FORFEIT_LOSS = "forfeit_loss"  # also both sides of a double forfeit
    PAIRING_ALLOCATED_BYE = "pab"
    FULL_POINT_BYE = "full_point_bye"
    HALF_POINT_BYE = "half_point_bye"
    ZERO_POINT_BYE = "zero_point_bye"  # known absence, withdrawn, not yet entered


class RoundRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One past round of one player. Opponent and colour are kept for forfeits too, as scheduled."""

    kind: RoundKind
    points: int  # tenths, as scored in that round
    opponent: PlayerId | None = None
    colour: Colour | None = None


class Entrant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One registered player as the engine sees it."""

    player: PlayerId
    tpn: int  # number valid for the round to pair
    present: bool  # takes part in the round to pair
    history: tuple[RoundRecord, ...] = ()  # rounds 1 .. round-1, one each, none missing
    virtual: tuple[int, ...] = ()  # virtual points, tenths, of rounds 1 .. round; empty: none in any


class PairingInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides the pairing of one round. `entrants` are in the order of their numbers."""

    format: int = PAIRING_INPUT_FORMAT
    system: str  # e.g. fide-dutch@2026
    round: int  # to be paired, 1-based
    rounds: int
    initial_colour: Colour
    initial_colour_parity: str  # participants | tpn (art. 5.2.5)
    win: int  # tenths; what a win over the board gives
    loss: int  # tenths; what a loss over the board gives
    prohibited: tuple[tuple[PlayerId, ...], ...]  # in each group no two may meet in this round
    entrants: tuple[Entrant, ...]


class PairingOutput(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """The pairing of one round, in board order (C.04.2 3.6)."""

    pairs: tuple[tuple[PlayerId, PlayerId], ...]  # (white, black)
    pab: PlayerId | None = None


class NoCompletePairing(Exception):
    """The rules allow no complete pairing of the round; the chief arbiter decides."""


class IllegalPairing(AssertionError):
    """A pairing that breaks an absolute rule came out of the engine: our mistake, never published."""


class NotConfirmed(Exception):
    """The second opinion on a pairing is another: our mistake in one of the two, so that it is never sealed."""


class UnusableInput(ValueError):
    """A pairing input that contradicts itself; the message names the player and the round."""
