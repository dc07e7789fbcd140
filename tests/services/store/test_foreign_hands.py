"""What somebody else did to the keys of a log is noticed, named, and never made worse."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import redis.asyncio
from structlog.testing import capture_logs

from events.codec import sha256_hex
from events.persons import PersonRecord
from services.server import Server
from services.store import (
    EMPTY,
    Appended,
    BlobBroken,
    LogBroken,
    Outcome,
    RedisStore,
    RegisterBroken,
)
from services.store.keys import blob_key, feed_key, index_key, tournament_keys
from services.store.redis_store import PAGE
from tests.support.entries import REQUEST, T, batch, put

KEYS = tournament_keys(T, 1)
Hand = redis.asyncio.Redis


@pytest.fixture
async def hand(server: Server) -> AsyncIterator[Hand]:
    """Somebody with the server's password and no idea."""
    async with redis.asyncio.Redis.from_url(server.url) as client:
        yield client


async def assert_broken(store: RedisStore, at: int | None = None) -> None:
    """Assert that neither writing nor reading goes on, and that nothing was written half."""
    before = await contents(store)
    for attempt in (lambda: put(store, "c9"), lambda: store.read(T)):
        with pytest.raises(LogBroken) as refusal:
            await attempt()
        assert refusal.value.tournament == T
        assert at is None or refusal.value.version == at
    assert await contents(store) == before


async def assert_append_refused(store: RedisStore, known: list[bytes]) -> None:
    """Assert that a writer that knows the history `known` cannot add to the log as it is now."""
    before = await contents(store)
    head = EMPTY
    for entry in known:
        head = head.after(entry)
    with pytest.raises(LogBroken):
        await store.append(T, batch(head, "c9"), expected=head, cause="c9", request=REQUEST)
    assert await contents(store) == before


async def contents(store: RedisStore) -> dict[bytes, bytes]:
    """Return every key of the server with its serialised value."""
    keys = await store._connection.command(T, "KEYS", "*")
    return {key: await store._connection.command(T, "DUMP", key) for key in sorted(keys)}


async def test_an_entry_added_at_the_end(store: RedisStore, hand: Hand) -> None:
    await put(store, count=3)
    known = await store.read(T)

    await hand.xadd(KEYS.stream, {"e": batch(await store.head(T))[0]}, id="4-0")

    await assert_append_refused(store, known)
    await assert_broken(store)


async def test_an_entry_added_under_an_id_of_the_servers_clock(store: RedisStore, hand: Hand) -> None:
    await put(store, count=3)
    known = await store.read(T)

    await hand.xadd(KEYS.stream, {"result": "1-0"})

    await assert_append_refused(store, known)
    await assert_broken(store)


async def test_an_entry_between_two_versions(store: RedisStore, hand: Hand) -> None:
    await put(store, count=3)
    known = await store.read(T)
    await hand.xadd(KEYS.stream, {"e": b"{}"}, id="3-1")
    await hand.xdel(KEYS.stream, "1-0")

    await assert_append_refused(store, known)
    with pytest.raises(LogBroken) as refusal:
        await store.read(T, 3)
    assert refusal.value.version == 4


async def test_an_entry_of_a_tournament_that_nobody_announced(store: RedisStore, hand: Hand) -> None:
    await hand.xadd(KEYS.stream, {"e": batch()[0]}, id="1-0")

    await assert_append_refused(store, [])
    await assert_broken(store)


@pytest.mark.parametrize("fields", [{"e": b"", "x": b"1"}, {"x": b"1"}])
async def test_an_entry_with_other_fields(store: RedisStore, hand: Hand, fields: dict[str, bytes]) -> None:
    await put(store, count=1)
    await hand.xadd(KEYS.stream, fields, id="2-0")  # type: ignore[arg-type] # dict is invariant
    await hand.hset(KEYS.head, "v", "2")

    with pytest.raises(LogBroken, match="foreign") as refusal:
        await store.read(T)
    assert refusal.value.version == 2


@pytest.mark.parametrize(
    "content", [b"\xff\x00", b"[]", b'{"v":2}', b'{"v":7,"prev":"","cause":"","request":""}']
)
async def test_an_entry_that_is_not_one_of_ours(store: RedisStore, hand: Hand, content: bytes) -> None:
    await put(store, count=1)
    await hand.xadd(KEYS.stream, {"e": content}, id="2-0")
    await hand.hset(KEYS.head, mapping={"v": "2", "h": sha256_hex(content)})

    with pytest.raises(LogBroken) as refusal:
        await store.read(T)
    assert refusal.value.version == 2


