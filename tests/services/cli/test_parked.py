"""`tirage parked` and `tirage release`, on a real server."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.doorbell.parking import Parked, RedisParking
from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from tests.support.program import tirage

WHY = Parked(version=17, engine="some engine", reason="it will not do", at="2026-10-05T08:00:00Z")


@pytest.fixture
async def aside(server: Server, store: RedisStore) -> AsyncIterator[dict[str, RedisParking]]:
    """What the services note: the projector has set "bad" aside, the pairing worker "worse"."""
    connection = Connection(server.url, 5.0, patience_s=0)
    parkings = {name: RedisParking(connection, store.partitions, name) for name in ("pairing", "projector")}
    await parkings["projector"].park("bad", WHY)
    await parkings["pairing"].park("worse", WHY)
    yield parkings
    await connection.close()


async def test_it_is_told_who_set_what_aside_and_why(server: Server, aside: dict[str, RedisParking]) -> None:
    assert aside
    told = await asyncio.to_thread(tirage, "parked", "--url", server.url)

    assert told.returncode == 0, told.stderr
    because = "at version 17 since 2026-10-05T08:00:00Z: it will not do"
    assert told.stdout.splitlines() == [f"pairing worse {because}", f"projector bad {because}"]


async def test_a_tournament_is_released_by_the_service_that_was_named_and_once(
    server: Server, aside: dict[str, RedisParking]
) -> None:
    other = await asyncio.to_thread(tirage, "release", "pairing", "bad", TIRAGE_STORE_URL=server.url)
    right = await asyncio.to_thread(tirage, "release", "projector", "bad", TIRAGE_STORE_URL=server.url)
    again = await asyncio.to_thread(tirage, "release", "projector", "bad", TIRAGE_STORE_URL=server.url)

    assert [other.returncode, right.returncode, again.returncode] == [7, 0, 7]
    assert "bad is released" in right.stderr
    assert "bad was not set aside by projector" in again.stderr
    assert await aside["projector"].parked(0) == {}
    assert set(await aside["pairing"].parked(0)) == {"worse"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(("clock", "bad"), "no service 'clock'"), (("projector", "No id"), "'No id' is not a tournament id")],
)
async def test_what_cannot_be_meant_is_refused(
    server: Server, store: RedisStore, arguments: tuple[str, str], words: str
) -> None:
    assert store.partitions == 1
    refused = await asyncio.to_thread(tirage, "release", *arguments, "--url", server.url)

    assert refused.returncode == 3
    assert words in refused.stderr
