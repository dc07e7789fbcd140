"""What can be asked of a tournament: imperatives, with the same fields over HTTP, on the command line and in scripts."""

from typing import Annotated

import msgspec
from msgspec import Meta

from events.facts import (
    ByeKind,
    Colour,
    Digest,
    GameResult,
    Instant,
    Label,
    PlayerId,
    ProhibitedPairs,
    Reason,
    Round,
    RoundTimes,
    Scoring,
    TournamentId,
    Venue,
    VenueId,
    Version,
    VirtualPoints,
)

Board = Annotated[int, Meta(ge=1, le=9999)]


class Command(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Base of every command; the tag is its name outside."""


class AnnounceTournament(Command, frozen=True, kw_only=True, tag="announce-tournament"):
    """Announce the regulations. They are fixed from here on."""

    tournament: TournamentId
    name: Label
    rounds: Round
    event: Label | None = None
    format: Label = "individual-swiss"
    system: Label = "fide-dutch@2026"
    scoring: Scoring = Scoring()
    handling: str = "2026"
    initial_colour_parity: str = "participants"
    acceleration_method: str = "given"
    acceleration: tuple[VirtualPoints, ...] = ()
    prohibited: tuple[ProhibitedPairs, ...] = ()
    results_public: str = "live"
    late_report: str = "deadline-decides"
    venues: tuple[Venue, ...] = ()


class SetTimetable(Command, frozen=True, kw_only=True, tag="set-timetable"):
    """Publish the times of every round, before the entries are closed."""

    rounds: tuple[RoundTimes, ...]
    appeal_minutes: Annotated[int, Meta(ge=0, le=10_080)]
    final_appeal: Instant


class DrawLots(Command, frozen=True, kw_only=True, tag="draw-lots"):
    """Record the drawing of the initial colour; the drawing itself is done by people."""

    initial_colour: Colour
    method: Label = "by hand"
    witnesses: tuple[Label, ...] = ()


class RegisterPlayer(Command, frozen=True, kw_only=True, tag="register-player"):
    """Enter a player whose personal record is in the register."""

    player: PlayerId
    person: Digest
    rating: Annotated[int, Meta(ge=0, le=4000)] = 0
    title: Annotated[str, Meta(pattern=r"^(GM|IM|WGM|FM|WIM|CM|WFM|WCM)?$(?!\n)")] = ""
    federation: Annotated[str, Meta(pattern=r"^([A-Z]{3})?$(?!\n)")] = ""
    sex: Annotated[str, Meta(pattern=r"^[mw]?$(?!\n)")] = ""
    fide_id: Annotated[str, Meta(pattern=r"^[0-9]{0,11}$(?!\n)")] = ""
    entered_for: Round = 1


class ConfirmPresence(Command, frozen=True, kw_only=True, tag="confirm-presence"):
    """A player is there."""

    player: PlayerId


class FixNumbers(Command, frozen=True, kw_only=True, tag="fix-numbers"):
    """Give the tournament pairing numbers from a round on: the first of `players` gets number 1."""

    for_round: Round
    players: tuple[PlayerId, ...]


class RequestBye(Command, frozen=True, kw_only=True, tag="request-bye"):
    """A player will sit out one round."""

    player: PlayerId
    round: Round
    kind: ByeKind


class WithdrawPlayer(Command, frozen=True, kw_only=True, tag="withdraw-player"):
    """A player leaves; without `from_round`, from the next unpublished round on."""

    player: PlayerId
    from_round: Round | None = None
    reason: Reason | None = None


class RecordResult(Command, frozen=True, kw_only=True, tag="record-result"):
    """Enter the first result of a board; both players are named, so that a wrong row is noticed."""

    round: Round
    board: Board
    white: PlayerId
    black: PlayerId
    result: GameResult
    rated: bool = True


class CorrectResult(Command, frozen=True, kw_only=True, tag="correct-result"):
    """Correct a recorded result; `was` is the result that the arbiter saw."""

    round: Round
    board: Board
    white: PlayerId
    black: PlayerId
    was: GameResult
    result: GameResult
    reason: Reason
    rated: bool = True
    confirmed_by: Label | None = None


class PostResults(Command, frozen=True, kw_only=True, tag="post-results"):
    """Post the results of a round: the appeal window opens."""

    round: Round


class CompleteVenueReports(Command, frozen=True, kw_only=True, tag="complete-venue-reports"):
    """A hall has no more reports for the round."""

    round: Round
    venue: VenueId


class CloseAppealWindow(Command, frozen=True, kw_only=True, tag="close-appeal-window"):
    """Fix what counts for the next pairing. Round 0 closes the list of entries."""

    round: Annotated[int, Meta(ge=0, le=99)]
    override: Reason | None = None


class SealPairing(Command, frozen=True, kw_only=True, tag="seal-pairing"):
    """Commit to the pairing of a round (the pairing worker's command)."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    cutoff: Version
    head: Digest
    system: Label
    engine: Label
    input: Digest
    seal: Digest


class ReportNoPairing(Command, frozen=True, kw_only=True, tag="report-no-pairing"):
    """State that no complete pairing of a round exists (the pairing worker's command)."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    cutoff: Version
    head: Digest
    system: Label
    engine: Label
    input: Digest
    detail: Reason


class ReportDispute(Command, frozen=True, kw_only=True, tag="report-dispute"):
    """State that the second opinion does not confirm a pairing (the pairing worker's command)."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    cutoff: Version
    head: Digest
    system: Label
    engine: Label
    input: Digest
    detail: Reason


class PublishPairing(Command, frozen=True, kw_only=True, tag="publish-pairing"):
    """Reveal a sealed pairing at its time (the pairing worker's command)."""

    round: Round
    pairs: tuple[tuple[PlayerId, PlayerId], ...]
    salt: Digest
    pab: PlayerId | None = None


class CloseTournament(Command, frozen=True, kw_only=True, tag="close-tournament"):
    """End the tournament: the standings are final."""


AnyCommand = (
    AnnounceTournament
    | SetTimetable
    | DrawLots
    | RegisterPlayer
    | ConfirmPresence
    | FixNumbers
    | RequestBye
    | WithdrawPlayer
    | RecordResult
    | CorrectResult
    | PostResults
    | CompleteVenueReports
    | CloseAppealWindow
    | SealPairing
    | ReportNoPairing
    | ReportDispute
    | PublishPairing
    | CloseTournament
)
