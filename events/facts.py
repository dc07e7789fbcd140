"""Every fact that a tournament's log can hold. Vocabulary only: no logic, no I/O.

Each struct is one kind of event, in the past tense, complete enough to be understood alone. Its tag is stored
for ever. Players stand in facts by their immutable `player` id, never by number or name: the number of a round
is in `NumbersAssigned`, the name in the register beside the log. Scores are integers, tenths of a point; times
are RFC 3339 UTC. Schemas are drafts until version 0.1.0 (design section 4).
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

# `$(?!\n)`: Python's `$` alone also matches before a line feed at the end; JSON Schema's does not.
PlayerId = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,15}$(?!\n)", description="immutable id of a player")
]
# Of one whose entry is in the log: only the id that an entry brings in is checked for its form, so that a long log,
# which consists of references, is read fast.
PlayerRef = Annotated[
    str, Meta(min_length=1, max_length=16, description="id of a player whose entry came before")
]
VenueId = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,15}$(?!\n)", description="immutable id of a hall")
]
TournamentId = Annotated[
    str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$(?!\n)", description="immutable id of a tournament")
]
Round = Annotated[int, Meta(ge=1, le=99, description="1-based")]
Tenths = Annotated[int, Meta(ge=-10_000, le=10_000, description="tenths of a point")]
Version = Annotated[int, Meta(ge=1, le=2**53 - 1, description="position of an event in its log, 1-based")]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)", description="SHA-256, lower-case hexadecimal")]
Instant = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?Z$(?!\n)",
        description="RFC 3339, UTC, seconds or milliseconds",
    ),
]
Label = Annotated[str, Meta(min_length=1, max_length=200)]
Reason = Annotated[
    str, Meta(min_length=1, max_length=1000, description="free text; names ids, never persons")
]


class Colour(StrEnum):
    """Side of the board."""

    WHITE = "w"
    BLACK = "b"


class GameResult(StrEnum):
    """How a game ended, White's side first. The forfeits were not played (C.04.2 3.5)."""

    WHITE_WINS = "1-0"
    DRAW = "1/2-1/2"
    BLACK_WINS = "0-1"
    BOTH_LOSE = "0-0"
    DRAW_LOSS = "1/2-0"
    LOSS_DRAW = "0-1/2"
    WHITE_WINS_FORFEIT = "+/-"
    BLACK_WINS_FORFEIT = "-/+"
    DOUBLE_FORFEIT = "-/-"


class ByeKind(StrEnum):
    """A round that a player asked to sit out, by what it is worth (C.04.2 3.3)."""

    ZERO_POINT = "zero"
    HALF_POINT = "half"
    FULL_POINT = "full"


