"""Opening a store: what is refused, and that it is said clearly and without a password."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
import redis
from structlog.testing import capture_logs

from services.server import Server
from services.store import (
    BadStoreUrl,
    LogBroken,
    RedisStore,
    StoreError,
    StoreMismatch,
    StoreRefused,
    StoreUnreachable,
    UnsafeServer,
    UnsupportedServer,
)
from services.store.keys import STORE_KEY
from services.store.probe import durability
from tests.support.entries import T, put
from tests.support.patience import PATIENCE_S

SAFE = {"redis_version": "7.0.15", "role": "master", "aof_enabled": "1", "maxmemory_policy": "noeviction"}
SAFE_CONFIG = {"appendfsync": "always", "no-appendfsync-on-rewrite": "no"}


async def refused(url: str, kind: type[StoreError], **options: bool | float) -> str:
    """Assert that opening `url` is refused as `kind`, soon, and return the words."""
    began = time.monotonic()
    with pytest.raises(kind) as refusal:
        await RedisStore.open(url, **options)  # type: ignore[arg-type] # whichever options the case needs
    assert time.monotonic() - began < PATIENCE_S
    assert "secret" not in str(refusal.value)
    return str(refusal.value)


@pytest.fixture
def client(server: Server) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(server.url) as client:
        yield client


@pytest.fixture
def setting(client: redis.Redis) -> Iterator[Callable[[str, str], None]]:
    """Change a setting of the server for one test."""
    before: dict[str, str] = {}

    def change(name: str, value: str) -> None:
        before.setdefault(name, str(client.config_get(name)[name]))
        client.config_set(name, value)

    yield change
    for name, value in before.items():
        client.config_set(name, value)


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:6379", "scheme 'http' is not known"),
        ("localhost:6379", "not known"),
        ("redis:localhost", "not known"),
        ("secret", "(none)"),
        ("", "(none)"),
        ("redis+sentinel://a,b/master", "not offered yet"),
        ("redis+cluster://a,b", "not offered yet"),
        ("redis://user:secret@", "no host"),
        ("redis://:secret@localhost:port/0", "host or port"),
        ("redis://:secret@localhost:99999", "host or port"),
        ("redis://:secret@localhost:0", "port"),
        ("redis://:secret@localhost/first", "database"),
        ("redis://localhost?db=x&password=secret", "'db' is not a number"),
        ("redis://localhost?timeout=3", "'timeout' is not known"),
        ("redis://localhost#secret", "fragment"),
        ("redis://[::1", "host or port"),
        ("unix://relative/path", "absolute path"),
        ("unix://", "absolute path"),
    ],
)
async def test_a_url_that_we_cannot_use_is_refused_naming_the_forms(url: str, reason: str) -> None:
    words = await refused(url, BadStoreUrl)

    assert reason in words
    assert "redis://HOST" in words


async def test_nobody_at_a_port(unused_tcp_port: int) -> None:
    words = await refused(f"redis://:secret@127.0.0.1:{unused_tcp_port}", StoreUnreachable)

    assert f"redis://127.0.0.1:{unused_tcp_port}" in words


async def test_no_such_socket() -> None:
    assert "/nowhere/server.sock" in await refused("unix:///nowhere/server.sock", StoreUnreachable)


@contextmanager
def web_server() -> Iterator[int]:
    """Run an HTTP server on a free port."""

    class Quiet(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Quiet) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


async def test_a_web_server_is_no_store() -> None:
    with web_server() as port:
        words = await refused(f"redis://127.0.0.1:{port}", StoreUnreachable)

    assert "not a Redis or Valkey server" in words


async def test_a_port_that_never_answers_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        words = await refused(f"redis://127.0.0.1:{silent.getsockname()[1]}", StoreUnreachable, timeout_s=0.2)

    assert "in time" in words


async def test_a_server_without_tls_is_no_rediss(data: Path) -> None:
    with Server(data, tcp=True) as server:
        await refused(server.url.replace("redis://", "rediss://"), StoreUnreachable, timeout_s=1.0)


@pytest.fixture
async def users(client: redis.Redis, server: Server) -> AsyncIterator[Server]:
    client.acl_setuser("blind", enabled=True, passwords="+secret", keys="*", commands=["+@all", "-config"])
    client.acl_setuser("deaf", enabled=True, passwords="+secret", keys="*", commands=["+@all", "-info"])
    client.acl_setuser(
        "reader",
        enabled=True,
        passwords="+secret",
        keys="*",
        commands=["+@read", "+ping", "+info", "+config"],
    )
    client.acl_setuser(
        "default", enabled=True, reset_passwords=True, passwords="+secret", keys="*", commands=["+@all"]
    )
    yield server
    client.execute_command("AUTH", "default", "secret")  # type: ignore[no-untyped-call]
    client.acl_setuser("default", enabled=True, nopass=True, keys="*", commands=["+@all"])
    client.acl_deluser("blind", "deaf", "reader")


def as_user(server: Server, name: str, password: str = "secret") -> str:  # noqa: S107 - of a test's server
    return f"{server.url}&username={name}&password={password}"


async def test_a_password_is_needed_or_wrong(users: Server) -> None:
    assert "password" in await refused(users.url, StoreRefused)
    assert "password" in await refused(as_user(users, "default", "wrong-secret"), StoreRefused)
    store = await RedisStore.open(as_user(users, "default"))
    assert "secret" not in store.address
    await store.close()


async def test_a_user_who_may_not_see_the_configuration_is_told_what_could_not_be_read(users: Server) -> None:
    words = await refused(as_user(users, "blind"), UnsafeServer)
    assert "appendfsync could not be read" in words
    assert "maxmemory" not in words

    store = await RedisStore.open(as_user(users, "blind"), allow_unsafe=True)
    assert (await put(store)).last == 1
    assert not (await store.person_erase(T, "p1")).found
    await store.close()


async def test_a_user_who_may_not_see_what_the_server_is_cannot_use_it(users: Server) -> None:
    assert "INFO" in await refused(as_user(users, "deaf"), UnsupportedServer, allow_unsafe=True)


async def test_a_user_who_may_only_read_is_told_which_permission_is_missing(users: Server) -> None:
    assert "permission" in await refused(as_user(users, "reader"), StoreRefused)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("appendonly", "no", "appendonly is no, it must be yes"),
        ("appendfsync", "everysec", "appendfsync is everysec, it must be always"),
        ("no-appendfsync-on-rewrite", "yes", "no-appendfsync-on-rewrite is yes, it must be no"),
        ("maxmemory-policy", "allkeys-lru", "maxmemory-policy is allkeys-lru, it must be noeviction"),
    ],
)
async def test_a_server_that_may_lose_events_is_refused_unless_allowed(
    server: Server, setting: Callable[[str, str], None], name: str, value: str, words: str
) -> None:
    setting(name, value)

    assert words in await refused(server.url, UnsafeServer)
    with capture_logs() as logs:
        store = await RedisStore.open(server.url, allow_unsafe=True)
    assert "server_unsafe" in {line["event"] for line in logs}
    assert words in store.durability.in_words()
    await store.close()


async def test_a_replica_is_refused_and_takes_nothing(
    server: Server, client: redis.Redis, data: Path
) -> None:
    with Server(data, tcp=True) as primary:
        client.replicaof("127.0.0.1", primary.url.rpartition(":")[2].partition("/")[0])
        try:
            assert "not a primary" in await refused(server.url, UnsafeServer)
            assert "replica" in await refused(server.url, StoreRefused, allow_unsafe=True)
        finally:
            client.replicaof("NO", "ONE")


async def test_a_full_memory_is_said_and_nothing_half_written(
    server: Server, setting: Callable[[str, str], None]
) -> None:
    store = await RedisStore.open(server.url)
    await put(store, "c1")
    setting("maxmemory", "1mb")

    with pytest.raises(StoreRefused, match="memory"):
        await put(store, "c2")
    assert (await store.head(T)).version == 1 == len(await store.read(T))
    setting("maxmemory", "0")
    assert (await put(store, "c2")).last == 2
    await store.close()


@pytest.mark.parametrize(
    ("about", "why"),
    [
        ({"redis_version": "6.2.14"}, "it is redis 6.2.14; at least redis 7.0"),
        ({"redis_version": "7.0.0"}, None),
        ({"redis_version": "10.1"}, None),
        ({"redis_version": "7.2.4", "valkey_version": "7.1.9"}, "at least valkey 7.2"),
        ({"redis_version": "7.2.4", "valkey_version": "8.1.8"}, None),
        ({"redis_version": "7.2.4", "cluster_enabled": "1"}, "a cluster"),
        ({"tile_server": "1"}, "does not say"),
    ],
)
def test_servers_on_which_the_store_cannot_work(about: dict[str, str], why: str | None) -> None:
    found = durability(about, {}).unsupported

    assert found is None if why is None else why in (found or "")


def test_what_a_safe_server_promises_is_said_in_words() -> None:
    alone = durability(SAFE, SAFE_CONFIG)
    followed = durability({**SAFE, "connected_slaves": "2"}, SAFE_CONFIG)

    assert alone.problems == ()
    assert alone.in_words() == (
        "redis 7.0.15: an event is on disk before it is acknowledged; no replica, so its disk is the only copy"
    )
    assert "replicas: 2, not waited for" in followed.in_words()


def test_a_server_that_starts_on_a_cut_file_is_said_to_need_care() -> None:
    assert "aof-load-truncated" in durability(SAFE, {**SAFE_CONFIG, "aof-load-truncated": "yes"}).in_words()


def test_a_failing_disk_is_a_problem() -> None:
    assert "last write" in durability({**SAFE, "aof_last_write_status": "err"}, SAFE_CONFIG).problems[0]


async def test_the_number_of_partitions_is_fixed_when_the_store_is_created(server: Server) -> None:
    first = await RedisStore.open(server.url, partitions=16)
    any_number = await RedisStore.open(server.url)

    assert first.partitions == any_number.partitions == 16
    words = await refused(server.url, StoreMismatch, partitions=4)
    assert "created with 16 partitions, not 4" in words
    await first.close()
    await any_number.close()


async def test_two_that_create_the_store_at_once_agree(server: Server) -> None:
    opened = await asyncio.gather(
        *(RedisStore.open(server.url, partitions=p) for p in (4, 16)), return_exceptions=True
    )

    assert sorted(type(one).__name__ for one in opened) == ["RedisStore", "StoreMismatch"]
    for one in opened:
        if isinstance(one, RedisStore):
            await one.close()


async def test_a_new_store_has_one_partition(server: Server) -> None:
    store = await RedisStore.open(server.url)

    assert store.partitions == 1
    await store.close()


async def test_a_store_of_another_format_is_refused(server: Server, client: redis.Redis) -> None:
    client.hset(STORE_KEY, mapping={"format": "2", "partitions": "1"})

    assert "format 2" in await refused(server.url, StoreMismatch)


async def test_logs_without_the_record_of_their_layout_are_refused(
    server: Server, client: redis.Redis
) -> None:
    store = await RedisStore.open(server.url, partitions=4)
    await put(store)
    await store.close()
    client.delete(STORE_KEY)

    assert "is gone" in await refused(server.url, StoreMismatch, partitions=4)


async def test_a_layout_of_another_type_is_refused(server: Server, client: redis.Redis) -> None:
    client.set(STORE_KEY, "x")

    await refused(server.url, LogBroken)


async def test_other_peoples_keys_do_not_matter(server: Server, client: redis.Redis) -> None:
    client.set("someone:else", "x")

    store = await RedisStore.open(server.url)
    assert (await put(store)).last == 1
    await store.close()
