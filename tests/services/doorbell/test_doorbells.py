"""FastStream's traps, one by one, on a real server."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import redis
from faststream.redis.subscriber.usecases import stream_subscriber
from structlog.testing import capture_logs

from services.doorbell.doorbells import BATCH_MAX, Doorbells, FeedFormat
from services.server import Server
from services.store.keys import feed_key
from tests.services.pairing.live import until

FEED = feed_key(0)
GROUP = "pairing"


class Visits:
    """Counts who is visited; `answer` says what comes of it."""

    def __init__(self, answer: Callable[[str, int], bool] = lambda _name, _count: True) -> None:
        self.count: Counter[str] = Counter()
        self.versions: list[tuple[str, int]] = []
        self.answer = answer

    async def __call__(self, tournament: str, version: int) -> bool:
        self.count[tournament] += 1
        self.versions.append((tournament, version))
        return self.answer(tournament, self.count[tournament])

    async def wait(self, tournament: str, count: int = 1) -> None:
        async def visited() -> bool:
            return self.count[tournament] >= count

        await until(visited, f"{tournament} is visited")


@asynccontextmanager
async def listening(
    server: Server, visits: Visits, *, partitions: int = 1, claim_idle_ms: int = 30_000, url: str = ""
) -> AsyncIterator[Doorbells]:
    doorbells = Doorbells(url or server.url, partitions, visits, group=GROUP, claim_idle_ms=claim_idle_ms)
    task = asyncio.create_task(doorbells.run())
    yield doorbells
    assert not task.done(), task.exception()
    task.cancel()
    await asyncio.wait({task})


@pytest.fixture
def client(server: Server) -> redis.Redis:
    return redis.Redis.from_url(server.url)


def ring(client: redis.Redis, tournament: str, feed: str = FEED) -> None:
    client.xadd(feed, {"tournament": tournament, "v": "1"})


def pending(client: redis.Redis, feed: str = FEED) -> int:
    return int(client.xpending(feed, GROUP)["pending"])


async def all_answered(client: redis.Redis) -> None:
    async def answered() -> bool:
        return pending(client) == 0

    await until(answered, "nothing is pending")


def commands_processed(client: redis.Redis) -> int:
    return int(client.info("stats")["total_commands_processed"])


async def test_what_rang_before_the_group_was_made_is_heard(server: Server, client: redis.Redis) -> None:
    ring(client, "early")
    visits = Visits()

    async with listening(server, visits):
        await visits.wait("early")
        ring(client, "late")
        await visits.wait("late")
        await all_answered(client)


async def test_what_a_dead_worker_left_is_claimed(server: Server, client: redis.Redis) -> None:
    client.xgroup_create(FEED, GROUP, id="0", mkstream=True)
    for name in ("a", "b", "c"):
        ring(client, name)
    client.xreadgroup(GROUP, "dead", {FEED: ">"}, count=2)
    visits = Visits()

    async with listening(server, visits, claim_idle_ms=50):
        for name in ("a", "b", "c"):
            await visits.wait(name)
        await all_answered(client)


async def test_a_visit_to_be_repeated_is_repeated_and_the_others_are_not_held_up(
    server: Server, client: redis.Redis
) -> None:
    visits = Visits(lambda name, count: name != "down" or count > 2)

    async with listening(server, visits, claim_idle_ms=50):
        ring(client, "down")
        await visits.wait("down")
        ring(client, "up")
        await visits.wait("up")
        await visits.wait("down", 3)
        await all_answered(client)


async def test_after_a_visit_that_raises_the_next_doorbell_is_heard_and_the_first_again(
    server: Server, client: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    def fails_first(name: str, count: int) -> bool:
        assert name != "odd" or count > 1
        return True

    visits = Visits(fails_first)

    async with listening(server, visits, claim_idle_ms=50):
        ring(client, "odd")
        await visits.wait("odd")
        ring(client, "even")
        await visits.wait("even")
        await visits.wait("odd", 2)
        await all_answered(client)
    assert "AssertionError" in caplog.text


Field = str | bytes | bytearray | memoryview | int | float  # what the client can send

GARBAGE: list[dict[Field, Field]] = [
    {"data": "hello"},
    {"data": '{"data": "hello", "headers": {}}'},
    {"__data__": b"\x89BIN\x0d\x0a\x1a\x0a\x00\x01"},
    {"__data__": '{"tournament": "inside"}'},
    {b"\xff\xfe": b"\x93\x01\x02\xc3", "more": b"\x00\xff"},
    {"tournament": "Müller-Žižka"},
    {"tournament": b"\xff\xff"},
    {"tournament": ""},
    {"tournament": "x" * 1_000_000},
    {"tournament": "good", "data": "hello", b"\xff": b"\xff"},
]


async def test_whatever_stands_in_a_feed_is_answered_and_blocks_nobody(
    server: Server, client: redis.Redis
) -> None:
    for fields in GARBAGE:
        client.xadd(FEED, fields)
    ring(client, "next")
    visits = Visits()

    with capture_logs() as logs:
        async with listening(server, visits):
            await visits.wait("next")
            await all_answered(client)

    assert set(visits.count) == {"good", "next"}
    assert [line["entries"] for line in logs if line["event"] == "doorbell_unreadable"] == [9]


async def test_a_visit_is_told_the_highest_version_of_the_batch_and_nothing_when_one_is_not_known(
    server: Server, client: redis.Redis
) -> None:
    for tournament, version in [("t", "7"), ("u", "3"), ("t", "9"), ("t", "8"), ("u", "x"), ("u", "4")]:
        client.xadd(FEED, {"tournament": tournament, "v": version})
    client.xadd(FEED, {"tournament": "w"})
    client.xadd(FEED, {"tournament": "x", "v": "9" * 400})
    visits = Visits()

    async with listening(server, visits):
        await visits.wait("x")

    assert visits.versions == [("t", 9), ("u", 0), ("w", 0), ("x", 0)]


async def test_nothing_is_published_in_this_format() -> None:
    with pytest.raises(NotImplementedError):
        await FeedFormat.encode(message=b"")


async def test_a_backlog_is_taken_in_batches(server: Server, client: redis.Redis) -> None:
    for number in range(2 * BATCH_MAX + 50):
        ring(client, f"t{number}")
    most = 0

    def look(_name: str, _count: int) -> bool:
        nonlocal most
        most = max(most, pending(client))
        return True

    visits = Visits(look)
    async with listening(server, visits):
        await visits.wait(f"t{2 * BATCH_MAX + 49}")
        await all_answered(client)

    assert most <= BATCH_MAX
    assert set(visits.count.values()) == {1}


@pytest.mark.parametrize("gone", ["group", "stream", "everything"])
async def test_a_group_or_a_stream_that_vanishes_is_made_again(
    server: Server, client: redis.Redis, gone: str
) -> None:
    visits = Visits()
    async with listening(server, visits):
        ring(client, "before")
        await visits.wait("before")

        match gone:
            case "group":
                client.xgroup_destroy(FEED, GROUP)
            case "stream":
                client.delete(FEED)
            case _:
                client.flushall()
        ring(client, "after")

        await visits.wait("after")


async def test_a_feed_of_another_type_silences_its_partition_alone_without_a_hot_loop(
    server: Server, client: redis.Redis
) -> None:
    client.set(FEED, "foreign")
    visits = Visits()

    with capture_logs() as logs:
        async with listening(server, visits, partitions=2):
            ring(client, "other", feed_key(1))
            await visits.wait("other")
            before = commands_processed(client)
            await asyncio.sleep(1.5)
            assert commands_processed(client) - before < 30
            client.delete(FEED)
            ring(client, "again")
            await visits.wait("again")

    silent = [line for line in logs if line["event"] == "doorbell_silent"]
    assert 1 <= len(silent) <= 4
    assert all(line["feed"] == FEED and "WRONGTYPE" in line["reason"] for line in silent)


@pytest.mark.parametrize("forbidden", ["-xreadgroup", "-xautoclaim", "-xack", "-xinfo|consumers"])
async def test_a_missing_permission_makes_no_hot_loop(
    server: Server, client: redis.Redis, forbidden: str
) -> None:
    client.execute_command("ACL", "SETUSER", "w", "reset", "on", ">pw", "~*", "+@all", forbidden)  # type: ignore[no-untyped-call] # redis-py has no types for it
    visits = Visits()
    ring(client, "t")

    async with listening(server, visits, url=f"{server.url}&username=w&password=pw"):
        await asyncio.sleep(0.3)
        before = commands_processed(client)
        await asyncio.sleep(1.0)
        assert commands_processed(client) - before < 40
        client.execute_command("ACL", "SETUSER", "w", "+@all")  # type: ignore[no-untyped-call] # the same
        await visits.wait("t")
    client.execute_command("ACL", "DELUSER", "w")  # type: ignore[no-untyped-call] # the same


async def test_many_partitions_fit_the_pool(server: Server, client: redis.Redis) -> None:
    visits = Visits()

    async with listening(server, visits, partitions=64):
        for partition in (0, 31, 63):
            ring(client, f"t{partition}", feed_key(partition))
        for partition in (0, 31, 63):
            await visits.wait(f"t{partition}")


async def test_an_end_in_the_middle_of_the_start_is_heeded(server: Server) -> None:
    for naps in range(12):
        task = asyncio.create_task(Doorbells(server.url, 16, Visits(), group=GROUP).run())
        for _ in range(3 * naps):
            await asyncio.sleep(0.002)  # how far the start gets is the point

        task.cancel()

        done, _ = await asyncio.wait({task}, timeout=10)
        assert done, f"it goes on after {naps} naps"


async def test_two_workers_are_two_consumers_and_each_doorbell_is_heard_once(
    server: Server, client: redis.Redis
) -> None:
    visits = Visits()

    async with listening(server, visits), listening(server, visits):
        for number in range(20):
            ring(client, f"t{number}")
        await visits.wait("t19")
        await all_answered(client)
        consumers = client.xinfo_consumers(FEED, GROUP)

    assert len(consumers) == 2
    assert set(visits.count.values()) == {1}


async def test_a_server_that_was_away_is_listened_to_again(
    server: Server, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream_subscriber, "CONSUME_ERROR_BACKOFF_SECONDS", 0.2)
    visits = Visits()
    async with listening(server, visits, claim_idle_ms=100):  # the first may be answered to nobody
        ring(client, "before")
        await visits.wait("before")

        server.stop()
        await asyncio.sleep(0.3)
        server.start()
        ring(client, "after")

        await visits.wait("after")
        await all_answered(client)
