"""By which hand a play gives its commands: to the log directly here; over HTTP in `over_http`."""

from typing import Protocol

from rules.commands import AnyCommand, RegisterPlayer
from services.gateway.commands import Commands, Order, Person
from services.gateway.effects import in_words


class Hand(Protocol):
    """Gives commands to one tournament. `name` makes a command safe to give again.

    All raise `RuleViolation` or `Refused` when it is refused, and `CommandClash` when the name stands for another.
    """

    async def give(self, command: AnyCommand, name: str, reported_at: str | None = None) -> None:
        """Have a command carried out."""

    async def enter(self, command: RegisterPlayer, person: Person, name: str) -> None:
        """Have a player entered, who has no commitment yet."""

    async def foretell(self, command: AnyCommand, name: str, reported_at: str | None = None) -> str:
        """Return what a command would change, in a sentence; empty when it was carried out before."""


class Refused(Exception):
    """The gateway refused a command; its reason is the message."""


class Unanswered(Exception):
    """The gateway does not answer."""


class LogHand:
    """Gives commands to the log directly."""

    def __init__(self, commands: Commands, tournament: str, actor: str) -> None:
        self._commands = commands
        self._tournament = tournament
        self._actor = actor

    async def give(self, command: AnyCommand, name: str, reported_at: str | None = None) -> None:
        """Have a command carried out."""
        await self._commands.carry_out(self._tournament, command, self._order(name, reported_at))

    async def enter(self, command: RegisterPlayer, person: Person, name: str) -> None:
        """Have a player entered."""
        await self._commands.register(self._tournament, command, person, self._order(name))

    async def foretell(self, command: AnyCommand, name: str, reported_at: str | None = None) -> str:
        """Return what a command would change."""
        published = (await self._commands.state(self._tournament)).state.published_rounds
        answer = await self._commands.rehearse(self._tournament, command, self._order(name, reported_at))
        return in_words(answer.facts, published)

    def _order(self, name: str, reported_at: str | None = None) -> Order:
        return Order(id=name, actor=self._actor, reported_at=reported_at)
