"""What operators see: how far the services are, what is set aside, and that nobody else sees it."""

import asyncio
import resource
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.doorbell.parking import Parked, RedisParking
from services.gateway.metrics import Metrics
from services.gateway.observation import GroupSeen, PartitionSeen, look, refusal
from services.gateway.tokens import new_token
from services.server import Server
from services.store import RedisStore, StoreRefused
from services.store.connection import Connection
from services.store.keys import feed_key
from tests.services.gateway.scene import House, Process, problem
from tests.services.pairing.live import until
from tests.support.entries import put

FEED = feed_key(0)


@pytest.fixture
async def connection(server: Server) -> AsyncIterator[Connection]:
    opened = Connection(server.url, 5.0, patience_s=0)
    yield opened
    await opened.close()


async def test_a_service_that_never_listened_is_not_seen(store: RedisStore, connection: Connection) -> None:
    assert await look(connection, store.partitions) == [
        PartitionSeen(partition=0, groups={}, parked={"pairing": 0, "projector": 0})
    ]


async def test_what_a_service_was_not_given_and_has_not_answered_is_seen_with_its_age(
    store: RedisStore, connection: Connection
) -> None:
    await put(store, "c1", 1)
    await connection.command(FEED, "XGROUP", "CREATE", FEED, "pairing", "0")
    await connection.command(FEED, "XGROUP", "CREATE", FEED, "somebody", "0")
    await asyncio.sleep(0.05)
    [before] = await look(connection, 1)

    await connection.command(FEED, "XREADGROUP", "GROUP", "pairing", "me", "COUNT", 1, "STREAMS", FEED, ">")
    await put(store, "c2", 1)
    [after] = await look(connection, 1)

    assert before.groups.keys() == {"pairing"}
    assert (before.groups["pairing"].lag, before.groups["pairing"].pending) == (1, 0)
    assert (after.groups["pairing"].lag, after.groups["pairing"].pending) == (1, 1)
    assert 0.05 <= before.groups["pairing"].oldest_s <= after.groups["pairing"].oldest_s < 20


async def test_what_is_answered_is_not_waited_for(store: RedisStore, connection: Connection) -> None:
    await put(store, "c1", 1)
    await connection.command(FEED, "XGROUP", "CREATE", FEED, "projector", "$")

    [seen] = await look(connection, store.partitions)

    assert seen.groups == {"projector": GroupSeen(lag=0, pending=0, oldest_s=0.0)}


async def test_what_is_set_aside_is_counted(store: RedisStore, connection: Connection) -> None:
    await RedisParking(connection, 1, "pairing").park("t", Parked(version=1, engine="e", reason="r"))

    [seen] = await look(connection, store.partitions)

    assert seen.parked == {"pairing": 1, "projector": 0}


async def test_a_server_whose_memory_is_full_is_seen(connection: Connection) -> None:
    assert await refusal(connection) == ""

    await connection.command("", "CONFIG", "SET", "maxmemory", "1")
    try:
        assert await refusal(connection) == "its memory is full"
    finally:
        await connection.command("", "CONFIG", "SET", "maxmemory", "0")


async def test_a_server_that_goes_on_without_its_file_is_seen(
    server: Server, store: RedisStore, connection: Connection
) -> None:
    assert server.pid is not None
    limits = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    await connection.command("", "CONFIG", "SET", "appendfsync", "everysec")  # with "always" it would end
    size = max(file.stat().st_size for file in server.data.rglob("*.aof"))
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        await put(store, "c1")

        await until(lambda: _is(connection, "it cannot write its file"), "it is seen")
        with pytest.raises(StoreRefused):
            await put(store, "c2")
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, limits)
    await until(lambda: _is(connection, ""), "the file is written again")
    assert (await put(store, "c2")).last == 2


async def _is(connection: Connection, why: str) -> bool:
    return await refusal(connection) == why


def test_metrics_are_told_by_service_and_partition() -> None:
    metrics = Metrics()
    metrics.note_command("record-result", "done", 0.003)
    metrics.note_append_s(0.002)
    metrics.note_view("standings", 304)

    text = metrics.text(
        [
            PartitionSeen(
                partition=3,
                groups={"projector": GroupSeen(lag=7, pending=2, oldest_s=1.5)},
                parked={"pairing": 1, "projector": 0},
            )
        ],
        writable=True,
    ).decode()

    for line in (
        'tirage_command_seconds_bucket{le="0.005",outcome="done",type="record-result"} 1.0',
        "tirage_append_seconds_count 1.0",
        'tirage_view_requests_total{status="304",view="standings"} 1.0',
        "tirage_store_up 1.0",
        "tirage_store_takes_writes 1.0",
        'tirage_feed_lag{partition="3",service="projector"} 7.0',
        'tirage_feed_pending{partition="3",service="projector"} 2.0',
        'tirage_feed_oldest_pending_seconds{partition="3",service="projector"} 1.5',
        'tirage_parked_tournaments{partition="3",service="pairing"} 1.0',
    ):
        assert line in text
    assert "tirage_store_up 0.0" in metrics.text(None, writable=False).decode()


@pytest.mark.parametrize("path", ["/metrics", "/health/ready"])
async def test_how_far_the_services_are_is_for_operators(house: House, path: str) -> None:
    hall = new_token(house.file, {"name": "hall", "scopes": ["command:*"]})
    house.tokens.reload()

    refused = await house.client.get(path, headers={"Authorization": f"Bearer {hall}"})
    unknown = await house.client.get(path, headers={"Authorization": "Bearer x"})

    assert (refused.status_code, unknown.status_code) == (403, 401)
    assert problem(refused)["type"] == "/problems/not-authorised"


async def test_readiness_says_to_operators_who_is_behind(
    server: Server, store: RedisStore, connection: Connection, tmp_path: Path
) -> None:
    await RedisParking(connection, 1, "pairing").park("t", Parked(version=1, engine="e", reason="r"))
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client:
            told = await client.get("/health/ready")
            metrics = await client.get("/metrics")
        async with gateway.client("") as nobody:
            nobody.headers.pop("Authorization")
            public = await nobody.get("/health/ready")
        await gateway.stop()

    assert told.json()["behind"] == ["pairing on partition 0: 1 tournament(s) set aside"]
    assert told.json()["durability"] == store.durability.in_words()
    assert public.json() == {"status": "ready"}
    assert metrics.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