@pytest.mark.parametrize("changed", [1, 3, 5])
async def test_an_entry_that_was_replaced_with_the_whole_stream(
    store: RedisStore, hand: Hand, changed: int
) -> None:
    await put(store, count=5)
    entries = await store.read(T)
    await hand.delete(KEYS.stream)
    for version, entry in enumerate(entries, start=1):
        forged = entry.replace(b"arbiter", b"nobody1") if version == changed else entry
        await hand.xadd(KEYS.stream, {"e": forged}, id=f"{version}-0")

    with pytest.raises(LogBroken) as refusal:
        await store.read(T)
    assert refusal.value.version == min(changed + 1, 5)


@pytest.mark.parametrize("gone", [1, 3, 5])
async def test_a_deleted_entry(store: RedisStore, hand: Hand, gone: int) -> None:
    await put(store, count=5)
    known = await store.read(T)

    await hand.xdel(KEYS.stream, f"{gone}-0")

    await assert_append_refused(store, known)
    await assert_broken(store, at=5)


@pytest.mark.parametrize("left", [0, 2, 4])
async def test_a_trimmed_stream(store: RedisStore, hand: Hand, left: int) -> None:
    await put(store, count=5)
    known = await store.read(T)

    await hand.xtrim(KEYS.stream, maxlen=left, approximate=False)

    await assert_append_refused(store, known)
    await assert_broken(store, at=5)


@pytest.mark.parametrize("keys", [["stream"], ["head"], ["stream", "head"], ["stream", "head", "commands"]])
async def test_deleted_keys(store: RedisStore, hand: Hand, keys: list[str]) -> None:
    await put(store, count=5)
    known = await store.read(T)

    await hand.delete(*(getattr(KEYS, key) for key in keys))

    await assert_append_refused(store, known)
    await assert_broken(store)


async def test_a_deleted_head_and_table_of_commands(store: RedisStore, hand: Hand) -> None:
    await put(store, count=5)

    await hand.delete(KEYS.head, KEYS.commands)

    await assert_broken(store)
    with pytest.raises(LogBroken):
        await store.outcome(T, "c1")


async def test_a_head_that_says_nonsense(store: RedisStore, hand: Hand) -> None:
    await put(store, count=5)
    known = await store.read(T)

    await hand.hset(KEYS.head, "v", "many")

    await assert_append_refused(store, known)
    await assert_broken(store)


async def test_everything_deleted_is_broken_for_who_read_it_before(store: RedisStore, hand: Hand) -> None:
    await put(store, count=5)
    known = await store.read(T)

    await hand.flushall()

    await assert_append_refused(store, known)


@pytest.mark.parametrize("key", ["stream", "head", "commands", "feed", "index"])
async def test_a_key_that_holds_another_type(store: RedisStore, hand: Hand, key: str) -> None:
    await put(store, count=2)
    known = await store.read(T)

    await hand.set(getattr(KEYS, key), "something else")

    await assert_append_refused(store, known)


async def test_a_deleted_table_of_commands_is_rebuilt_from_the_log(store: RedisStore, hand: Hand) -> None:
    await put(store, "c1", 2)
    await put(store, "c2")
    await hand.delete(KEYS.commands)

    with capture_logs() as logs:
        again = await store.append(T, batch(cause="c1", count=2), expected=EMPTY, cause="c1", request=REQUEST)

    assert again == Appended(1, 2, duplicate=True)
    assert [line["event"] for line in logs] == ["commands_rebuilt"]
    assert await put(store, "c3") == Appended(4, 4, duplicate=False)
    assert await hand.hgetall(KEYS.commands) == {
        b"c1": f"1:2:{REQUEST}".encode(),
        b"c2": f"3:3:{REQUEST}".encode(),
        b"c3": f"4:4:{REQUEST}".encode(),
    }


