"""What every store promises: each test here runs on both implementations of the port."""

from collections.abc import AsyncIterator
from typing import Protocol

import pytest

from events.codec import ENTRY_BYTES_MAX, sha256_hex
from events.envelope import Recorded, encode
from events.facts import PresenceConfirmed
from events.persons import PersonRecord
from services.server import Server
from services.store import (
    EMPTY,
    Appended,
    BadName,
    BlobMissing,
    BlobTooLarge,
    ClockSkew,
    CommandClash,
    EventStore,
    Head,
    LogBroken,
    MemoryStore,
    NotAppendable,
    Outcome,
    PersonClash,
    RedisStore,
    VersionConflict,
)
from services.store.keys import partition_of
from services.store.port import BATCH_MAX, BLOB_BYTES_MAX, now_ms
from tests.support.entries import OTHER_REQUEST, REQUEST, T, batch, put

ANNA = PersonRecord(name="Anna Müller-Žižka", salt="5a" * 32, birth_date="1990-01-31")
OTHER_ANNA = PersonRecord(name="Anna Miller", salt="5b" * 32)


class Opener(Protocol):
    async def __call__(self, *, partitions: int = 1, ahead_ms: int = 0) -> EventStore: ...


@pytest.fixture(params=["memory", "redis"])
async def opener(request: pytest.FixtureRequest) -> AsyncIterator[Opener]:
    opened: list[EventStore] = []

    async def memory(*, partitions: int = 1, ahead_ms: int = 0) -> EventStore:
        return MemoryStore(partitions=partitions, clock=lambda: now_ms() + ahead_ms)

    async def real(*, partitions: int = 1, ahead_ms: int = 0) -> EventStore:
        server: Server = request.getfixturevalue("server")
        store = await RedisStore.open(server.url, partitions=partitions, clock=lambda: now_ms() + ahead_ms)
        opened.append(store)
        return store

    yield memory if request.param == "memory" else real
    for store in opened:
        await store.close()


@pytest.fixture
async def either(opener: Opener) -> EventStore:
    return await opener()


async def test_a_log_that_nobody_wrote_is_empty(either: EventStore) -> None:
    assert await either.head(T) == EMPTY
    assert await either.read(T) == []
    assert await either.since(T, EMPTY) == []
    assert await either.outcome(T, "c1") is None
    assert await either.tournaments() == []
    assert await either.heads() == {}


async def test_what_is_appended_is_read_back_byte_for_byte(either: EventStore) -> None:
    entries = batch(count=3)

    answer = await either.append(T, entries, expected=EMPTY, cause="c1", request=REQUEST)

    assert answer == Appended(1, 3, duplicate=False)
    assert await either.read(T) == entries
    assert await either.head(T) == Head(3, sha256_hex(entries[-1]))


async def test_a_range_begins_after_one_version_and_ends_with_another(either: EventStore) -> None:
    await put(either, count=5)
    entries = await either.read(T)

    assert await either.read(T, 2) == entries[2:]
    assert await either.read(T, 1, 4) == entries[1:4]
    assert await either.read(T, 0, 0) == []
    assert await either.read(T, 3, 2) == []
    assert await either.read(T, 3, 99) == entries[3:]
    assert await either.read(T, 5) == []


async def test_a_command_sent_again_is_answered_as_the_first_time(either: EventStore) -> None:
    await put(either, "c1", 2)
    await put(either, "c2")

    again = await either.append(T, batch(cause="c1", count=2), expected=EMPTY, cause="c1", request=REQUEST)

    assert again == Appended(1, 2, duplicate=True)
    assert (await either.head(T)).version == 3


async def test_a_command_id_with_another_request_is_refused(either: EventStore) -> None:
    await put(either, "c1", 2)
    head = await either.head(T)
    entries = batch(head, "c1", 1, OTHER_REQUEST)

    with pytest.raises(CommandClash) as refusal:
        await either.append(T, entries, expected=head, cause="c1", request=OTHER_REQUEST)

    assert (refusal.value.first, refusal.value.last) == (1, 2)
    assert await either.head(T) == head


async def test_the_same_command_id_in_another_tournament_is_another_command(either: EventStore) -> None:
    await put(either, "c1")

    assert await put(either, "c1", tournament="blitz") == Appended(1, 1, duplicate=False)


