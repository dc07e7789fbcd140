"""The doorbells: FastStream on the feeds of a store's partitions. An entry says only "look at this tournament".

FastStream 0.7 leaves a consumer of streams several traps (each has its test in `test_doorbells.py`):

- a new group begins at `$`, what was there before is never delivered: we make the group, at `0`, and have each
  start do the same, for the group may vanish in between;
- pending entries of a dead consumer are never read again: a second subscriber claims them (XAUTOCLAIM);
- without a count, one consumer gets the whole backlog: `max_records`;
- its message format corrupts non-ASCII headers, takes a field `data` for an envelope, and chokes on binary
  values: ours takes one name out of an entry, whoever wrote it, and never fails;
- a group or stream that vanishes ends the subscriber for good, and any other refusal of the server (WRONGTYPE,
  NOPERM, READONLY) has it ask again without a pause, at the cost of a core: we switch its own restarts off and
  start it anew ourselves, later each time;
- each subscriber blocks a connection, and the pool's limit is 100: ours grows with the partitions.
"""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NoReturn, Protocol

import msgspec
import redis.exceptions
import structlog
from faststream import AckPolicy
from faststream.exceptions import NackMessage
from faststream.redis import RedisBroker, StreamSub
from faststream.redis.parser import MessageFormat
from redis.asyncio import Redis

from services.doorbell.crew import Crew, end
from services.doorbell.desk import is_tournament
from services.failpoints import reach
from services.store.keys import feed_key

BATCH_MAX = 200
BLOCK_MS = 2_000
CLAIM_EVERY_MS_MAX = 5_000
ANSWER_S_MAX = 5.0  # for an answer of the server, beyond the time that it was asked to block
RETRY_FIRST_S = 0.5
RETRY_LAST_S = 30.0
STEADY_S = 60.0  # a doorbell that worked as long is tried again soon
FORGET_AFTER_MS = 3_600_000
DIGITS_MAX = 15  # of a version

Visit = Callable[[str, int], Awaitable[bool]]

log = structlog.get_logger(__name__)


class _Subscriber(Protocol):
    """What we use of FastStream's subscriber."""

    tasks: list[asyncio.Task[Any]]
    last_id: str

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


class Ring(msgspec.Struct, frozen=True, array_like=True):
    """What an entry of a feed says."""

    tournament: str
    version: int  # that its log then had; 0 when the entry does not say


class FeedFormat(MessageFormat):
    """Takes a `Ring` out of an entry of a feed, as JSON; null when it names no tournament."""

    @classmethod
    def parse(cls, data: bytes | Mapping[bytes, bytes]) -> tuple[bytes, dict[str, Any]]:
        """Return the body, and no headers. `data` is an entry's fields, or what a foreign envelope holds."""
        fields = data if isinstance(data, Mapping) else {}
        name = fields.get(b"tournament", b"").decode("ascii", "replace")
        version = fields.get(b"v", b"")
        known = version.isdigit() and len(version) <= DIGITS_MAX
        ring = Ring(name, int(version) if known else 0) if is_tournament(name) else None
        return msgspec.json.encode(ring), {}

    @classmethod
    async def encode(cls, **_: object) -> bytes:
        """Refuse: feeds are written by the store's script alone."""
        raise NotImplementedError


