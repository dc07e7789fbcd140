"""A store in memory with a clock that stands still, tournaments in it, and workers that look after them."""

from dataclasses import dataclass, field
from typing import TypeVar

from events.envelope import decode
from events.facts import AnyFact, Colour, GameResult, RoundTimes
from rules.commands import (
    AnnounceTournament,
    AnyCommand,
    CloseAppealWindow,
    ConfirmPresence,
    DrawLots,
    FixNumbers,
    PostResults,
    RecordResult,
    RegisterPlayer,
    SetTimetable,
)
from rules.instants import instant, milliseconds
from services.gateway.commands import Answer, Commands, Order
from services.pairing.engine import InlineEngine
from services.pairing.handler import PairingWorker
from services.pairing.work import Pair
from services.store import EventStore, MemoryStore
from services.wallclock import Clock
from tests.services.pairing.by_order import ENGINE, by_order
from tests.support.ledger import PERSON, timetable

F = TypeVar("F")

KEY = bytes(range(32))
OTHER_KEY = bytes(32)
FIRST_PUBLISHED = "2026-10-05T09:00:00Z"


@dataclass
class FakeClock:
    """Milliseconds since 1970, moved by the test alone."""

    now: int = milliseconds("2026-10-05T08:00:00Z")

    def __call__(self) -> int:
        return self.now

    def set(self, moment: str) -> None:
        self.now = milliseconds(moment)


@dataclass
class Arbiter:
    """Gives commands to the tournaments of a store, each under an id of its own."""

    store: EventStore
    clock: Clock
    given: int = 0

    def __post_init__(self) -> None:
        self.commands = Commands(self.store, self.clock)

    async def do(self, tournament: str, *commands: AnyCommand) -> Answer:
        for command in commands:
            self.given += 1
            order = Order(id=f"a{self.given}", actor="arbiter")
            answer = await self.commands.carry_out(tournament, command, order)
        return answer

    async def enter(
        self, tournament: str = "t", *, players: int = 4, rounds: int = 3, times: SetTimetable | None = None
    ) -> None:
        """Announce a tournament, with players p1, p2, … present and numbered."""
        names = tuple(f"p{number}" for number in range(1, players + 1))
        await self.do(
            tournament,
            AnnounceTournament(tournament=tournament, name="Test", rounds=rounds),
            times or timetable(rounds),
            DrawLots(initial_colour=Colour.WHITE),
            *(RegisterPlayer(player=name, person=PERSON) for name in names),
            *(ConfirmPresence(player=name) for name in names),
            FixNumbers(for_round=1, players=names),
        )

    async def close_entries(self, tournament: str = "t") -> None:
        await self.do(tournament, CloseAppealWindow(round=0))

    async def play(self, round_: int, tournament: str = "t") -> None:
        """Record a draw on every board of the round and post the results."""
        boards = (await self.commands.state(tournament)).state.round(round_).boards
        for number, board in enumerate(boards, start=1):
            command = RecordResult(
                round=round_, board=number, white=board.white, black=board.black, result=GameResult.DRAW
            )
            await self.do(tournament, command)
        await self.do(tournament, PostResults(round=round_))

    async def end(self, round_: int, tournament: str = "t") -> None:
        """Play the round and close its window, whatever the hour."""
        await self.play(round_, tournament)
        await self.do(tournament, CloseAppealWindow(round=round_, override="the test will not wait"))


@dataclass
class Scene:
    """Everything in memory."""

    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        self.store = MemoryStore(clock=self.clock, server_clock=self.clock)
        self.arbiter = Arbiter(self.store, self.clock)

    def worker(self, pair: Pair = by_order, *, key: bytes = KEY, engine: str = ENGINE) -> PairingWorker:
        """Return a worker that has just been started."""
        commands = Commands(self.store, self.clock)
        return PairingWorker(self.store, commands, InlineEngine(engine, pair), key, self.clock)


async def facts(store: EventStore, kind: type[F], tournament: str = "t") -> list[F]:
    """Return the facts of a kind in the log, oldest first."""
    return [fact for fact in await all_facts(store, tournament) if isinstance(fact, kind)]


async def all_facts(store: EventStore, tournament: str = "t") -> list[AnyFact]:
    entries = await store.read(tournament)
    return [decode(entry, version).fact for version, entry in enumerate(entries, start=1)]


def times_from(now_ms: int, rounds: int, first_in_s: float = 0.0) -> SetTimetable:
    """Return a timetable whose rounds are all published `first_in_s` seconds from now, and end at once."""
    moment = instant(now_ms + round(first_in_s * 1000))
    return SetTimetable(
        rounds=tuple(
            RoundTimes(
                round=number,
                published=moment,
                start=moment,
                end=moment,
                results_posted=moment,
                appeals_close=moment,
            )
            for number in range(1, rounds + 1)
        ),
        appeal_minutes=0,
        final_appeal=moment,
    )
