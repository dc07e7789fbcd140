"""Integrity entries: every departure from the plain course of the rules, shown to everybody (design section 5)."""

from typing import Literal

import msgspec

from events.envelope import Recorded
from events.facts import (
    AppealWindowClosed,
    CutoffMoved,
    Instant,
    Label,
    PairingDisputed,
    Reason,
    ResultCorrected,
)
from projections.embargo import closings_public, results_public
from rules.instants import second
from rules.state import Tournament, appeal_deadline


class Departure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An integrity entry."""

    kind: Literal["late-correction", "late-record", "window-overridden", "cutoff-moved", "pairing-disputed"]
    round: int  # whose results are concerned, 0: the list of entries; of "cutoff-moved" and "pairing-disputed": which is paired
    at: Instant  # when it was recorded
    reason: Reason
    board: int | None = None
    confirmed_by: Label | None = None  # who answers for a timely report that was recorded late


def departures(before: Tournament, after: Tournament, recorded: Recorded) -> list[tuple[Departure, bool]]:
    """Return what the entry `recorded` departs from, each with whether it may be seen at once.

    What tells that a window is closed waits for the next pairing.
    """
    fact, at, told = recorded.fact, recorded.at, closings_public(after)
    match fact:
        case AppealWindowClosed(override=str(reason)):
            return [(Departure(kind="window-overridden", round=fact.round, at=at, reason=reason), told)]
        case CutoffMoved():
            return [(Departure(kind="cutoff-moved", round=fact.round, at=at, reason=fact.reason), told)]
        case PairingDisputed():
            return [(Departure(kind="pairing-disputed", round=fact.round, at=at, reason=fact.detail), told)]
        case ResultCorrected():
            return _of_correction(before, recorded, fact)
        case _:
            return []


def _of_correction(
    before: Tournament, recorded: Recorded, fact: ResultCorrected
) -> list[tuple[Departure, bool]]:
    entries = []
    if not _in_time(before, recorded, fact):
        late = Departure(
            kind="late-correction", round=fact.round, board=fact.board, at=recorded.at, reason=fact.reason
        )
        entries.append((late, results_public(before, fact.round)))
    if fact.confirmed_by is not None:
        timely = Departure(
            kind="late-record",
            round=fact.round,
            board=fact.board,
            at=recorded.at,
            reason=fact.reason,
            confirmed_by=fact.confirmed_by,
        )
        told = closings_public(before) and results_public(before, fact.round)
        entries.append((timely, told))
    return entries


def _in_time(before: Tournament, recorded: Recorded, fact: ResultCorrected) -> bool:
    """Return whether a correction was reported in its window, and so counts from its own round.

    The announced policy may let a later one count there, too; that is a departure all the same.
    """
    board = before.round(fact.round).boards[fact.board - 1]
    deadline = appeal_deadline(before, board.counts_with)
    open_then = deadline is None or second(recorded.reported_at or recorded.at) <= second(deadline)
    return open_then and fact.effect.standings_from == fact.round
