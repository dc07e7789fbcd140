"""Why a command was refused: one class a reason, with fields, and the article where one is behind it.

A refusal is an answer, not a failure: it is returned to whoever asked and never retried.
"""

import re
from dataclasses import dataclass, fields
from typing import ClassVar


class RuleViolation(Exception):
    """The rules forbid it. `article` names the rule, where one does."""

    text: ClassVar[str]
    article: ClassVar[str] = ""

    @classmethod
    def kind(cls) -> str:
        """Return the stable name of the reason, kebab-case."""
        return re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__).lower()

    def fields(self) -> dict[str, object]:
        """Return what the reason is about, by field name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]  # every subclass is a dataclass

    def __str__(self) -> str:
        sentence = self.text.format(**self.fields())
        return f"{sentence} ({self.article})" if self.article else sentence


@dataclass(eq=False)
class NotAnnounced(RuleViolation):
    """Nothing can happen in a tournament that was never announced."""

    text = "the tournament has not been announced"


@dataclass(eq=False)
class AlreadyAnnounced(RuleViolation):
    """The regulations are announced once."""

    text = "the tournament has already been announced"


@dataclass(eq=False)
class TournamentIsClosed(RuleViolation):
    """After the end only corrections for the rating report are taken."""

    text = "the tournament is closed"


@dataclass(eq=False)
class FormatNotOffered(RuleViolation):
    """A format that this program does not pair yet."""

    format: str
    text = "format {format!r} is not yet offered; offered: individual-swiss"


@dataclass(eq=False)
class HandlingNotOffered(RuleViolation):
    """An edition of the general handling rules whose differences this program does not know yet."""

    handling: str
    offered: str
    text = "general handling rules of {handling} are not yet offered; offered: {offered}"


@dataclass(eq=False)
class SystemNotOffered(RuleViolation):
    """A pairing system or edition that this program does not pair yet."""

    system: str
    offered: str
    text = "pairing system {system!r} is not yet offered; offered: {offered}"


@dataclass(eq=False)
class ContradictoryRegulations(RuleViolation):
    """Regulations that contradict themselves."""

    detail: str
    text = "the regulations contradict themselves: {detail}"


@dataclass(eq=False)
class BadTimetable(RuleViolation):
    """A timetable that is out of order, incomplete, or names no moment in time."""

    detail: str
    text = "the timetable cannot be used: {detail}"


@dataclass(eq=False)
class TooLate(RuleViolation):
    """Something that had to be done earlier."""

    what: str
    since: str
    text = "too late to {what}: {since}"


@dataclass(eq=False)
class TooEarly(RuleViolation):
    """Something whose time has not come."""

    what: str
    until: str
    text = "too early to {what}: {until}"


@dataclass(eq=False)
class SomethingMissing(RuleViolation):
    """Something must be done first."""

    what: str
    missing: str
    text = "cannot {what}: {missing}"


@dataclass(eq=False)
class UnknownPlayer(RuleViolation):
    """Nobody of that id is registered."""

    player: str
    text = "no player {player!r} is registered"


@dataclass(eq=False)
class PlayerAlreadyRegistered(RuleViolation):
    """The id is taken."""

    player: str
    text = "player {player!r} is already registered"


@dataclass(eq=False)
class FideIdAlreadyEntered(RuleViolation):
    """A second active entry of the same person."""

    fide_id: str
    player: str
    text = "FIDE id {fide_id} is already entered, as player {player!r}"


@dataclass(eq=False)
class PlayerIsWithdrawn(RuleViolation):
    """The player has left."""

    player: str
    from_round: int
    text = "player {player!r} is withdrawn from round {from_round} on"
    article = "C.04.2 3.2"


@dataclass(eq=False)
class AlreadyDone(RuleViolation):
    """A fact that is in the log already."""

    what: str
    text = "{what} already"


@dataclass(eq=False)
class NumbersIncomplete(RuleViolation):
    """The list of numbers is not a list of the registered players, each once."""

    detail: str
    text = "the numbers must list every registered player once: {detail}"
    article = "C.04.2 2.3"


@dataclass(eq=False)
class NoSuchRound(RuleViolation):
    """The tournament has no such round."""

    round: int
    rounds: int
    text = "there is no round {round}; the tournament has {rounds}"


@dataclass(eq=False)
class RoundNotPublished(RuleViolation):
    """The pairing of the round is not public, so nobody plays in it yet."""

    round: int
    text = "the pairing of round {round} is not published"


@dataclass(eq=False)
class RoundAlreadyPublished(RuleViolation):
    """A published pairing stands."""

    round: int
    text = "the pairing of round {round} is already published"
    article = "C.04.2 4.4"


@dataclass(eq=False)
class NoSuchBoard(RuleViolation):
    """No such board in that round."""

    round: int
    board: int
    boards: int
    text = "round {round} has no board {board}; it has {boards}"


@dataclass(eq=False)
class PlayerAgainstHimself(RuleViolation):
    """Both sides of the result are the same player."""

    player: str
    text = "player {player!r} cannot play against himself"


@dataclass(eq=False)
class NotThePublishedPair(RuleViolation):
    """The result names other players, or other sides, than the published pairing."""

    round: int
    board: int
    white: str
    black: str
    text = "on board {board} of round {round} the pairing is {white} (White) against {black} (Black)"


@dataclass(eq=False)
class ResultAlreadyRecorded(RuleViolation):
    """The board has a result; changing it is a correction."""

    round: int
    board: int
    result: str
    text = "board {board} of round {round} already has the result {result}; to change it, correct it"


@dataclass(eq=False)
class NoResultToCorrect(RuleViolation):
    """Nothing is recorded yet."""

    round: int
    board: int
    text = "board {board} of round {round} has no result to correct"


@dataclass(eq=False)
class ResultHasChanged(RuleViolation):
    """The correction was made against another result than the one that stands."""

    round: int
    board: int
    was: str
    result: str
    text = "board {board} of round {round} has the result {result}, not {was}"


@dataclass(eq=False)
class NoSuchMoment(RuleViolation):
    """A time of the right shape that names no moment."""

    field: str
    detail: str
    text = "{field}: {detail}"


@dataclass(eq=False)
class ReportInTheFuture(RuleViolation):
    """A report cannot be made after it is recorded."""

    reported_at: str
    at: str
    text = "reported at {reported_at}, which is after {at}, the time of recording"


@dataclass(eq=False)
class ReportBeforeTheRecord(RuleViolation):
    """A correction cannot have been reported before the thing it corrects was recorded."""

    reported_at: str
    recorded_at: str
    text = "reported at {reported_at}, but what it corrects was recorded only at {recorded_at}"


@dataclass(eq=False)
class ConfirmationNeeded(RuleViolation):
    """A timely report typed after the close needs the chief arbiter."""

    reported_at: str
    closed_at: str
    text = (
        "reported at {reported_at}, before the close at {closed_at}, but recorded after it: "
        "the chief arbiter must confirm (confirmed_by)"
    )


@dataclass(eq=False)
class GamesUndecided(RuleViolation):
    """Games of the round have no result."""

    round: int
    boards: str
    text = "round {round} still has games without a result, on board(s) {boards}"


@dataclass(eq=False)
class VenuesSilent(RuleViolation):
    """A hall has not reported complete."""

    round: int
    venues: str
    text = "these venues have not reported round {round} complete: {venues}"


@dataclass(eq=False)
class UnknownVenue(RuleViolation):
    """No such hall in the announcement."""

    venue: str
    text = "no venue {venue!r} was announced"


@dataclass(eq=False)
class NotTheCutoff(RuleViolation):
    """The pairing was made from another cutoff than the one in force."""

    round: int
    cutoff: int
    in_force: int
    text = "the pairing of round {round} was made from cutoff {cutoff}, but {in_force} is in force"


@dataclass(eq=False)
class SealBroken(RuleViolation):
    """The pairing to publish is not the one that was sealed."""

    round: int
    detail: str
    text = "the pairing of round {round} is not the one that was sealed: {detail}"


@dataclass(eq=False)
class PairingIncomplete(RuleViolation):
    """Somebody who takes part is missing from the pairing, stands in it twice, or does not belong in it."""

    round: int
    players: str
    text = "the pairing of round {round} does not hold everybody who takes part exactly once: {players}"
