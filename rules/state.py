"""The state of a tournament: what `decide` must remember, folded from the log, and nothing for display.

`evolve` never refuses: what is in the log has happened.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, assert_never

import msgspec
from msgspec.structs import replace

from events.envelope import Recorded
from events.facts import (
    AccelerationGroupsFixed,
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
    PairingDisputed,
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
from rules.instants import NoSuchInstant, second

EMPTY: Mapping[Any, Any] = MappingProxyType({})


class ImpossibleHistory(ValueError):
    """A log whose entries do not follow from each other; `version` says where."""

    def __init__(self, version: int, reason: str) -> None:
        super().__init__(f"entry {version} does not follow from what went before: {reason}")
        self.version = version
        self.reason = reason


class Player(msgspec.Struct, frozen=True):
    """One entry and what became of it."""

    registered: PlayerRegistered
    present: bool = False
    withdrawn_from: int | None = None
    byes: Mapping[int, ByeKind] = EMPTY  # by round

    def takes_part(self, round_: int) -> bool:
        """Return whether the player is to be paired in the round."""
        return (
            self.present
            and self.registered.entered_for <= round_
            and (self.withdrawn_from is None or round_ < self.withdrawn_from)
            and round_ not in self.byes
        )

    def bye_in(self, round_: int) -> ByeKind | None:
        """Return the requested bye that counts in the round; None for who has left by then, or never came."""
        gone = self.withdrawn_from is not None and self.withdrawn_from <= round_
        return None if gone or not self.present else self.byes.get(round_)


class Board(msgspec.Struct, frozen=True):
    """One published game."""

    white: PlayerId
    black: PlayerId
    result: GameResult | None = None
    rated: bool = True
    recorded_at: str = ""  # of the latest record of the result
    adjourned: bool = False
    revision: int = 0  # how often its result was recorded: 1 the first time, one more at each correction
    counts_with: int = (
        0  # the round among whose results the first one is taken in: its own, unless it came late
    )


class RoundState(msgspec.Struct, frozen=True):
    """Everything about one round; the pairing half exists before the round does."""

    boards: tuple[Board, ...] = ()  # board n is boards[n - 1]
    published: PairingPublished | None = None
    ended_at: str | None = None
    appeals_close: str | None = None  # set when the results are posted
    venues_complete: tuple[str, ...] = ()
    closed_at: str | None = None  # when the appeal window was closed
    cutoff: int | None = None  # of the pairing of this round
    cutoff_head: str = ""  # hash of the entry at the cutoff
    attempts: int = 0  # pairings made, whether sealed, disputed or impossible
    sealed: PairingSealed | None = None  # by the cutoff in force
    impossible: NoPairingFound | None = None  # by the cutoff in force
    disputed: PairingDisputed | None = None  # by the cutoff in force; the latest, and nothing sealed since

    def undecided(self) -> list[int]:
        """Return the numbers of the boards that have neither a result nor an adjournment."""
        return [
            number
            for number, board in enumerate(self.boards, start=1)
            if board.result is None and not board.adjourned
        ]


NO_ROUND = RoundState()


class Tournament(msgspec.Struct, frozen=True):
    """The present state. `rounds[0]` stands for the list of entries, closed before round 1."""

    version: int = 0
    at: str = ""  # of the latest event
    announced: TournamentAnnounced | None = None
    timetable: TimetableSet | None = None
    initial_colour: Colour | None = None
    players: Mapping[PlayerId, Player] = EMPTY  # in the order of registration
    numbers: tuple[tuple[int, NumbersAssigned], ...] = ()  # version and fact, oldest first
    last_accelerated: PlayerId | None = None  # of the upper group of Baku, once it is fixed
    rounds: Mapping[int, RoundState] = EMPTY
    published_rounds: int = 0
    closed: bool = False

    def round(self, round_: int) -> RoundState:
        """Return the state of a round, empty when nothing has happened in it."""
        return self.rounds.get(round_, NO_ROUND)

    def numbers_for(self, round_: int) -> tuple[int, NumbersAssigned] | None:
        """Return version and map of the numbers valid in the round; None while there are none."""
        valid = [entry for entry in self.numbers if entry[1].for_round <= round_]
        return max(valid, key=lambda entry: (entry[1].for_round, entry[0]), default=None)


NOTHING = Tournament()


def replay(history: Iterable[Recorded], onto: Tournament = NOTHING) -> Tournament:
    """Fold `history`, oldest first, into `onto`, which stays as it is, and return the state after it.

    Total: a fact is never refused. Raises `ImpossibleHistory` for a log that no decider wrote.
    """
    draft = _Draft(onto)
    for recorded in history:
        try:
            _take(draft, recorded)
        except KeyError as error:
            raise ImpossibleHistory(
                recorded.v, f"{type(recorded.fact).__name__} names player {error}, who never entered"
            ) from error
        except IndexError as error:
            raise ImpossibleHistory(
                recorded.v, f"{type(recorded.fact).__name__} names a board that was never published"
            ) from error
        except NoSuchInstant as error:
            raise ImpossibleHistory(recorded.v, str(error)) from error
        draft.version, draft.at = recorded.v, recorded.at
    return draft.state()


def evolve(state: Tournament, recorded: Recorded) -> Tournament:
    """Return the state after `recorded`; see `replay`."""
    return replay((recorded,), state)


class _Draft:
    """A state while it is folded: changed in place, and nobody else's."""

    def __init__(self, onto: Tournament) -> None:
        self.version = onto.version
        self.at = onto.at
        self.announced = onto.announced
        self.timetable = onto.timetable
        self.initial_colour = onto.initial_colour
        self.players = onto.players
        self.numbers = onto.numbers
        self.last_accelerated = onto.last_accelerated
        self.rounds = dict(onto.rounds)
        self.published_rounds = onto.published_rounds
        self.closed = onto.closed
        # Copied once there is something to change in them.
        self._own_players: dict[PlayerId, Player] | None = None
        self._own_boards: dict[int, list[Board]] = {}

    def state(self) -> Tournament:
        """Return what was folded; the draft is not used afterwards."""
        for number, boards in self._own_boards.items():
            self.rounds[number] = replace(self.rounds[number], boards=tuple(boards))
        return Tournament(
            version=self.version,
            at=self.at,
            announced=self.announced,
            timetable=self.timetable,
            initial_colour=self.initial_colour,
            players=self.players,
            numbers=self.numbers,
            last_accelerated=self.last_accelerated,
            rounds=self.rounds,
            published_rounds=self.published_rounds,
            closed=self.closed,
        )

    def round(self, round_: int) -> RoundState:
        """Return the state of a round, empty when nothing has happened in it."""
        return self.rounds.get(round_, NO_ROUND)

    def put_player(self, player: PlayerId, entry: Player) -> None:
        """Note what has become of a player."""
        if self._own_players is None:
            self.players = self._own_players = dict(self.players)
        self._own_players[player] = entry

    def boards(self, round_: int) -> list[Board]:
        """Return the boards of a round, to be changed."""
        own = self._own_boards.get(round_)
        if own is None:
            own = self._own_boards[round_] = list(self.round(round_).boards)
        return own

    def put_pairing(self, round_: int, the_round: RoundState) -> None:
        """Note the state of a round whose boards are made."""
        self._own_boards.pop(round_, None)
        self.rounds[round_] = the_round


