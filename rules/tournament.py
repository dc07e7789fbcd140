"""The decider: what a command brings about in a tournament, or why it may not (design sections 4 and 5).

Pure: the time of recording, who asks and what was drawn by lot come in with the command.
"""

from typing import assert_never

import msgspec
from msgspec.structs import asdict

from events.facts import (
    AccelerationGroupsFixed,
    AnyFact,
    AppealWindowClosed,
    ByeRequested,
    CutoffMoved,
    GameAdjourned,
    LotsDrawn,
    NoPairingFound,
    NumbersAssigned,
    PairingDisputed,
    PairingPublished,
    PairingSealed,
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
from rules.acceleration import baku_group, takes_baku
from rules.commands import (
    AnnounceTournament,
    AnyCommand,
    CloseAppealWindow,
    CloseTournament,
    CompleteVenueReports,
    ConfirmPresence,
    CorrectResult,
    DrawLots,
    FixNumbers,
    PostResults,
    PublishPairing,
    RecordResult,
    RegisterPlayer,
    ReportDispute,
    ReportNoPairing,
    RequestBye,
    SealPairing,
    SetTimetable,
    WithdrawPlayer,
)
from rules.instants import milliseconds, second
from rules.proof import output_digest, seal
from rules.refusals import (
    AlreadyAnnounced,
    AlreadyDone,
    ConfirmationNeeded,
    ContradictoryRegulations,
    FideIdAlreadyEntered,
    FormatNotOffered,
    GamesUndecided,
    HandlingNotOffered,
    NoResultToCorrect,
    NoSuchBoard,
    NoSuchRound,
    NotAnnounced,
    NotTheCutoff,
    NotThePublishedPair,
    NumbersIncomplete,
    PairingIncomplete,
    PlayerAgainstHimself,
    PlayerAlreadyRegistered,
    PlayerIsWithdrawn,
    ReportBeforeTheRecord,
    ReportInTheFuture,
    ResultAlreadyRecorded,
    ResultHasChanged,
    RoundAlreadyPublished,
    RoundNotPublished,
    SealBroken,
    SomethingMissing,
    SystemNotOffered,
    TooEarly,
    TooLate,
    TournamentIsClosed,
    UnknownPlayer,
    UnknownVenue,
    VenuesSilent,
)
from rules.state import Board, Player, RoundState, Tournament
from rules.swiss import systems
from rules.swiss.pairing_input import PairingOutput
from rules.timetable import appeals_close, check_timetable, effect_of_correction, times_of

HANDLING_OFFERED = ("2026",)


class Occasion(msgspec.Struct, frozen=True, kw_only=True):
    """When a command is recorded, and when a human told an arbiter what it says. RFC 3339, UTC."""

    at: str
    reported_at: str


def decide(command: AnyCommand, state: Tournament, occasion: Occasion) -> list[AnyFact]:
    """Return the facts that `command` brings about, in order; raise `RuleViolation` if it may not.

    The facts become the versions `state.version + 1` onwards.
    """
    if milliseconds(occasion.reported_at) > milliseconds(occasion.at):
        raise ReportInTheFuture(occasion.reported_at, occasion.at)
    if isinstance(command, AnnounceTournament):
        return _announce(command, state)
    if state.announced is None:
        raise NotAnnounced
    if state.closed and not isinstance(command, CorrectResult):
        raise TournamentIsClosed
    match command:
        case SetTimetable():
            return _set_timetable(command, state)
        case DrawLots():
            return _draw_lots(command, state)
        case RegisterPlayer() | ConfirmPresence() | FixNumbers() | RequestBye() | WithdrawPlayer():
            return _decide_entry(command, state)
        case RecordResult():
            return _record_result(command, state)
        case CorrectResult():
            return _correct_result(command, state, occasion)
        case PostResults() | CompleteVenueReports() | CloseAppealWindow():
            return _decide_round(command, state, occasion)
        case SealPairing() | ReportNoPairing() | ReportDispute():
            return _seal(command, state)
        case PublishPairing():
            return _publish(command, state, occasion)
        case CloseTournament():
            return _close_tournament(state)
        case _:
            assert_never(command)


# Regulations ------------------------------------------------------------------------------------------------


def _announce(command: AnnounceTournament, state: Tournament) -> list[AnyFact]:
    if state.announced is not None:
        raise AlreadyAnnounced
    if command.format != "individual-swiss":
        raise FormatNotOffered(command.format)
    if command.system not in systems.OFFERED:
        raise SystemNotOffered(command.system, ", ".join(systems.OFFERED))
    if command.handling not in HANDLING_OFFERED:
        raise HandlingNotOffered(command.handling, ", ".join(HANDLING_OFFERED))
    _check_regulations(command)
    return [TournamentAnnounced(**asdict(command))]


def _check_regulations(command: AnnounceTournament) -> None:
    scoring = command.scoring
    if not scoring.win > scoring.draw >= scoring.loss:
        raise ContradictoryRegulations("a win must score more than a draw, and a draw not less than a loss")
    names = [venue.venue for venue in command.venues]
    if len(set(names)) < len(names):
        raise ContradictoryRegulations("two venues have the same id")
    for rows in (command.acceleration, command.prohibited):
        for row in rows:
            if not row.first_round <= row.last_round <= command.rounds:
                raise ContradictoryRegulations(
                    f"rounds {row.first_round} to {row.last_round} are not rounds 1 to {command.rounds}"
                )
    for grant in command.acceleration:
        if grant.first_tpn > grant.last_tpn:
            raise ContradictoryRegulations(
                f"virtual points for numbers {grant.first_tpn} to {grant.last_tpn}, which is nobody"
            )
    if command.acceleration_method == "baku":
        _check_baku(command)
    for choice, offered in (
        (command.acceleration_method, ("given", "baku")),
        (command.initial_colour_parity, ("participants", "tpn")),
        (command.results_public, ("live", "at_posting")),
        (command.late_report, ("deadline-decides", "until-published")),
    ):
        if choice not in offered:
            raise ContradictoryRegulations(f"{choice!r} is none of {', '.join(offered)}")


def _check_baku(command: AnnounceTournament) -> None:
    if command.acceleration:
        raise ContradictoryRegulations(
            "Baku acceleration derives its virtual points; none can be given beside"
        )
    if not takes_baku(command.scoring):
        raise ContradictoryRegulations(
            "Baku acceleration needs a win worth two draws and a loss worth nothing (C.04.7 1.1)"
        )


def _set_timetable(command: SetTimetable, state: Tournament) -> list[AnyFact]:
    assert state.announced is not None
    if _closed(state, 0):
        raise TooLate("set the timetable", "the list of entries is closed; it is published before round 1")
    fact = TimetableSet(
        rounds=command.rounds, appeal_minutes=command.appeal_minutes, final_appeal=command.final_appeal
    )
    check_timetable(fact, state.announced.rounds)
    return [fact]


def _draw_lots(command: DrawLots, state: Tournament) -> list[AnyFact]:
    if state.initial_colour is not None:
        raise AlreadyDone("the initial colour is drawn")
    return [
        LotsDrawn(initial_colour=command.initial_colour, method=command.method, witnesses=command.witnesses)
    ]


# Entries ----------------------------------------------------------------------------------------------------


def _decide_entry(
    command: RegisterPlayer | ConfirmPresence | FixNumbers | RequestBye | WithdrawPlayer, state: Tournament
) -> list[AnyFact]:
    match command:
        case RegisterPlayer():
            return _register(command, state)
        case ConfirmPresence():
            return _confirm_presence(command, state)
        case FixNumbers():
            return _fix_numbers(command, state)
        case RequestBye():
            return _request_bye(command, state)
        case WithdrawPlayer():
            return _withdraw(command, state)


def _register(command: RegisterPlayer, state: Tournament) -> list[AnyFact]:
    if command.player in state.players:
        raise PlayerAlreadyRegistered(command.player)
    for player in state.players.values():  # one who withdrew, too: his games are his, whatever he is called
        if command.fide_id and player.registered.fide_id == command.fide_id:
            raise FideIdAlreadyEntered(command.fide_id, player.registered.player)
    _check_round(state, command.entered_for)
    _check_open(state, command.entered_for, f"enter for round {command.entered_for}")
    return [PlayerRegistered(**asdict(command))]


def _confirm_presence(command: ConfirmPresence, state: Tournament) -> list[AnyFact]:
    player = _active(state, command.player, state.published_rounds + 1)
    if player.present:
        raise AlreadyDone(f"the presence of player {command.player!r} is confirmed")
    # Who comes late is paired from the next round whose input is still open.
    _check_open(state, max(player.registered.entered_for, state.published_rounds + 1), "confirm presence")
    return [PresenceConfirmed(player=command.player)]


def _fix_numbers(command: FixNumbers, state: Tournament) -> list[AnyFact]:
    _check_round(state, command.for_round)
    _check_open(state, command.for_round, f"give numbers for round {command.for_round}")
    listed = set(command.players)
    if len(listed) < len(command.players):
        twice = sorted({player for player in command.players if command.players.count(player) > 1})
        raise NumbersIncomplete(f"twice: {', '.join(twice)}")
    if unknown := [player for player in command.players if player not in state.players]:
        raise NumbersIncomplete(f"not registered: {', '.join(unknown)}")
    if missing := [player for player in state.players if player not in listed]:
        raise NumbersIncomplete(f"missing: {', '.join(missing)}")
    return [NumbersAssigned(for_round=command.for_round, players=command.players)]


def _request_bye(command: RequestBye, state: Tournament) -> list[AnyFact]:
    _check_round(state, command.round)
    player = _active(state, command.player, command.round)
    if command.round <= state.published_rounds:
        raise RoundAlreadyPublished(command.round)
    if command.round in player.byes:
        raise AlreadyDone(f"a bye of player {command.player!r} in round {command.round} is requested")
    fact = ByeRequested(player=command.player, round=command.round, kind=command.kind)
    return [fact, *_move_cutoff(state, command.round, f"bye of player {command.player}")]


def _withdraw(command: WithdrawPlayer, state: Tournament) -> list[AnyFact]:
    assert state.announced is not None
    next_round = state.published_rounds + 1
    from_round = command.from_round or next_round
    _active(state, command.player, from_round)
    if next_round > state.announced.rounds:
        raise TooLate(f"withdraw player {command.player!r}", "the last round is published")
    if from_round < next_round:
        raise RoundAlreadyPublished(from_round)
    _check_round(state, from_round)
    fact = PlayerWithdrawn(player=command.player, from_round=from_round, reason=command.reason)
    return [fact, *_move_cutoff(state, from_round, f"withdrawal of player {command.player}")]


def _active(state: Tournament, player_id: str, round_: int) -> Player:
    """Return a player who has not withdrawn from the round; an earlier round can still be given up."""
    player = state.players.get(player_id)
    if player is None:
        raise UnknownPlayer(player_id)
    if player.withdrawn_from is not None and player.withdrawn_from <= round_:
        raise PlayerIsWithdrawn(player_id, player.withdrawn_from)
    return player


def _check_open(state: Tournament, round_: int, what: str) -> None:
    """Raise `TooLate` when the pairing of the round can take in nothing more: its input is closed."""
    if round_ <= state.published_rounds or _closed(state, round_ - 1):
        raise TooLate(what, f"what counts for the pairing of round {round_} is closed")


def _move_cutoff(state: Tournament, round_: int, reason: str) -> list[AnyFact]:
    """Return the `CutoffMoved` that must follow a fact that belongs to a closed, unpublished pairing, if any.

    `round_` is the first round that the fact concerns; the fact itself becomes version `state.version + 1`.
    """
    open_round = state.published_rounds + 1
    if round_ > open_round or not _closed(state, open_round - 1):
        return []
    return [CutoffMoved(round=open_round, cutoff=state.version + 1, reason=reason)]


# Play -------------------------------------------------------------------------------------------------------


def _record_result(command: RecordResult, state: Tournament) -> list[AnyFact]:
    board = _published_board(command, state)
    if board.result is not None:
        raise ResultAlreadyRecorded(command.round, command.board, board.result)
    fact = ResultRecorded(
        round=command.round,
        board=command.board,
        white=command.white,
        black=command.black,
        result=command.result,
        rated=command.rated,
    )
    the_round = state.round(command.round)
    if the_round.ended_at is None and the_round.undecided() == [command.board]:
        return [fact, RoundEnded(round=command.round)]
    return [fact]


def _correct_result(command: CorrectResult, state: Tournament, occasion: Occasion) -> list[AnyFact]:
    board = _published_board(command, state)
    if board.result is None:
        raise NoResultToCorrect(command.round, command.board)
    if board.result != command.was:
        raise ResultHasChanged(command.round, command.board, command.was, board.result)
    if (command.result, command.rated) == (board.result, board.rated):
        raise AlreadyDone(f"board {command.board} of round {command.round} has the result {command.result}")
    if milliseconds(occasion.reported_at) < milliseconds(board.recorded_at):
        raise ReportBeforeTheRecord(occasion.reported_at, board.recorded_at)
    confirmed_by = _confirmed_by(command, state, occasion)
    effect = effect_of_correction(state, command.round, board.counts_with, occasion.reported_at)
    fact = ResultCorrected(**{**asdict(command), "confirmed_by": confirmed_by}, effect=effect)
    if effect.pairing_from is None:
        return [fact]
    reason = f"correction of board {command.board} of round {command.round}"
    return [fact, *_move_cutoff(state, effect.pairing_from, reason)]


def _confirmed_by(command: CorrectResult, state: Tournament, occasion: Occasion) -> str | None:
    """Return who answers for a report that was told before a close and typed after it; None where nobody need.

    `reported_at` is not a back door: such a report needs the chief arbiter (design section 5).
    """
    for number in range(command.round, state.published_rounds + 1):
        closed_at = state.round(number).closed_at
        if closed_at is not None and milliseconds(occasion.reported_at) < milliseconds(closed_at):
            if command.confirmed_by is None:
                raise ConfirmationNeeded(occasion.reported_at, closed_at)
            return command.confirmed_by
    return None


def _published_board(command: RecordResult | CorrectResult, state: Tournament) -> Board:
    if command.white == command.black:
        raise PlayerAgainstHimself(command.white)
    _check_round(state, command.round)
    the_round = state.round(command.round)
    if the_round.published is None:
        raise RoundNotPublished(command.round)
    if command.board > len(the_round.boards):
        raise NoSuchBoard(command.round, command.board, len(the_round.boards))
    board = the_round.boards[command.board - 1]
    if (command.white, command.black) != (board.white, board.black):
        raise NotThePublishedPair(command.round, command.board, board.white, board.black)
    return board


def _check_round(state: Tournament, round_: int) -> None:
    assert state.announced is not None
    if not 1 <= round_ <= state.announced.rounds:
        raise NoSuchRound(round_, state.announced.rounds)


# Appeals ----------------------------------------------------------------------------------------------------


def _decide_round(
    command: PostResults | CompleteVenueReports | CloseAppealWindow, state: Tournament, occasion: Occasion
) -> list[AnyFact]:
    if isinstance(command, CloseAppealWindow) and command.round == 0:
        return _close_entries(command, state)
    _check_round(state, command.round)
    the_round = state.round(command.round)
    if the_round.published is None:
        raise RoundNotPublished(command.round)
    if the_round.closed_at is not None:
        raise AlreadyDone(f"the appeal window of round {command.round} is closed")
    match command:
        case PostResults():
            return _post_results(command, state, occasion)
        case CompleteVenueReports():
            return _complete_venue(command, state)
        case CloseAppealWindow():
            return _close_window(command, state, occasion)


def _post_results(command: PostResults, state: Tournament, occasion: Occasion) -> list[AnyFact]:
    the_round = state.round(command.round)
    if the_round.appeals_close is not None:
        raise AlreadyDone(f"the results of round {command.round} are posted")
    if boards := the_round.undecided():
        raise GamesUndecided(command.round, _listed(boards))
    close = appeals_close(state, command.round, occasion.at)
    return [ResultsPosted(round=command.round, appeals_close=close)]


def _complete_venue(command: CompleteVenueReports, state: Tournament) -> list[AnyFact]:
    assert state.announced is not None
    if command.venue not in {venue.venue for venue in state.announced.venues}:
        raise UnknownVenue(command.venue)
    if command.venue in state.round(command.round).venues_complete:
        raise AlreadyDone(f"venue {command.venue!r} has reported round {command.round} complete")
    return [VenueReportsComplete(round=command.round, venue=command.venue)]


def _close_entries(command: CloseAppealWindow, state: Tournament) -> list[AnyFact]:
    if _closed(state, 0):
        raise AlreadyDone("the list of entries is closed")
    missing = [
        what
        for what, there in (
            ("the timetable is not set", state.timetable is not None),
            ("the initial colour is not drawn", state.initial_colour is not None),
            ("no player is registered", bool(state.players)),
            ("the numbers are not given", state.numbers_for(1) is not None),
            ("players without a number", _all_numbered(state, 1)),
        )
        if not there
    ]
    if missing:
        raise SomethingMissing("close the list of entries", "; ".join(missing))
    groups = _acceleration_groups(state)
    cutoff = state.version + len(groups)
    return [*groups, AppealWindowClosed(round=0, cutoff=cutoff, override=command.override)]


def _acceleration_groups(state: Tournament) -> list[AnyFact]:
    """Return who is last in the upper group, if the tournament is accelerated by Baku: all with a number count."""
    numbers = state.numbers_for(1)
    assert state.announced is not None
    assert numbers is not None
    if state.announced.acceleration_method != "baku":
        return []
    players = numbers[1].players
    size = min(baku_group(len(players)), len(players))
    return [AccelerationGroupsFixed(participants=len(players), last=players[size - 1])]


def _close_window(command: CloseAppealWindow, state: Tournament, occasion: Occasion) -> list[AnyFact]:
    if command.override is None:
        _check_window_over(command.round, state, occasion)
    if not _all_numbered(state, command.round + 1):
        raise SomethingMissing(
            f"close the appeal window of round {command.round}",
            "a late entry has no number; give the numbers first",
        )
    the_round = state.round(command.round)
    adjourned: list[AnyFact] = []
    for number in the_round.undecided():
        board = the_round.boards[number - 1]
        adjourned.append(
            GameAdjourned(round=command.round, board=number, white=board.white, black=board.black)
        )
    if adjourned and the_round.ended_at is None:
        adjourned.append(RoundEnded(round=command.round))
    cutoff = state.version + len(adjourned)
    return [
        *adjourned,
        AppealWindowClosed(round=command.round, cutoff=cutoff, override=command.override),
    ]


def _check_window_over(round_: int, state: Tournament, occasion: Occasion) -> None:
    assert state.announced is not None
    the_round = state.round(round_)
    if boards := the_round.undecided():
        raise GamesUndecided(round_, _listed(boards))
    if the_round.appeals_close is None:
        raise SomethingMissing(f"close the appeal window of round {round_}", "its results are not posted")
    if second(occasion.at) <= second(the_round.appeals_close):
        raise TooEarly(
            f"close the appeal window of round {round_}", f"appeals are taken up to {the_round.appeals_close}"
        )
    silent = [v.venue for v in state.announced.venues if v.venue not in the_round.venues_complete]
    if silent:
        raise VenuesSilent(round_, ", ".join(silent))


def _all_numbered(state: Tournament, round_: int) -> bool:
    numbers = state.numbers_for(round_)
    return numbers is not None and len(numbers[1].players) == len(state.players)


def _closed(state: Tournament, round_: int) -> bool:
    return state.round(round_).closed_at is not None


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


# Pairing ----------------------------------------------------------------------------------------------------


def _seal(command: SealPairing | ReportNoPairing | ReportDispute, state: Tournament) -> list[AnyFact]:
    assert state.announced is not None
    _check_round(state, command.round)
    the_round = state.round(command.round)
    if the_round.published is not None:
        raise RoundAlreadyPublished(command.round)
    if the_round.cutoff is None:
        raise TooEarly(f"pair round {command.round}", "what counts for it is not closed")
    if (command.cutoff, command.head) != (the_round.cutoff, the_round.cutoff_head):
        raise NotTheCutoff(command.round, command.cutoff, the_round.cutoff)
    if the_round.sealed is not None or the_round.impossible is not None:
        raise AlreadyDone(f"round {command.round} is paired from cutoff {command.cutoff}")
    if command.attempt != the_round.attempts + 1:
        raise SealBroken(command.round, f"attempt {command.attempt} follows attempt {the_round.attempts}")
    if command.system != state.announced.system:
        raise SystemNotOffered(command.system, state.announced.system)
    if the_round.disputed is not None and the_round.disputed.engine == command.engine:
        raise AlreadyDone(f"the pairing of round {command.round} by {command.engine} is disputed")
    match command:
        case SealPairing():
            return [PairingSealed(**asdict(command))]
        case ReportNoPairing():
            return [NoPairingFound(**asdict(command))]
        case ReportDispute():
            return [PairingDisputed(**asdict(command))]


def _publish(command: PublishPairing, state: Tournament, occasion: Occasion) -> list[AnyFact]:
    _check_round(state, command.round)
    the_round = state.round(command.round)
    if the_round.published is not None:
        raise RoundAlreadyPublished(command.round)
    sealed = the_round.sealed
    if sealed is None:
        raise SomethingMissing(
            f"publish round {command.round}", "no pairing is sealed at the cutoff in force"
        )
    due = times_of(state, command.round).published
    if milliseconds(occasion.at) < milliseconds(due):
        raise TooEarly(f"publish round {command.round}", f"it is announced for {due}")
    output = PairingOutput(pairs=command.pairs, pab=command.pab)
    if seal(command.salt, output) != sealed.seal:
        raise SealBroken(command.round, "salt and pairs do not open the seal")
    _check_everybody(command, state)
    return [_published(command, state, the_round, sealed)]


def _published(
    command: PublishPairing, state: Tournament, the_round: RoundState, sealed: PairingSealed
) -> PairingPublished:
    numbers = state.numbers_for(command.round)
    assert numbers is not None
    assert the_round.cutoff is not None
    return PairingPublished(
        round=command.round,
        attempt=sealed.attempt,
        pairs=command.pairs,
        pab=command.pab,
        numbers=numbers[0],
        cutoff=the_round.cutoff,
        head=the_round.cutoff_head,
        system=sealed.system,
        engine=sealed.engine,
        input=sealed.input,
        output=output_digest(PairingOutput(pairs=command.pairs, pab=command.pab)),
        salt=command.salt,
    )


def _check_everybody(command: PublishPairing, state: Tournament) -> None:
    """Raise `PairingIncomplete` unless the pairing holds everybody who takes part exactly once, and nobody else."""
    placed = [player for pair in command.pairs for player in pair]
    if command.pab is not None:
        placed.append(command.pab)
    expected = sorted(player for player, entry in state.players.items() if entry.takes_part(command.round))
    if sorted(placed) != expected:
        wrong = sorted(set(placed) ^ set(expected)) or sorted({p for p in placed if placed.count(p) > 1})
        raise PairingIncomplete(command.round, ", ".join(wrong))


def _close_tournament(state: Tournament) -> list[AnyFact]:
    assert state.announced is not None
    rounds = state.announced.rounds
    if state.round(state.published_rounds + 1).impossible is not None:
        rounds = state.published_rounds  # no complete pairing of the next one exists (C.04.3 1.9.3)
    if not _closed(state, rounds):
        raise TooEarly("close the tournament", f"the appeal window of round {rounds} is open")
    for number in range(1, rounds + 1):
        open_boards = [n for n, board in enumerate(state.round(number).boards, 1) if board.result is None]
        if open_boards:
            raise GamesUndecided(number, _listed(open_boards))
    return [TournamentClosed()]
