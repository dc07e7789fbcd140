"""Copies in memory: the same state however it was reached, and no copy of a history that changed."""

import asyncio
from collections.abc import Iterable

import pytest

from events.envelope import Recorded
from services.store import EMPTY, Head, LogBroken, MemoryStore
from services.store.reader import Reader
from tests.support.entries import T, put

State = tuple[int, ...]


NOTHING: State = ()


def fold(history: Iterable[Recorded], state: State) -> State:
    return (*state, *(recorded.v for recorded in history))


@pytest.fixture
def memory() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def reader(memory: MemoryStore) -> Reader[State]:
    return Reader(memory, NOTHING, fold)


async def test_a_copy_catches_up_with_what_was_appended(memory: MemoryStore, reader: Reader[State]) -> None:
    assert (await reader.catch_up(T)).head == EMPTY
    await put(memory, "c1", 2)
    assert (await reader.catch_up(T)).state == (1, 2)
    await put(memory, "c2", 3)

    copy = await reader.catch_up(T)

    assert copy.state == (1, 2, 3, 4, 5)
    assert copy.head == await memory.head(T)
    assert copy == await Reader(memory, NOTHING, fold).catch_up(T)


async def test_what_was_read_is_not_read_again(memory: MemoryStore) -> None:
    seen: list[int] = []

    def note(history: Iterable[Recorded], _: None) -> None:
        seen.extend(recorded.v for recorded in history)

    reader = Reader(memory, None, note)
    await put(memory, "c1", 2)
    await reader.catch_up(T)
    await put(memory, "c2", 2)

    await asyncio.gather(*(reader.catch_up(T) for _ in range(5)))

    assert seen == [1, 2, 3, 4]


@pytest.mark.parametrize("version", range(6))
async def test_the_state_at_a_version_is_that_of_the_log_up_to_it(
    memory: MemoryStore, reader: Reader[State], version: int
) -> None:
    await put(memory, "c1", 3)
    await reader.catch_up(T)
    await put(memory, "c2", 2)

    assert (await reader.at(T, version)).state == tuple(range(1, version + 1))
    assert (await reader.catch_up(T)).state == (1, 2, 3, 4, 5)


async def test_a_version_that_the_log_has_not_reached_is_refused(
    memory: MemoryStore, reader: Reader[State]
) -> None:
    await put(memory)

    with pytest.raises(LogBroken, match="version 2 was asked for"):
        await reader.at(T, 2)


async def test_a_copy_of_a_log_that_was_exchanged_is_not_carried_on(
    memory: MemoryStore, reader: Reader[State]
) -> None:
    await put(memory, "c1", 2)
    await reader.catch_up(T)
    del memory._logs[T]
    await put(memory, "c2", 3)

    with pytest.raises(LogBroken):
        await reader.catch_up(T)
    reader.forget(T)
    assert (await reader.catch_up(T)).state == (1, 2, 3)


async def test_an_exchanged_log_is_noticed_where_a_copy_of_the_old_one_would_be_carried_on_to_a_version(
    memory: MemoryStore, reader: Reader[State]
) -> None:
    await put(memory, "c1", 2)
    await reader.catch_up(T)
    del memory._logs[T]
    await put(memory, "c2", 4)

    with pytest.raises(LogBroken, match="does not follow") as refusal:
        await reader.at(T, 3)
    assert refusal.value.version == 3


async def test_an_entry_of_a_kind_that_we_do_not_know_is_named(
    memory: MemoryStore, reader: Reader[State]
) -> None:
    await put(memory, "c1", 2)
    log = memory._logs[T]
    log.entries[1] = log.entries[1].replace(b"presence-confirmed", b"presence-dreamt-of")
    log.head = EMPTY.after(log.entries[0]).after(log.entries[1])

    with pytest.raises(LogBroken, match="presence-dreamt-of") as refusal:
        await reader.catch_up(T)
    assert refusal.value.version == 2


async def test_only_so_many_copies_are_kept(memory: MemoryStore) -> None:
    reader = Reader(memory, NOTHING, fold, copies_max=2)
    for name in ("a", "b", "c"):
        await put(memory, tournament=name)
        await reader.catch_up(name)

    assert set(reader._copies) == {"b", "c"}
    assert (await reader.catch_up("a")).state == (1,)


async def test_what_one_appended_oneself_is_not_read_back() -> None:
    asked = 0

    class Asked(MemoryStore):
        async def since(self, tournament: str, known: Head) -> list[bytes]:
            nonlocal asked
            asked += 1
            return await super().since(tournament, known)

    store = Asked()
    reader = Reader(store, NOTHING, fold)
    await put(store, "c1", 2)
    known = await reader.catch_up(T)
    await put(store, "c2", 2)

    reader.follow(T, known, await store.read(T, 2))

    copy = reader.known(T)
    assert copy is not None
    assert (copy.state, copy.head, asked) == ((1, 2, 3, 4), await store.head(T), 1)
    reader.follow(T, known, (await store.read(T, 2))[:1])  # late: it was overtaken
    assert reader.known(T) == copy
    assert reader.known("another") is None
