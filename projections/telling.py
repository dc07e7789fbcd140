"""From one entry of the log to what the public is told by it. What is told is what changes in the views."""

from collections.abc import Iterator

from events.envelope import Recorded
from events.facts import (
    LotsDrawn,
    PairingPublished,
    PlayerRegistered,
    PlayerWithdrawn,
    PresenceConfirmed,
    ResultsPosted,
    TimetableSet,
    TournamentAnnounced,
    TournamentClosed,
)
from projections.embargo import numbers_public
from projections.known import Known
from projections.public_messages import (
    Adjourned,
    Announced,
    Closed,
    ColourDrawn,
    Corrected,
    Ended,
    Entered,
    IntegrityEntry,
    Numbered,
    PastBye,
    Posted,
    Present,
    PublicMessage,
    Resulted,
    RoundPublished,
    TimesSet,
    Withdrawn,
)
from projections.rounds import Boards, Game
from projections.summary import regulations, timetable


def messages(before: Known, after: Known, recorded: Recorded) -> tuple[PublicMessage, ...]:
    """Return what the public is told by the entry `recorded`, which leads from `before` to `after`, in order.

    What became visible of earlier rounds comes first, in board order; then why, then the event itself. Nothing is
    told twice: an entry that was folded already tells nothing.
    """
    if after is before:
        return ()
    assert recorded.v == after.state.version == before.state.version + 1, "one entry at a time"
    return (
        *(
            message
            for old, new in zip(before.rounds, after.rounds, strict=False)
            for message in _news(old, new)
        ),
        *(IntegrityEntry(departure=entry) for entry in after.departures[len(before.departures) :]),
        *_numbers(before, after),
        *_event(before, after, recorded),
    )


def _news(old: Boards, new: Boards) -> Iterator[PublicMessage]:
    if new is old:
        return
    for was, now in zip(old.boards, new.boards, strict=True):
        if now is not was:
            yield from _of_game(new.round, was, now)
    if new.ended and not old.ended:
        yield Ended(round=new.round)


def _of_game(round_: int, was: Game, now: Game) -> Iterator[PublicMessage]:
    """Tell a board's first result as it was first, and each correction of it that was not told yet."""
    if now.adjourned and not was.adjourned:
        yield Adjourned(round=round_, board=now.board, white=now.white, black=now.black)
    if now.result is not None and was.result is None:
        yield _first_result(round_, now)
    for correction in now.corrections[len(was.corrections) :]:
        yield Corrected(
            round=round_, board=now.board, white=now.white, black=now.black, correction=correction
        )


def _first_result(round_: int, game: Game) -> Resulted:
    assert game.result is not None
    first = game.corrections[0] if game.corrections else None
    return Resulted(
        round=round_,
        board=game.board,
        white=game.white,
        black=game.black,
        result=first.was if first else game.result,
        revision=game.revision - len(game.corrections),
        rated=first.was_rated if first else game.rated,
    )


def _numbers(before: Known, after: Known) -> Iterator[PublicMessage]:
    numbers = numbers_public(after.state)
    if numbers is not None and numbers != numbers_public(before.state):
        yield Numbered(players=numbers.players)


def _event(before: Known, after: Known, recorded: Recorded) -> Iterator[PublicMessage]:
    fact = recorded.fact
    match fact:
        case PairingPublished():
            yield from _published(after.rounds[fact.round - 1])
        case ResultsPosted():
            yield Posted(round=fact.round, appeals_close=fact.appeals_close)
        case PresenceConfirmed():
            yield Present(player=fact.player, byes=tuple(_past_byes(before, after, fact.player)))
        case PlayerWithdrawn():
            yield Withdrawn(player=fact.player, from_round=fact.from_round)
        case PlayerRegistered():
            yield _entered(fact)
        case TournamentAnnounced() | TimetableSet() | LotsDrawn():
            yield _regulation(fact, after)
        case TournamentClosed():
            yield Closed()
        case _:
            return  # told by what it changed, or internal


def _published(boards: Boards) -> Iterator[PublicMessage]:
    yield RoundPublished(
        round=boards.round,
        pairs=tuple((game.white, game.black) for game in boards.boards),
        points=tuple((game.white_points, game.black_points) for game in boards.boards),
        byes=boards.byes,
    )
    if boards.ended:
        yield Ended(round=boards.round)


def _past_byes(before: Known, after: Known, player: str) -> Iterator[PastBye]:
    for old, new in zip(before.rounds, after.rounds, strict=True):
        if new is not old:
            yield from (PastBye(round=new.round, kind=bye.kind) for bye in new.byes if bye.player == player)


def _entered(fact: PlayerRegistered) -> Entered:
    return Entered(
        player=fact.player,
        title=fact.title,
        rating=fact.rating,
        federation=fact.federation,
        fide_id=fact.fide_id,
        entered_for=fact.entered_for,
    )


def _regulation(fact: TournamentAnnounced | TimetableSet | LotsDrawn, after: Known) -> PublicMessage:
    if isinstance(fact, LotsDrawn):
        return ColourDrawn(initial_colour=fact.initial_colour)
    if isinstance(fact, TimetableSet):
        times = timetable(after.state)
        assert times is not None
        return TimesSet(timetable=times)
    return Announced(
        tournament=fact.tournament,
        name=fact.name,
        rounds=fact.rounds,
        regulations=regulations(fact),
        event=fact.event,
        venues=fact.venues,
    )
