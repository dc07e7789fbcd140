"""Appeal windows, and what a correction changes: decided by the moment it was reported (C.04.2 4.3, design 5)."""

from events.facts import Effect, RoundTimes, TimetableSet
from rules.instants import NoSuchInstant, later, milliseconds, plus_minutes, second
from rules.refusals import BadTimetable
from rules.state import Tournament, appeal_deadline


def check_timetable(timetable: TimetableSet, rounds: int) -> None:
    """Raise `BadTimetable` unless every round is there, in order, and no time runs backwards."""
    listed = [times.round for times in timetable.rounds]
    if listed != list(range(1, rounds + 1)):
        raise BadTimetable(f"it must list rounds 1 to {rounds} in order, it lists {listed}")
    try:
        _check_order(timetable)
    except NoSuchInstant as error:
        raise BadTimetable(str(error)) from error


def _check_order(timetable: TimetableSet) -> None:
    earlier, name = 0, ""
    for times in timetable.rounds:
        for field in ("published", "start", "end", "results_posted", "appeals_close"):
            moment = milliseconds(getattr(times, field))
            if moment < earlier:
                raise BadTimetable(f"{field} of round {times.round} is before {name}")
            earlier, name = moment, f"{field} of round {times.round}"
    if milliseconds(timetable.final_appeal) < milliseconds(timetable.rounds[-1].results_posted):
        raise BadTimetable("the final appeal deadline is before the results of the last round are posted")


def times_of(state: Tournament, round_: int) -> RoundTimes:
    """Return the announced times of a round; the timetable must be set."""
    assert state.timetable is not None
    return state.timetable.rounds[round_ - 1]


def appeals_close(state: Tournament, round_: int, posted_at: str) -> str:
    """Return when appeals of a round close: the timetabled moment, or posting plus the announced minutes if later.

    After the last round there is one deadline, the final one.
    """
    assert state.timetable is not None
    assert state.announced is not None
    last = round_ == state.announced.rounds
    timetabled = state.timetable.final_appeal if last else times_of(state, round_).appeals_close
    return later(timetabled, plus_minutes(posted_at, state.timetable.appeal_minutes))


def effect_of_correction(state: Tournament, round_: int, counts_with: int, reported_at: str) -> Effect:
    """Return what a correction of a result of `round_`, reported at `reported_at`, changes.

    The three rows of C.04.2 4.3: in time, in the next round, later. `pairing_from` and `standings_from` are
    rounds; None means never. A deadline includes the whole second it names. The first result of a late game is
    taken in among those of `counts_with`, and so are its deadlines: its own round's had passed before it was there.
    """
    assert state.announced is not None
    rounds = state.announced.rounds
    reason = _row(state, counts_with, reported_at)
    if reason == "immediate":
        return Effect(pairing_from=_paired_yet(state, round_ + 1, rounds), standings_from=round_, rating=True)
    if reason == "next_pairing":
        return Effect(
            pairing_from=_paired_yet(state, counts_with + 2, rounds),
            standings_from=min(counts_with + 1, rounds),
            rating=True,
        )
    return Effect(rating=True)


def _row(state: Tournament, round_: int, reported_at: str) -> str:
    assert state.announced is not None
    if round_ > state.announced.rounds:  # came after the final deadline: stands when the tournament is closed
        return "rating_only" if state.closed else "immediate"
    deadline = appeal_deadline(state, round_)
    in_time = deadline is None or second(reported_at) <= second(deadline)
    if round_ == state.announced.rounds:
        return "immediate" if in_time else "rating_only"
    following = state.round(round_ + 1)
    if in_time and following.published is None:
        return "immediate"
    if following.ended_at is not None and milliseconds(reported_at) >= milliseconds(following.ended_at):
        return "rating_only"
    if following.published is None and state.announced.late_report == "until-published":
        return "immediate"  # the announced policy for the gap in the rule's text
    return "next_pairing"


def _paired_yet(state: Tournament, round_: int, rounds: int) -> int | None:
    # A report typed so late that the round it belongs to is public moves on: after publication nothing moves.
    first_open = max(round_, state.published_rounds + 1)
    return first_open if first_open <= rounds else None
