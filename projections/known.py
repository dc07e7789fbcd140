"""What the views are made of, folded from the log: the state, what is shown of each round, and what is withheld."""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from events.envelope import Recorded
from events.facts import (
    AppealWindowClosed,
    CutoffMoved,
    GameAdjourned,
    PairingPublished,
    PairingSealed,
    PlayerId,
    PresenceConfirmed,
    ResultCorrected,
    ResultRecorded,
    ResultsPosted,
    TournamentClosed,
)
from projections.counting import pairing_points
from projections.embargo import results_public
from projections.integrity import Departure, departures
from projections.rounds import Boards, Correction, EffectLabel, new_boards, with_all, with_game
from rules.instants import NoSuchInstant
from rules.state import EMPTY, ImpossibleHistory, Tournament, evolve


class Known(msgspec.Struct, frozen=True):
    """A tournament as the projections know it. `state.version` is the version folded last."""

    state: Tournament = Tournament()
    rounds: tuple[Boards, ...] = ()  # published, as they may be seen; an unchanged one stays the same object
    trails: Mapping[tuple[int, int], tuple[Correction, ...]] = EMPTY  # by round and board, also unseen ones
    points: Mapping[PlayerId, int] = EMPTY  # tenths, as the pairing to come counts them; from its cutoff on
    seals: Mapping[int, PairingSealed] = EMPTY  # the latest of each round
    departures: tuple[Departure, ...] = ()  # as they may be seen, in that order
    withheld: tuple[Departure, ...] = ()  # until the next pairing is published


def project(known: Known, recorded: Recorded) -> Known:
    """Fold the entry `recorded` into `known`; one already seen changes nothing.

    Raises `ImpossibleHistory` for an entry that no decider wrote.
    """
    if recorded.v <= known.state.version:
        return known  # delivery is at least once
    assert recorded.v == known.state.version + 1, "a gap: an event was skipped"
    after = replace(known, state=evolve(known.state, recorded))
    try:
        return _with_departures(known, _take(known, after, recorded), recorded)
    except (KeyError, IndexError) as error:
        raise ImpossibleHistory(
            recorded.v, f"{type(recorded.fact).__name__} names {error}, unknown there"
        ) from error
    except NoSuchInstant as error:
        raise ImpossibleHistory(recorded.v, str(error)) from error


def _take(before: Known, after: Known, recorded: Recorded) -> Known:
    fact = recorded.fact
    match fact:
        case ResultRecorded() | GameAdjourned():
            return _with_game(after, fact.round, fact.board)
        case ResultCorrected():
            return _with_game(_with_trail(before, after, recorded, fact), fact.round, fact.board)
        case ResultsPosted():
            return _looked_at(after, fact.round)
        case PresenceConfirmed():
            return _looked_at(after, *_rounds_sat_out(after, fact.player))
        case AppealWindowClosed():
            return _with_points(before, after, fact.round + 1)
        case CutoffMoved():
            return _with_points(before, after, fact.round)
        case PairingSealed():
            return replace(after, seals={**after.seals, fact.round: fact})
        case PairingPublished():
            shown = _looked_at(after, fact.round - 1)
            return replace(shown, rounds=(*shown.rounds, new_boards(after.state, fact, after.points)))
        case TournamentClosed():
            return _looked_at(after, after.state.published_rounds)
        case _:
            return after


def _with_game(known: Known, round_: int, board: int) -> Known:
    shown = known.rounds[round_ - 1]
    return _with_boards(known, with_game(shown, known.state, board, known.trails.get((round_, board), ())))


def _looked_at(known: Known, *rounds: int) -> Known:
    """Return `known` with whatever may be seen of those rounds now; a round that is not published is passed over."""
    for number in rounds:
        if 1 <= number <= len(known.rounds):
            known = _with_boards(known, with_all(known.rounds[number - 1], known.state, known.trails))
    return known


def _with_boards(known: Known, boards: Boards) -> Known:
    if boards is known.rounds[boards.round - 1]:
        return known
    return replace(known, rounds=(*known.rounds[: boards.round - 1], boards, *known.rounds[boards.round :]))


def _rounds_sat_out(known: Known, player: PlayerId) -> list[int]:
    """Return the rounds with a bye that counts from now on: its player has come."""
    return sorted(known.state.players[player].byes)


def _with_points(before: Known, after: Known, paired: int) -> Known:
    """Return `after` with the points that the pairing of `paired` counts: the entry before is at its cutoff."""
    assert after.state.announced is not None
    if paired > after.state.announced.rounds:
        return after
    return replace(after, points=pairing_points(before.state, before.trails, before.rounds, paired))


def _with_trail(before: Known, after: Known, recorded: Recorded, fact: ResultCorrected) -> Known:
    place = (fact.round, fact.board)
    trail = before.trails.get(place, ())
    if not trail and _ordinary(before.state, fact):
        return (
            after  # nobody has seen the wrong one, and the right one counts as if it had been there at first
        )
    board = after.state.round(fact.round).boards[fact.board - 1]
    correction = Correction(
        was=fact.was,
        result=fact.result,
        revision=board.revision,
        label=_label(fact),
        standings_from=fact.effect.standings_from,
        pairing_from=fact.effect.pairing_from,
        reported_at=recorded.reported_at or recorded.at,
        reason=fact.reason,
        rated=fact.rated,
        was_rated=before.state.round(fact.round).boards[fact.board - 1].rated,
    )
    return replace(after, trails={**after.trails, place: (*trail, correction)})


def _ordinary(before: Tournament, fact: ResultCorrected) -> bool:
    assert before.announced is not None
    next_round = fact.round + 1 if fact.round < before.announced.rounds else None
    at_once = (fact.effect.standings_from, fact.effect.pairing_from) == (fact.round, next_round)
    return at_once and not results_public(before, fact.round)


def _label(fact: ResultCorrected) -> EffectLabel:
    if fact.effect.standings_from is None:
        return "rating_only"
    return "immediate" if fact.effect.standings_from == fact.round else "next_pairing"


def _with_departures(before: Known, after: Known, recorded: Recorded) -> Known:
    entries = departures(before.state, after.state, recorded)
    due = isinstance(recorded.fact, PairingPublished | TournamentClosed)
    if not entries and not (due and before.withheld):
        return after
    told = before.withheld if due else ()
    return replace(
        after,
        departures=(*before.departures, *told, *(entry for entry, public in entries if public)),
        withheld=(*(() if due else before.withheld), *(entry for entry, public in entries if not public)),
    )
