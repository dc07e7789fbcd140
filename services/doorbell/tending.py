"""What a service has set aside, listed and released from a command line."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.cli.exits import ExitCode, say
from services.doorbell.parking import Parked, RedisParking
from services.process import open_store
from services.settings import Settings
from services.store.connection import Connection
from services.store.redis_store import PATIENCE_S, TIMEOUT_S


async def tend(settings: Settings, service: str, release: str | None) -> int:
    """List the tournaments that `service` has set aside, or release one; return the exit code."""
    store = await open_store(settings)
    await store.close()
    async with parking_of(settings.store_url, store.partitions, service) as parking:
        if release is not None:
            there = await parking.release(release)
            say(f"{release} is released" if there else f"{release} was not set aside")
            return ExitCode.OK if there else ExitCode.REFUSED
        for tournament, why in await all_parked(parking, store.partitions):
            say(f"{tournament} at version {why.version} since {why.at}: {why.reason}")
    return ExitCode.OK


@asynccontextmanager
async def parking_of(url: str, partitions: int, service: str) -> AsyncIterator[RedisParking]:
    """Open what `service` has set aside in the store at `url`, for the length of a `with` statement."""
    connection = Connection(url, TIMEOUT_S, PATIENCE_S)
    try:
        yield RedisParking(connection, partitions, service)
    finally:
        await connection.close()


async def all_parked(parking: RedisParking, partitions: int) -> list[tuple[str, Parked]]:
    """Return every tournament that is set aside, by id."""
    found = [one for partition in range(partitions) for one in (await parking.parked(partition)).items()]
    return sorted(found, key=lambda one: one[0])
