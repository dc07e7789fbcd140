"""How far the services behind the feeds are, read off the store's server. Looks only; a reader of feeds it is not."""

from typing import Any

import msgspec

from services.doorbell.parking import parking_key
from services.store.connection import Connection, parse_info
from services.store.errors import StoreRefused
from services.store.keys import feed_key
from services.store.port import now_ms

SERVICES = ("pairing", "projector")  # group of a feed, and end of the key of what it has set aside


class GroupSeen(msgspec.Struct, frozen=True, kw_only=True):
    """One service on the feed of one partition."""

    lag: int = 0  # entries that it was not given yet
    pending: int = 0  # given, and not answered yet
    oldest_s: float = 0.0  # age of the oldest of both


class PartitionSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The services on one partition; one that never listened is not among `groups`."""

    partition: int
    groups: dict[str, GroupSeen]
    parked: dict[str, int]  # service → tournaments set aside


async def look(connection: Connection, partitions: int) -> list[PartitionSeen]:
    """Return what is to be seen of every partition; raise what the store's server says."""
    return [await _look(connection, partition) for partition in range(partitions)]


async def refusal(connection: Connection) -> str:
    """Return why the server takes nothing new while it answers, as far as it tells; empty when it does take it."""
    try:
        about = parse_info(await connection.command("(server)", "INFO"))
    except StoreRefused:
        return ""  # it tells nothing
    used, limit = (int(about.get(name, "0")) for name in ("used_memory", "maxmemory"))
    if limit and used >= limit:
        return "its memory is full"
    return "" if about.get("aof_last_write_status", "ok") == "ok" else "it cannot write its file"


async def _look(connection: Connection, partition: int) -> PartitionSeen:
    feed = feed_key(partition)
    parked = {
        service: await connection.command(feed, "HLEN", parking_key(partition, service))
        for service in SERVICES
    }
    if not await connection.command(feed, "EXISTS", feed):
        return PartitionSeen(partition=partition, groups={}, parked=parked)
    length = await connection.command(feed, "XLEN", feed)
    groups = {}
    for flat in await connection.command(feed, "XINFO", "GROUPS", feed):
        about = dict(zip(flat[::2], flat[1::2], strict=True))
        name = about[b"name"].decode(errors="replace")
        if name in SERVICES:
            groups[name] = await _group(connection, feed, about, length)
    return PartitionSeen(partition=partition, groups=groups, parked=parked)


async def _group(connection: Connection, feed: str, about: dict[bytes, Any], length: int) -> GroupSeen:
    lag = about.get(b"lag")
    return GroupSeen(
        lag=length if lag is None else lag,  # the server does not know it after a trim: say the worst
        pending=about[b"pending"],
        oldest_s=await _oldest_s(connection, feed, about),
    )


async def _oldest_s(connection: Connection, feed: str, about: dict[bytes, Any]) -> float:
    """Return the age of the oldest entry that the group has not answered, whether it was given to it or not."""
    group, delivered = about[b"name"], about[b"last-delivered-id"].decode()
    rows = []
    try:
        if about[b"pending"]:
            rows = await connection.command(feed, "XPENDING", feed, group, "-", "+", 1)
    except StoreRefused:
        rows = []  # the group vanished meanwhile
    if not rows:
        rows = await connection.command(feed, "XRANGE", feed, f"({delivered}", "+", "COUNT", 1)
    if not rows:
        return 0.0
    rung_ms = int(rows[0][0].partition(b"-")[0])
    return max(0, now_ms() - rung_ms) / 1000
