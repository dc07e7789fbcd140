"""The summary: the regulations as announced, the timetable, and how far the tournament has come."""

from typing import Literal

import msgspec

from events.facts import (
    Colour,
    Instant,
    PlayerId,
    ProhibitedPairs,
    Round,
    RoundTimes,
    Scoring,
    TournamentAnnounced,
    TournamentId,
    Venue,
    VirtualPoints,
)
from rules.state import Tournament


class Regulations(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was announced before round 1."""

    system: str  # and edition
    scoring: Scoring
    handling: str
    initial_colour_parity: Literal["participants", "tpn"]
    results_public: Literal["live", "at_posting"]
    late_report: Literal["deadline-decides", "until-published"]
    acceleration_method: Literal["given", "baku"] = "given"
    acceleration: tuple[VirtualPoints, ...] = ()
    prohibited: tuple[ProhibitedPairs, ...] = ()


class Timetable(msgspec.Struct, frozen=True, kw_only=True):
    """The announced times of every round."""

    rounds: tuple[RoundTimes, ...]
    appeal_minutes: int
    final_appeal: Instant


class Summary(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tournament in the list of all, and what stands above each of its pages."""

    tournament: TournamentId
    name: str
    rounds: Round
    event: str | None = None  # the festival or championship it belongs to
    published_rounds: int = 0
    closed: bool = False
    players: int = 0  # entered, also those who have left
    venues: tuple[Venue, ...] = ()
    regulations: Regulations
    timetable: Timetable | None = None
    initial_colour: Colour | None = None  # as drawn
    last_accelerated: PlayerId | None = None  # of the upper group of Baku, once round 1 is published


def summary(state: Tournament) -> Summary:
    """Return the summary of an announced tournament."""
    announced = state.announced
    assert announced is not None
    return Summary(
        tournament=announced.tournament,
        name=announced.name,
        rounds=announced.rounds,
        event=announced.event,
        published_rounds=state.published_rounds,
        closed=state.closed,
        players=len(state.players),
        venues=announced.venues,
        regulations=regulations(announced),
        timetable=timetable(state),
        initial_colour=state.initial_colour,
        last_accelerated=state.last_accelerated if state.published_rounds else None,
    )


def regulations(announced: TournamentAnnounced) -> Regulations:
    """Return the regulations as the public reads them."""
    return Regulations(
        system=announced.system,
        scoring=announced.scoring,
        handling=announced.handling,
        initial_colour_parity=announced.initial_colour_parity,
        results_public=announced.results_public,
        late_report=announced.late_report,
        acceleration_method=announced.acceleration_method,
        acceleration=announced.acceleration,
        prohibited=announced.prohibited,
    )


def timetable(state: Tournament) -> Timetable | None:
    """Return the timetable; None while none is set."""
    times = state.timetable
    if times is None:
        return None
    return Timetable(
        rounds=times.rounds, appeal_minutes=times.appeal_minutes, final_appeal=times.final_appeal
    )
