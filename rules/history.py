"""From the log to what the engine sees: the pairing of a round is a function of the events up to its cutoff.

Corrections count only from the round their stored effect names (design section 5); nothing here looks at a clock.
"""

from collections.abc import Iterable, Iterator, Sequence

from events.envelope import Recorded
from events.facts import Colour, PlayerId, ResultCorrected, TournamentAnnounced, VirtualPoints
from rules.acceleration import baku_points
from rules.scores import BYE_KINDS, bye_points, game_kind, game_points
from rules.state import Tournament, replay
from rules.swiss.pairing_input import Entrant, PairingInput, RoundKind, RoundRecord


def pairing_input(history: Iterable[Recorded], round_: int, cutoff: int) -> PairingInput:
    """Return what the engine sees of round `round_`: the fold of events 1..`cutoff`, oldest first.

    Needs an announced tournament with numbers and an initial colour: the decider closes no window without them.
    """
    return _input_of(replay(_as_known(history, round_, cutoff)), round_)


def _as_known(history: Iterable[Recorded], round_: int, cutoff: int) -> Iterator[Recorded]:
    for recorded in history:
        if recorded.v > cutoff:
            return
        fact = recorded.fact
        if isinstance(fact, ResultCorrected):
            counts_from = fact.effect.pairing_from
            if counts_from is None or counts_from > round_:
                continue
        yield recorded


def _input_of(state: Tournament, round_: int) -> PairingInput:
    announced, numbers, initial_colour = state.announced, state.numbers_for(round_), state.initial_colour
    assert announced is not None
    assert numbers is not None
    assert initial_colour is not None
    histories = _histories(state, round_)
    virtual = _virtual_points(state, round_)
    return PairingInput(
        system=announced.system,
        round=round_,
        rounds=announced.rounds,
        initial_colour=initial_colour,
        initial_colour_parity=announced.initial_colour_parity,
        win=announced.scoring.win,
        loss=announced.scoring.loss,
        prohibited=_prohibited(announced, round_, set(numbers[1].players)),
        entrants=tuple(
            Entrant(
                player=player,
                tpn=tpn,
                present=state.players[player].takes_part(round_),
                history=tuple(histories[player]),
                virtual=virtual.get(player, ()),
            )
            for tpn, player in enumerate(numbers[1].players, start=1)
        ),
    )


def _prohibited(
    announced: TournamentAnnounced, round_: int, entered: set[PlayerId]
) -> tuple[tuple[PlayerId, ...], ...]:
    """Return the groups valid in the round; an announced player who has not entered meets nobody anyway."""
    groups = (
        tuple(player for player in group.players if player in entered)
        for group in announced.prohibited
        if group.first_round <= round_ <= group.last_round
    )
    return tuple(group for group in groups if len(group) > 1)


def _virtual_points(state: Tournament, round_: int) -> dict[PlayerId, tuple[int, ...]]:
    """Return the virtual points of rounds 1..`round_` of those who have any, by the number valid in each round."""
    points: dict[PlayerId, list[int]] = {}
    for past in range(1, round_ + 1):
        numbers = state.numbers_for(past)
        if numbers is None:
            continue
        grants = _grants(state, past, numbers[1].players)
        for tpn, player in enumerate(numbers[1].players, start=1):
            granted = sum(g.points for g in grants if g.first_tpn <= tpn <= g.last_tpn)
            if granted:
                points.setdefault(player, [0] * round_)[past - 1] = granted
    return {player: tuple(of_rounds) for player, of_rounds in points.items()}


def _grants(state: Tournament, round_: int, numbers: Sequence[PlayerId]) -> list[VirtualPoints]:
    """Return the virtual points of a round: as they were given, or Baku's for all down to the last of its group."""
    announced = state.announced
    assert announced is not None
    if announced.acceleration_method == "given":
        return [g for g in announced.acceleration if g.first_round <= round_ <= g.last_round]
    if state.last_accelerated not in numbers:
        return []  # the groups are not fixed yet
    points = baku_points(announced.rounds, announced.scoring.win)[round_ - 1]
    last = numbers.index(state.last_accelerated) + 1
    return [VirtualPoints(points=points, first_round=round_, last_round=round_, first_tpn=1, last_tpn=last)]


def _histories(state: Tournament, round_: int) -> dict[PlayerId, list[RoundRecord]]:
    """Return the rounds before `round_` of every registered player, one record each."""
    histories: dict[PlayerId, list[RoundRecord]] = {player: [] for player in state.players}
    for past in range(1, round_):
        records = _records(state, past)
        for player, history in histories.items():
            history.append(records.get(player) or _unplayed(state, player, past))
    return histories


def _records(state: Tournament, round_: int) -> dict[PlayerId, RoundRecord]:
    """Return the records of those who were paired in the round, or had its pairing-allocated bye."""
    assert state.announced is not None
    scoring = state.announced.scoring
    the_round = state.rounds[round_]
    records: dict[PlayerId, RoundRecord] = {}
    for board in the_round.boards:
        for player, opponent, colour in (
            (board.white, board.black, Colour.WHITE),
            (board.black, board.white, Colour.BLACK),
        ):
            if board.result is None:  # adjourned: a draw, for pairing only (C.04.2 3.1)
                kind, points = RoundKind.GAME, scoring.draw
            else:
                kind = game_kind(board.result, colour)
                points = game_points(board.result, colour, scoring)
            records[player] = RoundRecord(kind=kind, points=points, opponent=opponent, colour=colour)
    if the_round.published is not None and the_round.published.pab is not None:
        bye = RoundKind.PAIRING_ALLOCATED_BYE
        records[the_round.published.pab] = RoundRecord(kind=bye, points=bye_points(bye, scoring))
    return records


def _unplayed(state: Tournament, player: PlayerId, round_: int) -> RoundRecord:
    assert state.announced is not None
    requested = state.players[player].bye_in(round_)
    kind = RoundKind.ZERO_POINT_BYE if requested is None else BYE_KINDS[requested]
    return RoundRecord(kind=kind, points=bye_points(kind, state.announced.scoring))
