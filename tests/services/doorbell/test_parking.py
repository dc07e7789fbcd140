from collections.abc import AsyncIterator

import pytest
import redis

from services.doorbell.parking import MemoryParking, Parked, Parking, RedisParking, parking_key
from services.server import Server
from services.store import LogBroken
from services.store.connection import Connection

WHY = Parked(version=7, engine="by-order 1", reason="KeyError: 'x'", at="2026-10-05T09:00:00.000Z")


@pytest.fixture
async def on_server(server: Server) -> AsyncIterator[RedisParking]:
    connection = Connection(server.url, 5, 0)
    yield RedisParking(connection, 4, "pairing")
    await connection.close()


@pytest.fixture(params=["memory", "server"])
def parking(request: pytest.FixtureRequest) -> Parking:
    if request.param == "memory":
        return MemoryParking(4)
    found: Parking = request.getfixturevalue("on_server")
    return found


async def everywhere(parking: Parking) -> dict[str, Parked]:
    return {t: why for partition in range(4) for t, why in (await parking.parked(partition)).items()}


async def test_what_is_set_aside_is_found_with_its_reason_until_it_is_released(parking: Parking) -> None:
    for name in ("a", "b", "c", "d"):
        await parking.park(name, WHY)
    assert await everywhere(parking) == dict.fromkeys("abcd", WHY)

    assert await parking.release("b")

    assert not await parking.release("b")
    assert set(await everywhere(parking)) == {"a", "c", "d"}


async def test_parked_again_it_has_the_later_reason(parking: Parking) -> None:
    later = Parked(version=8, engine="by-order 2", reason="later")
    await parking.park("a", WHY)

    await parking.park("a", later)

    assert await everywhere(parking) == {"a": later}


async def test_an_entry_that_cannot_be_read_fits_no_state_of_things(
    server: Server, on_server: RedisParking
) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.hset(parking_key(2, "pairing"), mapping={"a": b"\xff{", b"\xff": b"{}"})

    assert {why.version for why in (await on_server.parked(2)).values()} == {0}


async def test_a_key_of_another_type_is_an_error_with_a_name(server: Server, on_server: RedisParking) -> None:
    with redis.Redis.from_url(server.url) as client:
        client.set(parking_key(1, "pairing"), "foreign")

    with pytest.raises(LogBroken, match="another type"):
        await on_server.parked(1)
