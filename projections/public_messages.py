"""What the public is told, in words of its own: every change of a view but the seal's comes with such a message.

Whoever folds them in their order has the boards and the standings of the views. The tag of a message is its name
for ever; it is that of the fact where both mean the same.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from events.facts import Colour, GameResult, Instant, PlayerId, Round, TournamentId, Venue
from projections.integrity import Departure
from projections.rounds import Correction, SittingOut, SittingOutKind
from projections.summary import Regulations, Timetable


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """Base of every public message."""


class Announced(Message, frozen=True, kw_only=True, tag="tournament-announced"):
    """The tournament was announced."""

    tournament: TournamentId
    name: str
    rounds: Round
    regulations: Regulations
    event: str | None = None
    venues: tuple[Venue, ...] = ()


class TimesSet(Message, frozen=True, kw_only=True, tag="timetable-set"):
    """The timetable was published, or another in its place."""

    timetable: Timetable


class ColourDrawn(Message, frozen=True, kw_only=True, tag="lots-drawn"):
    """The initial colour was drawn: what number 1 gets in round 1."""

    initial_colour: Colour


class Entered(Message, frozen=True, kw_only=True, tag="player-registered"):
    """A player entered."""

    player: PlayerId
    title: str = ""
    rating: int = 0
    federation: str = ""
    fide_id: str = ""
    entered_for: Round = 1


class PastBye(msgspec.Struct, frozen=True, kw_only=True):
    """A bye that a player had asked for in a round that is published already."""

    round: Round
    kind: SittingOutKind


class Present(Message, frozen=True, kw_only=True, tag="presence-confirmed"):
    """A player is there; byes that he had asked for in past rounds count from now on."""

    player: PlayerId
    byes: tuple[PastBye, ...] = ()


class Withdrawn(Message, frozen=True, kw_only=True, tag="player-withdrawn"):
    """A player left, and is not paired from `from_round` on."""

    player: PlayerId
    from_round: Round


class Numbered(Message, frozen=True, kw_only=True, tag="numbers-assigned"):
    """The tournament pairing numbers from here on: the first of `players` has number 1. Published rounds keep theirs."""

    players: tuple[PlayerId, ...]


class RoundPublished(Message, frozen=True, kw_only=True, tag="round-published"):
    """A pairing became public, in board order."""

    round: Round
    pairs: tuple[tuple[PlayerId, PlayerId], ...]  # (white, black)
    points: tuple[tuple[int, int], ...]  # of each pair before the round, tenths, as the pairing counted them
    byes: tuple[SittingOut, ...] = ()


class OfBoard(Message, frozen=True, kw_only=True):
    """What messages about one board have in common."""

    round: Round
    board: int
    white: PlayerId
    black: PlayerId


class Adjourned(OfBoard, frozen=True, kw_only=True, tag="game-adjourned"):
    """A game was adjourned: a draw for pairing only, until it has a result."""


class Resulted(OfBoard, frozen=True, kw_only=True, tag="result-recorded"):
    """The first public result of a board."""

    result: GameResult
    revision: int
    rated: bool = True


class Corrected(OfBoard, frozen=True, kw_only=True, tag="result-corrected"):
    """A public result was wrong. The board shows the new one; standings count it as `correction` says."""

    correction: Correction


class Ended(Message, frozen=True, kw_only=True, tag="round-ended"):
    """Every game of the round has a public result or is adjourned."""

    round: Round


class Posted(Message, frozen=True, kw_only=True, tag="results-posted"):
    """The results of a round were posted; appeals are taken up to `appeals_close`."""

    round: Round
    appeals_close: Instant


class IntegrityEntry(Message, frozen=True, kw_only=True, tag="integrity-entry"):
    """A departure from the plain course of the rules."""

    departure: Departure


class Closed(Message, frozen=True, kw_only=True, tag="tournament-closed"):
    """The final standings stand."""


PublicMessage = (
    Announced
    | TimesSet
    | ColourDrawn
    | Entered
    | Present
    | Withdrawn
    | Numbered
    | RoundPublished
    | Adjourned
    | Resulted
    | Corrected
    | Ended
    | Posted
    | IntegrityEntry
    | Closed
)


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A message as it is stored in the public stream."""

    n: Annotated[int, Meta(ge=1, le=2**53 - 1, description="number in the public stream, without gap")]
    at: Instant  # when it became public: the time of the entry that made it so
    message: PublicMessage