def _take(draft: _Draft, recorded: Recorded) -> None:
    fact = recorded.fact
    match fact:
        case ResultRecorded() | ResultCorrected() | GameAdjourned():
            _take_result(draft, fact, recorded.at)
        case PlayerRegistered():
            draft.put_player(fact.player, Player(fact))
        case PresenceConfirmed() | PlayerWithdrawn() | ByeRequested():
            draft.put_player(fact.player, _with_presence(draft.players[fact.player], fact))
        case TournamentAnnounced():
            draft.announced = fact
        case TimetableSet():
            draft.timetable = fact
        case LotsDrawn():
            draft.initial_colour = fact.initial_colour
        case NumbersAssigned():
            draft.numbers = (*draft.numbers, (recorded.v, fact))
        case AccelerationGroupsFixed():
            draft.last_accelerated = fact.last
        case RoundEnded() | ResultsPosted() | VenueReportsComplete():
            draft.rounds[fact.round] = _with_end(draft.round(fact.round), fact, recorded.at)
        case AppealWindowClosed() | CutoffMoved():
            _take_cutoff(draft, fact, recorded)
        case PairingSealed() | NoPairingFound() | PairingDisputed():
            draft.rounds[fact.round] = _with_attempt(draft.round(fact.round), fact)
        case PairingPublished():
            _take_pairing(draft, fact, recorded.at)
        case TournamentClosed():
            draft.closed = True
        case _:
            assert_never(fact)