class Scoring(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Points in tenths for everything that can happen in a round."""

    win: Tenths = 10
    draw: Tenths = 5
    loss: Tenths = 0
    forfeit_win: Tenths = 10
    forfeit_loss: Tenths = 0
    pairing_allocated_bye: Tenths = 10
    full_point_bye: Tenths = 10
    half_point_bye: Tenths = 5
    zero_point_bye: Tenths = 0


class VirtualPoints(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Virtual points (C.04.7) of a range of numbers in a range of rounds; both ends belong to the range."""

    points: Tenths
    first_round: Round
    last_round: Round
    first_tpn: Annotated[int, Meta(ge=1, le=9999)]
    last_tpn: Annotated[int, Meta(ge=1, le=9999)]


class ProhibitedPairs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Players of whom no two may meet in the rounds named; both ends belong to the range."""

    players: tuple[PlayerId, ...]
    first_round: Round
    last_round: Round


class Venue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A hall and its time zone (IANA name)."""

    venue: VenueId
    name: Label
    time_zone: Annotated[str, Meta(min_length=1, max_length=64)] = "UTC"


class RoundTimes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The announced times of one round (design section 5). `published` is when its own pairing becomes public."""

    round: Round
    published: Instant
    start: Instant
    end: Instant
    results_posted: Instant
    appeals_close: Instant


class Effect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a correction changes, computed once when it is recorded (C.04.2 4.3). None: never."""

    pairing_from: Round | None = None
    standings_from: Round | None = None
    rating: bool


class Fact(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="type",
    omit_defaults=True,
    forbid_unknown_fields=True,
):
    """Base of every event; the tag is the stored name."""


class TournamentAnnounced(Fact, frozen=True, kw_only=True, tag="tournament-announced"):
    """The regulations, as announced before round 1."""

    tournament: TournamentId
    name: Label
    event: Label | None = None  # the festival or championship it belongs to
    format: Literal["individual-swiss"]
    system: Annotated[
        str, Meta(pattern=r"^[a-z-]+@[0-9]{4}$(?!\n)")
    ]  # system and edition, e.g. fide-dutch@2026
    rounds: Round
    scoring: Scoring = Scoring()
    handling: Literal["2026", "2012"] = "2026"
    initial_colour_parity: Literal["participants", "tpn"] = "participants"  # art. 5.2.5 of C.04.3
    acceleration_method: Literal["given", "baku"] = "given"
    acceleration: tuple[VirtualPoints, ...] = ()  # as given; none: not accelerated
    prohibited: tuple[ProhibitedPairs, ...] = ()
    results_public: Literal["live", "at_posting"] = "live"
    late_report: Literal["deadline-decides", "until-published"] = "deadline-decides"  # gap of C.04.2 4.3
    venues: tuple[Venue, ...] = ()


class TimetableSet(Fact, frozen=True, kw_only=True, tag="timetable-set"):
    """The times of every round, and the final appeal deadline after the last one."""

    rounds: tuple[RoundTimes, ...]
    appeal_minutes: Annotated[int, Meta(ge=0, le=10_080)]
    final_appeal: Instant


class LotsDrawn(Fact, frozen=True, kw_only=True, tag="lots-drawn"):
    """The initial colour was drawn (art. 5.1 of C.04.3): what number 1 gets in round 1."""

    initial_colour: Colour
    method: Label = "by hand"
    witnesses: tuple[Label, ...] = ()


class PlayerRegistered(Fact, frozen=True, kw_only=True, tag="player-registered"):
    """A player entered. `person` commits to the record in the register beside the log."""

    player: PlayerId
    person: Digest
    rating: Annotated[int, Meta(ge=0, le=4000)] = 0  # 0: unrated
    title: Annotated[str, Meta(pattern=r"^(GM|IM|WGM|FM|WIM|CM|WFM|WCM)?$(?!\n)")] = ""
    federation: Annotated[str, Meta(pattern=r"^([A-Z]{3})?$(?!\n)")] = ""
    sex: Annotated[str, Meta(pattern=r"^[mw]?$(?!\n)")] = ""
    fide_id: Annotated[str, Meta(pattern=r"^[0-9]{0,11}$(?!\n)")] = ""
    entered_for: Round = 1  # the first round the player is meant to be paired in


class PresenceConfirmed(Fact, frozen=True, kw_only=True, tag="presence-confirmed"):
    """A player is there (C.04.2 4.1)."""

    player: PlayerRef


class NumbersAssigned(Fact, frozen=True, kw_only=True, tag="numbers-assigned"):
    """The tournament pairing numbers from a round on: `players[0]` has number 1 (C.04.2 2.3)."""

    for_round: Round
    players: tuple[PlayerRef, ...]


class AccelerationGroupsFixed(Fact, frozen=True, kw_only=True, tag="acceleration-groups-fixed"):
    """The upper group of Baku is who stands at or above `last`, whatever numbers change later (C.04.7 1.2, 1.3)."""

    participants: Annotated[int, Meta(ge=1, le=9999, description="with a number before round 1")]
    last: PlayerRef


class ByeRequested(Fact, frozen=True, kw_only=True, tag="bye-requested"):
    """A player will sit out one round and is not paired in it (C.04.2 3.3)."""

    player: PlayerRef
    round: Round
    kind: ByeKind


class PlayerWithdrawn(Fact, frozen=True, kw_only=True, tag="player-withdrawn"):
    """A player left; not paired from `from_round` on (C.04.2 3.2)."""

    player: PlayerRef
    from_round: Round
    reason: Reason | None = None


class ResultRecorded(Fact, frozen=True, kw_only=True, tag="result-recorded"):
    """The first result of a board."""

    round: Round
    board: Annotated[int, Meta(ge=1, le=9999)]
    white: PlayerRef
    black: PlayerRef
    result: GameResult
    rated: bool = True  # False: the game lasted less than one move (TRF codes W, D, L)


class ResultCorrected(Fact, frozen=True, kw_only=True, tag="result-corrected"):
    """A recorded result was wrong; the effect is decided by when this was reported (C.04.2 4.3)."""

    round: Round
    board: Annotated[int, Meta(ge=1, le=9999)]
    white: PlayerRef
    black: PlayerRef
    was: GameResult
    result: GameResult
    reason: Reason
    effect: Effect
    rated: bool = True
    confirmed_by: Label | None = None  # the chief arbiter, for a timely report typed late


class GameAdjourned(Fact, frozen=True, kw_only=True, tag="game-adjourned"):
    """A game has no result yet; it counts as a draw for pairing only (C.04.2 3.1)."""

    round: Round
    board: Annotated[int, Meta(ge=1, le=9999)]
    white: PlayerRef
    black: PlayerRef


class RoundEnded(Fact, frozen=True, kw_only=True, tag="round-ended"):
    """The last game of the round was decided or adjourned."""

    round: Round


class ResultsPosted(Fact, frozen=True, kw_only=True, tag="results-posted"):
    """The results of a round were posted; the appeal window is open until `appeals_close`."""

    round: Round
    appeals_close: Instant


class VenueReportsComplete(Fact, frozen=True, kw_only=True, tag="venue-reports-complete"):
    """A hall has no more reports for the round."""

    round: Round
    venue: VenueId


class AppealWindowClosed(Fact, frozen=True, kw_only=True, tag="appeal-window-closed"):
    """What counts for the next pairing is fixed: the events up to version `cutoff`.

    `round` is the round whose results are closed; 0 closes the list of entries before round 1.
    """

    round: Annotated[int, Meta(ge=0, le=99)]
    cutoff: Version
    override: Reason | None = None  # the chief arbiter closed early or without a hall: an integrity entry


class CutoffMoved(Fact, frozen=True, kw_only=True, tag="cutoff-moved"):
    """Something that belongs to the unpublished pairing of `round` came after the close; it is sealed anew.

    What came is the event at the version `cutoff`, just before; the envelope names the command that caused both.
    """

    round: Round
    cutoff: Version
    reason: Reason


class PairingSealed(Fact, frozen=True, kw_only=True, tag="pairing-sealed"):
    """The pairing of a round exists. `seal` commits to it; nobody can read it off (design section 5)."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    cutoff: Version
    head: Digest  # hash of the entry at the cutoff
    system: str
    engine: Label  # name and version
    input: Digest  # of the canonical PairingInput
    seal: Digest  # SHA-256 of salt and output, see rules.proof


class NoPairingFound(Fact, frozen=True, kw_only=True, tag="no-pairing-found"):
    """No complete pairing of the round exists (C.04.3 1.9.3): the chief arbiter decides."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    cutoff: Version
    head: Digest
    system: str
    engine: Label
    input: Digest
    detail: Reason


class PairingDisputed(Fact, frozen=True, kw_only=True, tag="pairing-disputed"):
    """The second opinion does not confirm the engine's pairing of a round: it is not sealed. An integrity entry."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    cutoff: Version
    head: Digest
    system: str
    engine: Label
    input: Digest
    detail: Reason  # what the two disagree on


class PairingPublished(Fact, frozen=True, kw_only=True, tag="pairing-published"):
    """A round's pairing became public: every pair, who sits out, and the proof that the log gives it."""

    round: Round
    attempt: Annotated[int, Meta(ge=1)]
    pairs: tuple[tuple[PlayerRef, PlayerRef], ...]  # (white, black), in board order
    pab: PlayerRef | None = None  # who got the pairing-allocated bye
    numbers: Version  # of the NumbersAssigned in force
    cutoff: Version
    head: Digest
    system: str
    engine: Label
    input: Digest
    output: Digest  # SHA-256 of the canonical PairingOutput
    salt: Digest  # opens the seal


class TournamentClosed(Fact, frozen=True, kw_only=True, tag="tournament-closed"):
    """The final standings stand; nothing but rating corrections can follow."""


AnyFact = (
    TournamentAnnounced
    | TimetableSet
    | LotsDrawn
    | PlayerRegistered
    | PresenceConfirmed
    | NumbersAssigned
    | AccelerationGroupsFixed
    | ByeRequested
    | PlayerWithdrawn
    | ResultRecorded
    | ResultCorrected
    | GameAdjourned
    | RoundEnded
    | ResultsPosted
    | VenueReportsComplete
    | AppealWindowClosed
    | CutoffMoved
    | PairingSealed
    | NoPairingFound
    | PairingDisputed
    | PairingPublished
    | TournamentClosed
)