async def test_a_table_of_commands_that_lost_one_or_gained_one_is_rebuilt(
    store: RedisStore, hand: Hand
) -> None:
    await put(store, "c1")
    await put(store, "c2")
    await hand.hdel(KEYS.commands, "c1")
    assert await store.outcome(T, "c1") == Outcome(1, 1, REQUEST)

    await hand.hset(KEYS.commands, "c7", "8:9:abc")
    assert await store.outcome(T, "c8") is None
    assert await store.outcome(T, "c7") is None

    await hand.hset(KEYS.commands, "c2", "nonsense")
    assert await put(store, "c2") == Appended(2, 2, duplicate=True)
    assert await store.outcome(T, "c2") == Outcome(2, 2, REQUEST)


async def test_a_lost_index_is_filled_again_as_tournaments_go_on(store: RedisStore, hand: Hand) -> None:
    await put(store, "c1")
    await hand.delete(index_key(0))

    await put(store, "c2")

    assert await store.heads() == {T: 2}


async def test_a_feed_that_can_take_no_more_stops_an_append_before_it_begins(
    store: RedisStore, hand: Hand
) -> None:
    await put(store)
    known = await store.read(T)
    last = 2**64 - 1
    await hand.xadd(feed_key(0), {"x": "y"}, id=f"{last}-{last}")

    with pytest.raises(Exception, match="exhausted"):
        await put(store, "c2")

    assert await store.read(T) == known
    assert await store.outcome(T, "c2") is None


async def test_every_append_rings_the_feed_once(store: RedisStore, hand: Hand) -> None:
    await put(store, "c1", 3)
    await put(store, "c2")

    await store.append(T, batch(cause="c1", count=3), expected=EMPTY, cause="c1", request=REQUEST)

    rung = [fields for _, fields in await hand.xrange(feed_key(0)) or []]
    assert rung == [{b"tournament": T.encode(), b"v": b"3"}, {b"tournament": T.encode(), b"v": b"4"}]


@pytest.mark.parametrize("count", [PAGE - 1, PAGE, PAGE + 1])
async def test_a_log_longer_than_a_page_is_read_whole_and_its_loss_noticed(
    store: RedisStore, hand: Hand, count: int
) -> None:
    await put(store, "c1", PAGE // 2)
    await put(store, "c2", PAGE // 2 - 1)
    for i in range(count - PAGE + 1):
        await put(store, f"d{i}")

    assert len(await store.read(T)) == count
    assert await store.read(T, count - 1) == (await store.read(T))[-1:]
    await hand.xdel(KEYS.stream, f"{count}-0")
    await assert_broken(store, at=count)


async def test_a_changed_blob_is_not_handed_out(store: RedisStore, hand: Hand) -> None:
    digest = await store.blob_put(T, b"as it was")
    await hand.set(blob_key(T, digest, 1), b"as somebody wants it")

    with pytest.raises(BlobBroken):
        await store.blob_get(T, digest)
    with pytest.raises(BlobBroken):
        await store.blob_put(T, b"as it was")


async def test_a_record_of_the_register_that_is_none_is_named(store: RedisStore, hand: Hand) -> None:
    await hand.hset(KEYS.persons, "p1", b'{"name":1}')

    with pytest.raises(RegisterBroken, match="p1"):
        await store.person_get(T, "p1")


async def test_an_erased_person_is_in_no_file_of_the_server(store: RedisStore, shared_server: Server) -> None:
    record = PersonRecord(name="Unmistakable Name", salt="7e" * 32)
    await store.person_put(T, "p1", record)
    assert mentions(shared_server.data, b"Unmistakable Name")

    await store.person_erase(T, "p1")

    assert not mentions(shared_server.data, b"Unmistakable Name")
    assert not mentions(shared_server.data, b"7e7e7e7e")


async def test_an_erasure_that_meets_a_rewrite_under_way_waits_for_a_later_one(
    store: RedisStore, hand: Hand, shared_server: Server
) -> None:
    await put(store, count=500)
    for i in range(20):
        await store.blob_put(T, bytes([i]) * 2**20)
    await store.person_put(T, "p1", PersonRecord(name="Unmistakable Name", salt="7e" * 32))
    await hand.execute_command("BGREWRITEAOF")  # type: ignore[no-untyped-call]
    await asyncio.sleep(0)

    assert (await store.person_erase(T, "p1")).from_disk

    assert not mentions(shared_server.data, b"Unmistakable Name")


def mentions(data: Path, words: bytes) -> bool:
    """Return whether any file under `data` holds `words`."""
    return any(words in path.read_bytes() for path in data.rglob("*") if path.is_file())
