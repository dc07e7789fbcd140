"""Which past rounds bar a player from the pairing-allocated bye ([C2]). An edition holds one of these rules."""

from rules.swiss.pairing_input import RoundKind, RoundRecord


def barred_by_a_win_unplayed(record: RoundRecord, win: int) -> bool:
    """Tell whether the round bars since 2026: a bye, or anything unplayed that was worth a win (BR 4)."""
    if record.kind is RoundKind.GAME:
        return False
    return record.kind is RoundKind.PAIRING_ALLOCATED_BYE or record.points >= win


def barred_by_a_forfeit_won(record: RoundRecord, _win: int) -> bool:
    """Tell whether the round bars till 2026: a bye, or a win because the opponent did not come (C.2).

    The text does not name full-point byes that were asked for, and the reference engine lets them pass.
    """
    return record.kind in (RoundKind.PAIRING_ALLOCATED_BYE, RoundKind.FORFEIT_WIN)
