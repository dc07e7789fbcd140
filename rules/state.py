"""The state of a tournament: what `decide` must remember, folded from the log, and nothing for display.

`evolve` never refuses: what is in the log has happened.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import assert_never

from events.envelope import Recorded
from events.facts import (
    AppealWindowClosed,
    ByeKind,
    ByeRequested,
    Colour,
    CutoffMoved,
    GameAdjourned,
    GameResult,
    LotsDrawn,
    NoPairingFound,
    NumbersAssigned,
    PairingPublished,
    PairingSealed,
    PlayerId,
    PlayerRegistered,
    PlayerWithdrawn,
    PresenceConfirmed,
    ResultCorrected,
    ResultRecorded,
    ResultsPosted,
    RoundEnded,
    TimetableSet,
    TournamentAnnounced,
    TournamentClosed,
    VenueReportsComplete,
)


class ImpossibleHistory(ValueError):
    """A log whose entries do not follow from each other; `version` says where."""

    def __init__(self, version: int, reason: str) -> None:
        super().__init__(f"entry {version} does not follow from what went before: {reason}")
        self.version = version
        self.reason = reason


@dataclass
class Player:
    """One entry and what became of it."""

    registered: PlayerRegistered
    present: bool = False
    withdrawn_from: int | None = None
    byes: dict[int, ByeKind] = field(default_factory=dict)  # by round

    def takes_part(self, round_: int) -> bool:
        """Return whether the player is to be paired in the round."""
        return (
            self.present
            and self.registered.entered_for <= round_
            and (self.withdrawn_from is None or round_ < self.withdrawn_from)
            and round_ not in self.byes
        )


@dataclass
class Board:
    """One published game."""

    white: PlayerId
    black: PlayerId
    result: GameResult | None = None
    rated: bool = True
    recorded_at: str = ""  # of the latest record of the result
    adjourned: bool = False


@dataclass
class Close:
    """A closed appeal window, and who closed it."""

    at: str
    override: bool


@dataclass
class RoundState:
    """Everything about one round; the pairing half exists before the round does."""

    boards: list[Board] = field(default_factory=list)  # board n is boards[n - 1]
    published: PairingPublished | None = None
    ended_at: str | None = None
    appeals_close: str | None = None  # set when the results are posted
    venues_complete: set[str] = field(default_factory=set)
    closed: Close | None = None
    cutoff: int | None = None  # of the pairing of this round
    cutoff_head: str = ""  # hash of the entry at the cutoff
    attempts: int = 0  # pairings made, whether sealed or impossible
    sealed: PairingSealed | None = None  # by the cutoff in force
    impossible: NoPairingFound | None = None  # by the cutoff in force

    def undecided(self) -> list[int]:
        """Return the numbers of the boards that have neither a result nor an adjournment."""
        return [
            number
            for number, board in enumerate(self.boards, start=1)
            if board.result is None and not board.adjourned
        ]


@dataclass
class Tournament:
    """The present state. `rounds[0]` stands for the list of entries, closed before round 1."""

    version: int = 0
    at: str = ""  # of the latest event
    announced: TournamentAnnounced | None = None
    timetable: TimetableSet | None = None
    initial_colour: Colour | None = None
    players: dict[PlayerId, Player] = field(default_factory=dict)  # in the order of registration
    numbers: list[tuple[int, NumbersAssigned]] = field(default_factory=list)  # version and fact, oldest first
    rounds: dict[int, RoundState] = field(default_factory=dict)
    published_rounds: int = 0
    closed: bool = False

    def round(self, round_: int) -> RoundState:
        """Return the state of a round, empty when nothing has happened in it."""
        return self.rounds.setdefault(round_, RoundState())

    def numbers_for(self, round_: int) -> tuple[int, NumbersAssigned] | None:
        """Return version and map of the numbers valid in the round; None while there are none."""
        valid = [entry for entry in self.numbers if entry[1].for_round <= round_]
        return valid[-1] if valid else None


def replay(history: Iterable[Recorded]) -> Tournament:
    """Fold `history`, oldest first, into the present state."""
    state = Tournament()
    for recorded in history:
        state = evolve(state, recorded)
    return state


def evolve(state: Tournament, recorded: Recorded) -> Tournament:
    """Return the state after `recorded`. Total: a fact is never refused.

    The state given is used up: it is changed in place and returned, for a replay of thousands of events must not
    copy a table of players for each. Raises `ImpossibleHistory` for a log that no decider wrote.
    """
    state.version, state.at = recorded.v, recorded.at
    try:
        _take(state, recorded)
    except (KeyError, IndexError) as error:
        raise ImpossibleHistory(
            recorded.v, f"{type(recorded.fact).__name__} names {error}, unknown there"
        ) from error
    return state


def _take(state: Tournament, recorded: Recorded) -> None:
    fact = recorded.fact
    match fact:
        case ResultRecorded() | ResultCorrected():
            _take_result(state, fact, recorded.at)
        case PlayerRegistered():
            state.players[fact.player] = Player(fact)
        case PresenceConfirmed() | PlayerWithdrawn() | ByeRequested():
            _take_presence(state, fact)
        case TournamentAnnounced():
            state.announced = fact
        case TimetableSet():
            state.timetable = fact
        case LotsDrawn():
            state.initial_colour = fact.initial_colour
        case NumbersAssigned():
            state.numbers.append((recorded.v, fact))
        case (
            GameAdjourned()
            | RoundEnded()
            | ResultsPosted()
            | VenueReportsComplete()
            | AppealWindowClosed()
            | CutoffMoved()
        ):
            _take_round(state, fact, recorded)
        case PairingSealed() | NoPairingFound() | PairingPublished():
            _take_pairing(state, fact)
        case TournamentClosed():
            state.closed = True
        case _:
            assert_never(fact)


def _take_result(state: Tournament, fact: ResultRecorded | ResultCorrected, at: str) -> None:
    board = state.round(fact.round).boards[fact.board - 1]
    board.result, board.rated, board.recorded_at = fact.result, fact.rated, at
    board.adjourned = False


def _take_presence(state: Tournament, fact: PresenceConfirmed | PlayerWithdrawn | ByeRequested) -> None:
    player = state.players[fact.player]
    match fact:
        case PresenceConfirmed():
            player.present = True
        case PlayerWithdrawn():
            player.withdrawn_from = fact.from_round
        case ByeRequested():
            player.byes[fact.round] = fact.kind


def _take_round(
    state: Tournament,
    fact: GameAdjourned
    | RoundEnded
    | ResultsPosted
    | VenueReportsComplete
    | AppealWindowClosed
    | CutoffMoved,
    recorded: Recorded,
) -> None:
    the_round = state.round(fact.round)
    match fact:
        case GameAdjourned():
            the_round.boards[fact.board - 1].adjourned = True
        case RoundEnded():
            the_round.ended_at = recorded.at
        case ResultsPosted():
            the_round.appeals_close = fact.appeals_close
        case VenueReportsComplete():
            the_round.venues_complete.add(fact.venue)
        case AppealWindowClosed():
            the_round.closed = Close(recorded.at, fact.override is not None)
            _set_cutoff(state.round(fact.round + 1), fact.cutoff, recorded.prev)
        case CutoffMoved():
            _set_cutoff(the_round, fact.cutoff, recorded.prev)


def _set_cutoff(the_round: RoundState, cutoff: int, head: str) -> None:
    # The fact that sets a cutoff follows the entry at the cutoff directly, so its `prev` is the hash there.
    the_round.cutoff, the_round.cutoff_head = cutoff, head
    the_round.sealed = the_round.impossible = None


def _take_pairing(state: Tournament, fact: PairingSealed | NoPairingFound | PairingPublished) -> None:
    the_round = state.round(fact.round)
    match fact:
        case PairingSealed():
            the_round.attempts, the_round.sealed = fact.attempt, fact
        case NoPairingFound():
            the_round.attempts, the_round.impossible = fact.attempt, fact
        case PairingPublished():
            the_round.published = fact
            the_round.boards = [Board(white, black) for white, black in fact.pairs]
            state.published_rounds = fact.round
            if not fact.pairs:  # a round of byes alone has no game to wait for
                the_round.ended_at = state.at
