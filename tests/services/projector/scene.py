"""A store on a real server, tournaments in it, and projectors that look after them."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from events.facts import AnyFact
from services.gateway.commands import Commands
from services.pairing.engine import InlineEngine
from services.pairing.handler import PairingWorker
from services.projector.handler import Projector
from services.projector.keys import FIRST_GENERATION, current_key, view_keys
from services.projector.rebuild import Rebuild, Rebuilt
from services.projector.shelf import Shelf
from services.projector.views import RedisViews
from services.store import RedisStore, link
from services.store.connection import Connection
from services.store.keys import partition_of
from services.wallclock import wall_clock
from tests.projections.scenes import correct
from tests.services.pairing.by_order import ENGINE, by_order
from tests.services.pairing.scene import KEY, Arbiter, times_from
from tests.support.entries import REQUEST
from tests.support.ledger import Ledger, started

NUMBERS = range(1, 4)
FIXED = ("summary", "start-list", "standings", "cross-table", "integrity", "seal")

Hash = dict[bytes, bytes]


@dataclass
class Stage:
    """Everything that a test of the projector needs, on one store."""

    store: RedisStore
    connection: Connection
    given: int = field(default=0)

    def __post_init__(self) -> None:
        self.arbiter = Arbiter(self.store, wall_clock)
        self.pairing = PairingWorker(self.store, Commands(self.store), InlineEngine(ENGINE, by_order), KEY)
        self.views = RedisViews(self.connection, self.store.partitions)

    def projector(self, **options: int) -> Projector:
        """Return a projector that has just been started."""
        return Projector(self.store, Shelf(self.connection, self.store.partitions), **options)

    async def rebuild(self) -> Rebuilt:
        return await Rebuild(self.store, self.connection).run()

    async def put(self, ledger: Ledger, tournament: str = "t", *, upto: int | None = None) -> None:
        """Append what `ledger` has and the log has not, up to a version."""
        head = await self.store.head(tournament)
        facts = [named(entry.fact, tournament) for entry in ledger.history[head.version : upto]]
        if not facts:
            return
        self.given += 1
        cause = f"put-{self.given}"
        at = ledger.history[-1].at
        entries = link(facts, head, at=at, actor="test", cause=cause, request=REQUEST)
        await self.store.append(tournament, entries, expected=head, cause=cause, request=REQUEST)

    async def begin(self, tournament: str = "t", *, players: int = 4) -> None:
        """Announce a tournament and publish its first round."""
        await self.arbiter.enter(tournament, players=players, times=times_from(wall_clock(), 3))
        await self.arbiter.close_entries(tournament)
        await self.pairing.catch_up(tournament)

    async def go_on(self, round_: int, tournament: str = "t") -> None:
        """Play a round to its end and have the next one published."""
        await self.arbiter.end(round_, tournament)
        await self.pairing.catch_up(tournament)

    async def generation(self, tournament: str = "t") -> str:
        key = current_key(partition_of(tournament, self.store.partitions))
        shown = await self.connection.command("", "GET", key)
        return shown.decode() if shown else FIRST_GENERATION

    async def stored(self, tournament: str = "t") -> Hash:
        """Return everything that stands in the server of the views that are shown, checkpoint and etags too."""
        keys = view_keys(tournament, self.store.partitions, await self.generation(tournament))
        flat = await self.connection.command("", "HGETALL", keys.views)
        return dict(zip(flat[::2], flat[1::2], strict=True))

    async def told(self, tournament: str = "t") -> list[Any]:
        """Return the public stream, decoded, after checking that its ids and numbers are 1, 2, 3 …"""
        keys = view_keys(tournament, self.store.partitions, FIRST_GENERATION)
        rows = await self.connection.command("", "XRANGE", keys.public, "-", "+")
        messages = [msgspec.json.decode(fields[1]) for _, fields in rows]
        assert [entry_id.decode() for entry_id, _ in rows] == [f"{n}-0" for n in range(1, len(rows) + 1)]
        assert [message["n"] for message in messages] == list(range(1, len(rows) + 1))
        return messages

    async def keys(self) -> set[str]:
        return {key.decode() for key in await self.connection.command("", "KEYS", "*:view:*")}


def named(fact: AnyFact, tournament: str) -> AnyFact:
    return msgspec.structs.replace(fact, tournament=tournament) if hasattr(fact, "tournament") else fact


def some_ledger(rounds: int = 3) -> Ledger:
    """Return a tournament of four players: two rounds published, a result corrected after its window."""
    ledger = started(4, ("p1", "p2"), ("p4", "p3"), rounds=rounds)
    ledger.record(1, "1-0", "1/2-1/2")
    ledger.close(1)
    ledger.publish(2, ("p3", "p1"), ("p2", "p4"))
    ledger.record(2, "0-1")
    correct(ledger, 1, 2, "1-0")
    return ledger