class Doorbells:
    """Listens to the feeds of all partitions, and has `visit` go wherever one rings.

    `group` is the service: the processes of one share its doorbells, each service hears them all. `visit` is told the
    highest version that was rung for, and returns False to be asked again: the entry then stays pending until it
    is claimed.
    """

    def __init__(
        self, url: str, partitions: int, visit: Visit, *, group: str, claim_idle_ms: int = 30_000
    ) -> None:
        self._visit = visit
        self._group = group
        self._partitions = partitions
        self._claim_idle_ms = claim_idle_ms
        self._consumer = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._broker = RedisBroker(
            url,
            logger=logging.getLogger(__name__),  # its own would write in its own way
            message_format=FeedFormat,
            apply_types=False,
            graceful_timeout=None,  # a visit can be broken off anywhere
            max_connections=2 * partitions + 32,
            socket_timeout=BLOCK_MS / 1000 + ANSWER_S_MAX,
            socket_connect_timeout=ANSWER_S_MAX,
        )

    async def run(self) -> NoReturn:
        """Listen for ever; a partition whose feed cannot be read does not disturb the others."""
        os.environ["FASTSTREAM_SUPERVISOR_DISABLED"] = "1"  # it would restart without a pause; we do it
        pairs = [(partition, self._subscribers(partition)) for partition in range(self._partitions)]
        client = await self._broker.connect()
        try:
            async with Crew() as feeds:
                for partition, subscribers in pairs:
                    feeds.start(self._listen(client, feed_key(partition), subscribers))
                await feeds.stay()
        finally:
            await self._broker.stop()

    def _subscribers(self, partition: int) -> list[_Subscriber]:
        """Return the reader of a feed, and the claimer of what a dead reader left."""
        reader = StreamSub(
            feed_key(partition),
            group=self._group,
            consumer=self._consumer,
            batch=True,
            max_records=BATCH_MAX,
            polling_interval=BLOCK_MS,
        )
        claimer = StreamSub(
            feed_key(partition),
            group=self._group,
            consumer=self._consumer,
            batch=True,
            max_records=BATCH_MAX,
            polling_interval=min(self._claim_idle_ms, CLAIM_EVERY_MS_MAX),
            min_idle_time=self._claim_idle_ms,
        )
        subscribers: list[_Subscriber] = []
        for stream in (reader, claimer):
            subscriber = self._broker.subscriber(stream=stream, ack_policy=AckPolicy.NACK_ON_ERROR)
            subscriber(self._on_ring)
            subscribers.append(subscriber)
        return subscribers

    async def _on_ring(self, entries: list[list[Any] | None]) -> None:
        rings = msgspec.convert([entry for entry in entries if entry is not None], list[Ring])
        if len(rings) < len(entries):
            log.warning("doorbell_unreadable", entries=len(entries) - len(rings))
        done = await asyncio.gather(*(self._visit(*latest) for latest in _latest(rings)))
        if not all(done):
            raise NackMessage
        reach("before_ack")

    async def _listen(self, client: Redis, feed: str, subscribers: list[_Subscriber]) -> NoReturn:
        clock = asyncio.get_running_loop().time
        delay_s = RETRY_FIRST_S
        while True:
            started = clock()
            reason = await self._listen_once(client, feed, subscribers)
            if clock() - started > STEADY_S:
                delay_s = RETRY_FIRST_S
            log.error("doorbell_silent", feed=feed, reason=reason, retry_in_s=delay_s)
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, RETRY_LAST_S)

    async def _listen_once(self, client: Redis, feed: str, subscribers: list[_Subscriber]) -> str:
        """Listen to a feed until that ends, and return why it did."""
        tasks: list[asyncio.Task[Any]] = []
        try:
            await _make_group(client, feed, self._group)
            for subscriber in subscribers:
                subscriber.last_id = "0"  # where it makes the group itself if that has vanished since
                await subscriber.start()
                tasks += subscriber.tasks
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        except (redis.exceptions.RedisError, TimeoutError) as error:
            return _in_words(error)
        finally:
            await _stop(subscribers, tasks)
        ended = [task.exception() for task in tasks if task.done() and not task.cancelled()]
        return "; ".join(_in_words(error) for error in ended if error) or "its group or stream vanished"


def _latest(rings: list[Ring]) -> list[tuple[str, int]]:
    """Return each tournament once, with the highest version that was rung for; 0 when one entry does not say."""
    versions: dict[str, int] = {}
    for ring in rings:
        known = versions.get(ring.tournament, ring.version)
        versions[ring.tournament] = max(known, ring.version) if known and ring.version else 0
    return sorted(versions.items())


async def _make_group(client: Redis, feed: str, group: str) -> None:
    """Make the group, from the first entry of the feed on, and forget consumers that are long gone."""
    try:
        await client.xgroup_create(feed, group, id="0", mkstream=True)
    except redis.exceptions.ResponseError as error:
        if "BUSYGROUP" not in str(error):  # it is there already
            raise
    for consumer in await client.xinfo_consumers(feed, group):
        if consumer["pending"] == 0 and consumer["idle"] > FORGET_AFTER_MS:
            await client.xgroup_delconsumer(feed, group, consumer["name"])


async def _stop(subscribers: list[_Subscriber], started: list[asyncio.Task[Any]]) -> None:
    """Stop the subscribers and see that their tasks have ended: one that lived on would read beside the next."""
    tasks = {*started, *(task for subscriber in subscribers for task in subscriber.tasks)}
    for subscriber in subscribers:
        await subscriber.stop()
    await end(tasks)


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
