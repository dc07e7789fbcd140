"""Replay: from a log in the store to the state that commands are decided from, as the gateway does it.

Ours: the entries are read from a durable Valkey, their hash chain is verified, they are decoded with types and folded
into the state. Baseline: pyeventsourcing gets an aggregate of the same facts, in as many events, from SQLite (file in
the page cache); it verifies nothing. Both keep no snapshot and nothing from the time before, both have Python's own
settings for garbage collection. For comparison also the fold alone, from bytes in memory, beside their bare decoding.
"""

import gc
from functools import partial
from time import perf_counter

import msgspec

from rules.state import Tournament, replay
from services.server import Server
from services.store import EventStore, RedisStore
from services.store.port import EMPTY
from services.store.reader import Reader, decoded
from tests.benchmarks import paper
from tests.benchmarks.bench import Bench
from tests.benchmarks.measuring import duel, median_s, times
from tests.benchmarks.peer_process import ABSENT, Peer, peer
from tests.benchmarks.table import Row

TARGET = 4.0
T = "replayed"


async def rows(bench: Bench) -> list[Row]:
    """Time the replay of a whole tournament."""
    room = bench.room("replay")
    facts = paper.played(bench.scale.replay_players, bench.scale.replay_rounds)
    file = room / "facts.jsonl"
    file.write_bytes(b"".join(msgspec.json.encode(fact) + b"\n" for fact in facts))
    with Server(room / "server") as server:
        store = await RedisStore.open(server.url)
        async with peer(room) as other:
            await paper.put(store, T, facts)
            gc.collect()
            gc.freeze()  # what the harness itself keeps is no part of the work
            found = [
                await _whole(bench, store, other, len(facts), file.as_posix()),
                await _fold(bench, store),
            ]
        await store.close()
    return found


async def _whole(bench: Bench, store: EventStore, other: Peer | None, count: int, file: str) -> Row:
    what = f"replay of {count} events from the store"
    if other is None:
        ours = [await _replayed(store) for _ in range(bench.scale.runs + 1)][-1]
        return Row(what=what, figure=_rate(count, ours), baseline=ABSENT, target=f"≥ {TARGET:.0f} ×")
    assert await other.ask("load", file) == count
    ours, theirs = await duel(partial(_replayed, store), partial(other.ask, "replay"), 2 * bench.scale.runs)
    return Row(
        what=what,
        figure=_rate(count, ours),
        baseline=f"{_rate(count, theirs)}, pyeventsourcing",
        ratio=times(theirs / ours),
        target=f"≥ {TARGET:.0f} ×",
        met=theirs / ours >= TARGET,
    )


async def _replayed(store: EventStore) -> float:
    start = perf_counter()
    copy = await Reader(store, Tournament(), replay).catch_up(T)
    took = perf_counter() - start
    assert copy.state.published_rounds > 0
    return took


async def _fold(bench: Bench, store: EventStore) -> Row:
    entries = await store.read(T)

    def fold() -> None:
        replay(decoded(T, entries, EMPTY))

    ours = median_s(fold, bench.scale.runs)
    bare = median_s(lambda: [msgspec.json.decode(entry) for entry in entries], bench.scale.runs)
    return Row(
        what=f"fold of {len(entries)} events in memory",
        figure=_rate(len(entries), ours),
        baseline=f"{_rate(len(entries), bare)}, their JSON decoded alone",
        ratio=times(bare / ours),
    )


def _rate(count: int, took_s: float) -> str:
    return f"{took_s * 1000:.1f} ms, {count / took_s / 1000:.0f}k events/s"