async def test_who_was_overtaken_is_told_by_what(either: EventStore) -> None:
    await put(either, "c1", 2)

    with pytest.raises(VersionConflict) as refusal:
        await either.append(T, batch(cause="c2"), expected=EMPTY, cause="c2", request=REQUEST)

    assert refusal.value.expected == EMPTY
    assert refusal.value.found == await either.head(T)
    assert await either.outcome(T, "c2") is None


async def test_a_log_shorter_than_what_was_read_before_is_broken(either: EventStore) -> None:
    await put(either)
    future = Head(4, "ab" * 32)

    for attempt in (
        either.append(T, batch(future, "c2"), expected=future, cause="c2", request=REQUEST),
        either.since(T, future),
        either.read(T, 4),
    ):
        with pytest.raises(LogBroken, match="was read up to version 4") as refusal:
            await attempt
        assert refusal.value.version == 1


async def test_a_log_with_another_history_than_what_was_read_before_is_broken(either: EventStore) -> None:
    await put(either)
    fork = Head(1, "ab" * 32)

    for attempt in (
        either.append(T, batch(fork, "c2"), expected=fork, cause="c2", request=REQUEST),
        either.since(T, fork),
    ):
        with pytest.raises(LogBroken):
            await attempt
    await put(either, "c3")
    with pytest.raises(LogBroken, match="version 2"):
        await either.since(T, fork)


async def test_what_follows_a_known_head_is_read(either: EventStore) -> None:
    await put(either, "c1", 2)
    known = await either.head(T)
    await put(either, "c2", 2)

    assert await either.since(T, known) == (await either.read(T))[2:]
    assert await either.since(T, await either.head(T)) == []


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ([], "0 entries"),
        (batch(count=1) * (BATCH_MAX + 1), "1001 entries"),
        (batch(count=2)[1:], "it says that it is entry 2"),
        ([batch()[0], batch(count=3)[2]], "it says that it is entry 3"),
        (batch(Head(0, "ab" * 32)), "does not follow"),
        (batch(cause="c2"), "another command"),
        (batch(request=OTHER_REQUEST), "another command"),
        ([b"{}"], "not readable"),
        ([b"\xff\xfe"], "not readable"),
        ([batch()[0] + b" "], "canonical"),
        ([batch()[0].replace(b'"at"', b'"xx"')], "not readable"),
    ],
)
async def test_entries_that_do_not_continue_the_log_are_not_sent(
    either: EventStore, entries: list[bytes], reason: str
) -> None:
    with pytest.raises(NotAppendable, match=reason):
        await either.append(T, entries, expected=EMPTY, cause="c1", request=REQUEST)

    assert await either.head(T) == EMPTY


async def test_an_entry_over_the_limit_is_not_sent(either: EventStore) -> None:
    # Not one that the constraints of our facts allow: a device as long as this is refused before the limit is.
    huge = batch()[0].replace(b'"p1"', b'"' + b"p" * ENTRY_BYTES_MAX + b'"')

    with pytest.raises(NotAppendable):
        await either.append(T, [huge], expected=EMPTY, cause="c1", request=REQUEST)


async def test_a_command_may_bring_about_as_many_facts_as_a_batch_holds(either: EventStore) -> None:
    assert await put(either, count=BATCH_MAX) == Appended(1, BATCH_MAX, duplicate=False)


@pytest.mark.parametrize("ahead_ms", [-60_000, -2_500, 2_500, 60_000])
async def test_a_writer_whose_clock_is_off_is_refused(opener: Opener, ahead_ms: int) -> None:
    store = await opener(ahead_ms=ahead_ms)

    with pytest.raises(ClockSkew) as refusal:
        await put(store)

    assert abs(refusal.value.skew_ms - ahead_ms) < 1_000
    assert await store.head(T) == EMPTY


async def test_a_clock_that_is_off_by_a_second_may_write(opener: Opener) -> None:
    assert (await put(await opener(ahead_ms=-1_000))).last == 1


