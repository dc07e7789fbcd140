"""Tournaments that a service has set aside: kept beside the logs, by reference, so that the others go on.

A parked tournament is tried again when its log grows, when the version of what works on them changes, and when somebody
releases it.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec

from services.store.connection import Connection
from services.store.keys import partition_of
from services.store.redis_store import PATIENCE_S, TIMEOUT_S

UNREADABLE = "what is noted about it cannot be read"


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """Why a tournament is set aside, and in which state of things."""

    version: int  # of its log, then
    engine: str  # name and version of what worked on it, then
    reason: str
    at: str = ""  # RFC 3339, UTC


class Parking(Protocol):
    """Where it is noted which tournaments are set aside."""

    async def park(self, tournament: str, parked: Parked) -> None:
        """Set `tournament` aside; whatever was noted about it before is replaced."""

    async def release(self, tournament: str) -> bool:
        """Let `tournament` go on; return whether it was set aside."""

    async def parked(self, partition: int) -> dict[str, Parked]:
        """Return the tournaments of a partition that are set aside."""


class MemoryParking:
    """A `Parking` that nobody else sees: for tests."""

    def __init__(self, partitions: int = 1) -> None:
        self._partitions = partitions
        self._parked: dict[str, Parked] = {}

    async def park(self, tournament: str, parked: Parked) -> None:
        """Set `tournament` aside."""
        self._parked[tournament] = parked

    async def release(self, tournament: str) -> bool:
        """Let `tournament` go on."""
        return self._parked.pop(tournament, None) is not None

    async def parked(self, partition: int) -> dict[str, Parked]:
        """Return the tournaments of a partition that are set aside."""
        return {t: why for t, why in self._parked.items() if partition_of(t, self._partitions) == partition}


class RedisParking:
    """A `Parking` in the store's server: one hash a service and partition, tournament → `Parked` as JSON."""

    def __init__(self, connection: Connection, partitions: int, service: str) -> None:
        self._connection = connection
        self._partitions = partitions
        self._service = service

    async def park(self, tournament: str, parked: Parked) -> None:
        """Set `tournament` aside."""
        await self._connection.command(
            tournament, "HSET", self._key(tournament), tournament, msgspec.json.encode(parked)
        )

    async def release(self, tournament: str) -> bool:
        """Let `tournament` go on."""
        return bool(await self._connection.command(tournament, "HDEL", self._key(tournament), tournament))

    async def parked(self, partition: int) -> dict[str, Parked]:
        """Return the tournaments of a partition that are set aside."""
        key = parking_key(partition, self._service)
        flat = await self._connection.command(key, "HGETALL", key)
        return {
            name.decode(errors="replace"): _read(why) for name, why in zip(flat[::2], flat[1::2], strict=True)
        }

    def _key(self, tournament: str) -> str:
        return parking_key(partition_of(tournament, self._partitions), self._service)


@asynccontextmanager
async def set_aside(url: str, partitions: int, service: str) -> AsyncIterator[RedisParking]:
    """Open what a service notes about tournaments it has set aside, for the length of a `with` statement."""
    connection = Connection(url, TIMEOUT_S, PATIENCE_S)
    try:
        yield RedisParking(connection, partitions, service)
    finally:
        await connection.close()


def parking_key(partition: int, service: str) -> str:
    """Return the hash of the tournaments of a partition that a service has set aside.

    >>> parking_key(7, "pairing")
    'es:{p07}:parked:pairing'
    """
    return f"es:{{p{partition:02d}}}:parked:{service}"


def _read(stored: bytes) -> Parked:
    try:
        return msgspec.json.decode(stored, type=Parked)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return Parked(
            version=0, engine="", reason=UNREADABLE
        )  # fits no state of things, so it is tried again