def _take_result(draft: _Draft, fact: ResultRecorded | ResultCorrected | GameAdjourned, at: str) -> None:
    boards = draft.boards(fact.round)
    board = boards[fact.board - 1]
    if isinstance(fact, GameAdjourned):
        boards[fact.board - 1] = replace(board, adjourned=True)
        return
    boards[fact.board - 1] = Board(
        board.white,
        board.black,
        fact.result,
        fact.rated,
        at,
        revision=board.revision + 1,
        counts_with=board.counts_with or _taken_in_with(draft, fact.round, at),
    )


def _taken_in_with(draft: _Draft, round_: int, at: str) -> int:
    """Return the round among whose results one of `round_` is taken in at `at`: the first whose appeals are not over.

    A round before the last published one is over for them whatever its deadline was.
    """
    while round_ < draft.published_rounds or _is_over(appeal_deadline(draft, round_), at):
        round_ += 1
    return round_


def _is_over(deadline: str | None, at: str) -> bool:
    return deadline is not None and second(at) > second(deadline)


def appeal_deadline(state: Tournament | _Draft, round_: int) -> str | None:
    """Return the last second in which errors of a round can be reported; None until its results are posted.

    Never the moment of the close itself: an effect that follows from it would tell that the window is closed while
    the next round is not public. A last round that was closed without posting has the announced deadline.
    """
    the_round = state.round(round_)
    last = state.announced is not None and round_ == state.announced.rounds
    if the_round.appeals_close is None and the_round.closed_at is not None and last and state.timetable:
        return state.timetable.final_appeal
    return the_round.appeals_close


def _with_presence(player: Player, fact: PresenceConfirmed | PlayerWithdrawn | ByeRequested) -> Player:
    match fact:
        case PresenceConfirmed():
            return replace(player, present=True)
        case PlayerWithdrawn():
            return replace(player, withdrawn_from=fact.from_round)
        case ByeRequested():
            return replace(player, byes={**player.byes, fact.round: fact.kind})


def _with_end(
    the_round: RoundState, fact: RoundEnded | ResultsPosted | VenueReportsComplete, at: str
) -> RoundState:
    match fact:
        case RoundEnded():
            return replace(the_round, ended_at=at)
        case ResultsPosted():
            return replace(the_round, appeals_close=fact.appeals_close)
        case VenueReportsComplete():
            return replace(the_round, venues_complete=(*the_round.venues_complete, fact.venue))


def _take_cutoff(draft: _Draft, fact: AppealWindowClosed | CutoffMoved, recorded: Recorded) -> None:
    paired = fact.round
    if isinstance(fact, AppealWindowClosed):
        draft.rounds[fact.round] = replace(draft.round(fact.round), closed_at=recorded.at)
        paired = fact.round + 1
    # The fact that sets a cutoff follows the entry at the cutoff directly, so its `prev` is the hash there.
    draft.rounds[paired] = replace(
        draft.round(paired),
        cutoff=fact.cutoff,
        cutoff_head=recorded.prev,
        sealed=None,
        impossible=None,
        disputed=None,
    )


def _with_attempt(
    the_round: RoundState, fact: PairingSealed | NoPairingFound | PairingDisputed
) -> RoundState:
    match fact:
        case PairingSealed():
            return replace(the_round, attempts=fact.attempt, sealed=fact, disputed=None)
        case NoPairingFound():
            return replace(the_round, attempts=fact.attempt, impossible=fact, disputed=None)
        case PairingDisputed():
            return replace(the_round, attempts=fact.attempt, disputed=fact)


def _take_pairing(draft: _Draft, fact: PairingPublished, at: str) -> None:
    draft.published_rounds = fact.round
    draft.put_pairing(
        fact.round,
        replace(
            draft.round(fact.round),
            published=fact,
            boards=tuple(Board(white, black) for white, black in fact.pairs),
            ended_at=None if fact.pairs else at,  # a round of byes alone has no game to wait for
        ),
    )
