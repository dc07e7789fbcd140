"""What a service has set aside, listed and released from a command line."""

from services.cli.exits import ExitCode, say
from services.doorbell.parking import Parked, RedisParking, set_aside
from services.process import open_store
from services.settings import Settings


async def tend(settings: Settings, service: str, release: str | None) -> int:
    """List the tournaments that `service` has set aside, or release one; return the exit code."""
    store = await open_store(settings)
    await store.close()
    async with set_aside(settings.store_url, store.partitions, service) as parking:
        if release is not None:
            there = await parking.release(release)
            say(f"{release} is released" if there else f"{release} was not set aside")
            return ExitCode.OK if there else ExitCode.REFUSED
        for tournament, why in await all_parked(parking, store.partitions):
            say(f"{tournament} at version {why.version} since {why.at}: {why.reason}")
    return ExitCode.OK


async def all_parked(parking: RedisParking, partitions: int) -> list[tuple[str, Parked]]:
    """Return every tournament that is set aside, by id."""
    found = [one for partition in range(partitions) for one in (await parking.parked(partition)).items()]
    return sorted(found, key=lambda one: one[0])
