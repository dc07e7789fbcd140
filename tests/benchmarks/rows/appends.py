"""Durable appends: an event counts when the disk has it.

Ours: 64 writers in one process, each with a tournament of its own, one event an append, on a Valkey with `appendfsync
always`; an append makes the canonical bytes, the hash chain and the checks of the script. Baseline: pyeventsourcing
with its one writer, one event a transaction, on SQLite with `synchronous=FULL`, the file on the same disk. For comparison
also one writer of ours, and 64 who decide their commands first, as the gateway does.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from time import perf_counter

from events.facts import PresenceConfirmed
from rules.commands import AnnounceTournament, RegisterPlayer
from rules.instants import instant
from services.gateway.commands import Commands, Order
from services.server import Server
from services.store import EMPTY, EventStore, RedisStore, link
from services.store.port import now_ms
from tests.benchmarks.bench import Bench
from tests.benchmarks.measuring import duel, times
from tests.benchmarks.paper import REQUEST
from tests.benchmarks.peer_process import ABSENT, Peer, peer
from tests.benchmarks.table import Row
from tests.support.ledger import PERSON

WRITERS = 64
TARGET = 2.0


async def rows(bench: Bench) -> list[Row]:
    """Time appends."""
    room = bench.room("appends")
    with Server(room / "server") as server:
        store = await RedisStore.open(server.url)
        async with peer(room) as other:
            found = await _rows(bench.scale.appends, bench.scale.runs, _Writers(store), other)
        await store.close()
    return found


async def _rows(count: int, runs: int, writers: "_Writers", other: Peer | None) -> list[Row]:
    one = partial(writers.append, 1, 4 * count)
    many = partial(writers.append, WRITERS, count)
    deciding = partial(writers.decide, WRITERS, count)
    rows = []
    if other is None:
        await many()
        rows.append(_row("append", await many(), ABSENT, TARGET))
    else:
        ours, theirs = await duel(many, partial(other.ask, "append", 4 * count), runs)
        rows.append(
            _row("append", ours, f"{theirs:.0f} events/s, one writer, pyeventsourcing", TARGET, theirs)
        )
        ours, theirs = await duel(deciding, partial(other.ask, "append", 4 * count), runs)
        rows.append(_row("decide and append", ours, f"{theirs:.0f} events/s, the same", None, theirs))
    ours, alone = await duel(many, one, runs)
    rows.append(_row("append", ours, f"{alone:.0f} events/s, one writer of ours", None, alone))
    return rows


def _row(does: str, ours: float, baseline: str, target: float | None, theirs: float | None = None) -> Row:
    return Row(
        what=f"durable: {WRITERS} writers {does}",
        figure=f"{ours:.0f} events/s",
        baseline=baseline,
        ratio=times(ours / theirs) if theirs else "",
        target=f"≥ {target:.0f} ×" if target else "",
        met=ours / theirs >= target if theirs and target else None,
    )


class _Writers:
    """Writers on tournaments that are new in each run."""

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._run = 0

    async def append(self, writers: int, count: int) -> float:
        """Return at how many events a second `writers` append `count` each."""
        names = self._names(writers)
        start = perf_counter()
        await asyncio.gather(*(self._append(name, count) for name in names))
        return writers * count / (perf_counter() - start)

    async def decide(self, writers: int, count: int) -> float:
        """Return at how many events a second `writers` have as many commands carried out."""
        commands, names = Commands(self._store), self._names(writers)
        for name in names:
            announce = AnnounceTournament(tournament=name, name="Appends", rounds=9)
            await commands.carry_out(name, announce, Order(id="announce", actor="bench"))
        start = perf_counter()
        await asyncio.gather(*(self._decide(commands, name, count) for name in names))
        return writers * count / (perf_counter() - start)

    def _names(self, writers: int) -> Sequence[str]:
        self._run += 1
        return [f"run-{self._run}-{writer}" for writer in range(writers)]

    async def _append(self, tournament: str, count: int) -> None:
        head, fact = EMPTY, PresenceConfirmed(player="p1")
        for number in range(count):
            cause = f"c{number}"
            entries = link([fact], head, at=instant(now_ms()), actor="bench", cause=cause, request=REQUEST)
            await self._store.append(tournament, entries, expected=head, cause=cause, request=REQUEST)
            head = head.after(entries[0])

    async def _decide(self, commands: Commands, tournament: str, count: int) -> None:
        for number in range(count):
            command = RegisterPlayer(player=f"p{number}", person=PERSON)
            await commands.carry_out(tournament, command, Order(id=f"c{number}", actor="bench"))
