"""Many writers at one log, and writers whose server dies under them."""

import asyncio
import random
from collections import Counter

import pytest

from events.envelope import decode
from services.server import Server
from services.store import Appended, EventStore, RedisStore, StoreUnreachable, VersionConflict
from services.store.reader import Reader
from tests.support.entries import REQUEST, T, batch, put

WRITERS = 8
COMMANDS = 25


async def write_all(store: EventStore, writer: int, count: int) -> dict[str, Appended]:
    """Carry out `count` commands of one or two entries each, deciding again whenever somebody was faster."""
    reader = Reader(store, 0, lambda history, number: number + sum(1 for _ in history))
    answers: dict[str, Appended] = {}
    for number in range(count):
        cause = f"w{writer}-{number}"
        while cause not in answers:
            head = (await reader.catch_up(T)).head
            entries = batch(head, cause, 1 + number % 2)
            try:
                answers[cause] = await store.append(T, entries, expected=head, cause=cause, request=REQUEST)
            except VersionConflict:
                continue
    return answers


async def assert_each_once(store: EventStore, answers: dict[str, Appended]) -> None:
    """Assert that the log holds exactly what was answered, each command at its versions."""
    log = [decode(entry, version) for version, entry in enumerate(await store.read(T), start=1)]
    for cause, answer in answers.items():
        assert [entry.v for entry in log if entry.cause == cause] == list(
            range(answer.first, answer.last + 1)
        )
    assert set(answers) == {entry.cause for entry in log}
    assert len(log) == sum(answer.last - answer.first + 1 for answer in answers.values())


async def test_eight_writers_racing_leave_every_event_once_and_no_gap(server: Server) -> None:
    stores = [await RedisStore.open(server.url) for _ in range(WRITERS)]

    answers = await asyncio.gather(*(write_all(store, i, COMMANDS) for i, store in enumerate(stores)))

    together = {cause: answer for each in answers for cause, answer in each.items()}
    assert len(together) == WRITERS * COMMANDS
    await assert_each_once(stores[0], together)
    for store in stores:
        await store.close()


async def test_the_same_command_sent_by_eight_at_once_is_carried_out_once(server: Server) -> None:
    stores = [await RedisStore.open(server.url) for _ in range(WRITERS)]

    answers = await asyncio.gather(*(put(store, "seal:1:17", 2) for store in stores))

    assert Counter(answers) == {
        Appended(1, 2, duplicate=False): 1,
        Appended(1, 2, duplicate=True): WRITERS - 1,
    }
    for store in stores:
        await store.close()


async def test_writers_go_on_when_the_server_is_killed_and_comes_back(server: Server) -> None:
    stores = [await RedisStore.open(server.url) for _ in range(4)]
    writing = [asyncio.create_task(write_all(store, i, COMMANDS)) for i, store in enumerate(stores)]
    for _ in range(3):
        await asyncio.sleep(0.05)
        await asyncio.to_thread(server.kill)
        await asyncio.sleep(0.05)
        await asyncio.to_thread(server.start)

    answers = await asyncio.gather(*writing)

    together = {cause: answer for each in answers for cause, answer in each.items()}
    assert len(together) == 4 * COMMANDS
    await assert_each_once(stores[0], together)
    for store in stores:
        await store.close()


async def test_a_writer_that_is_cancelled_in_the_middle_leaves_no_answer_to_the_next(server: Server) -> None:
    store = await RedisStore.open(server.url)
    chance = random.Random(64)
    for number in range(100):
        task = asyncio.create_task(put(store, f"c{number}"))
        await asyncio.sleep(chance.random() * 0.002)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

        head = await store.head(T)
        assert len(await store.read(T)) == head.version
        assert await store.outcome(T, "never") is None
        assert await store.heads() == ({T: head.version} if head.version else {})
    await store.close()


async def test_a_server_that_stays_away_is_reported_and_not_waited_for_for_ever(server: Server) -> None:
    store = await RedisStore.open(server.url)
    store._connection.patience_s = 0.3
    server.kill()

    with pytest.raises(StoreUnreachable, match=r"server\.sock"):
        await put(store)

    await store.close()