async def test_what_a_command_brought_about_can_be_looked_up(either: EventStore) -> None:
    await put(either, "c1")
    await put(either, "seal:1:17", 3, OTHER_REQUEST)

    assert await either.outcome(T, "c1") == Outcome(1, 1, REQUEST)
    assert await either.outcome(T, "seal:1:17") == Outcome(2, 4, OTHER_REQUEST)
    assert await either.outcome(T, "c3") is None


async def test_all_tournaments_are_listed_with_their_versions_by_partition(opener: Opener) -> None:
    store = await opener(partitions=16)
    names = [f"cup-{i}" for i in range(20)]
    for count, name in enumerate(reversed(names), start=1):
        await put(store, count=count, tournament=name)

    assert await store.tournaments() == sorted(names)
    assert await store.heads() == {name: 20 - i for i, name in enumerate(names)}
    for partition in range(16):
        assert set(await store.heads(partition)) == {n for n in names if partition_of(n, 16) == partition}


@pytest.mark.parametrize("name", ["", "Open", "a:b", "a}b", "ü", "a" * 64, "-a", "a\n"])
async def test_what_is_no_tournament_id_becomes_no_key(either: EventStore, name: str) -> None:
    for attempt in (
        either.head(name),
        either.read(name),
        either.append(name, batch(), expected=EMPTY, cause="c1", request=REQUEST),
        either.blob_put(name, b""),
        either.person_get(name, "p1"),
    ):
        with pytest.raises(BadName):
            await attempt


async def test_what_is_no_id_of_a_command_or_player_or_no_digest_is_refused(either: EventStore) -> None:
    for attempt in (
        either.append(T, batch(), expected=EMPTY, cause="with space", request=REQUEST),
        either.append(T, batch(), expected=EMPTY, cause="c1", request="short"),
        either.outcome(T, ""),
        either.blob_get(T, "../secret"),
        either.person_put(T, "Anna Müller", ANNA),
    ):
        with pytest.raises(BadName):
            await attempt


async def test_a_blob_is_found_by_its_digest(either: EventStore) -> None:
    digest = await either.blob_put(T, b"why this pairing")

    assert digest == sha256_hex(b"why this pairing") == await either.blob_put(T, b"why this pairing")
    assert await either.blob_get(T, digest) == b"why this pairing"
    assert await either.blob_get(T, await either.blob_put(T, b"")) == b""


async def test_a_blob_that_nobody_kept_is_missing(either: EventStore) -> None:
    with pytest.raises(BlobMissing):
        await either.blob_get(T, sha256_hex(b"never kept"))


async def test_a_blob_over_the_limit_is_refused(either: EventStore) -> None:
    with pytest.raises(BlobTooLarge):
        await either.blob_put(T, bytes(BLOB_BYTES_MAX + 1))


async def test_a_person_is_registered_once(either: EventStore) -> None:
    await either.person_put(T, "p1", ANNA)
    await either.person_put(T, "p1", ANNA)

    with pytest.raises(PersonClash):
        await either.person_put(T, "p1", OTHER_ANNA)
    assert await either.person_get(T, "p1") == ANNA
    assert await either.person_get("blitz", "p1") is None
    assert await either.person_get(T, "p2") is None


async def test_an_erased_person_is_gone_and_can_be_registered_anew(either: EventStore) -> None:
    await either.person_put(T, "p1", ANNA)

    erased = await either.person_erase(T, "p1")

    assert (erased.found, erased.from_disk) == (True, True)
    assert await either.person_get(T, "p1") is None
    assert not (await either.person_erase(T, "p1")).found
    await either.person_put(T, "p1", OTHER_ANNA)
    assert await either.person_get(T, "p1") == OTHER_ANNA


async def test_an_entry_keeps_every_field_of_its_envelope(either: EventStore) -> None:
    entry = encode(
        Recorded(
            v=1,
            prev=EMPTY.hash,
            at="2026-10-05T08:00:00.123Z",
            actor="arbiter",
            cause="c1",
            request=REQUEST,
            fact=PresenceConfirmed(player="p1"),
            reported_at="2026-10-05T07:59:00Z",
            device="Žofie's phone ♟",
            device_time="2026-10-05T09:00:00Z",
            venue="hall-2",
        )
    )

    await either.append(T, [entry], expected=EMPTY, cause="c1", request=REQUEST)

    assert await either.read(T) == [entry]
