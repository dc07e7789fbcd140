"""`deploy/users.acl`: nobody can trim, delete or overwrite a tournament, whatever way they try."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from services.store import LogBroken, RedisStore
from services.store.keys import tournament_keys
from tests.deploy.installation import DEPLOY, SERVICES, USERS, Installation
from tests.support.entries import put

T = "untouchable"
KEYS = tournament_keys(T, 2)
STREAM = KEYS.stream
OTHER = "es:{p00}:h:other"
TRIM = "return redis.call('XTRIM', KEYS[1], 'MAXLEN', 0)"
UNDECLARED = f"return redis.call('XTRIM', '{STREAM}', 'MAXLEN', 0)"
LIBRARY = "#!lua name=harm\nredis.register_function('harm', function(k) return redis.call('DEL', k[1]) end)"
WRITES = {b"insert", b"update", b"delete"}  # what rights mean by writing
REFUSALS = (  # that are no answer NOPERM: by a script's caller lacking it, or by the configuration
    "ACL failure in script",  # Valkey
    "The user executing the script can't",  # Redis
    "command not allowed",
)
DUMP = b"\x00\x01x\x0b\x00\x00\x00\x00\x00\x00\x00\x00\x00"

HARM: list[tuple[Any, ...]] = [
    ("XTRIM", STREAM, "MAXLEN", 0),
    ("XTRIM", STREAM, "MINID", "9-0"),
    ("XDEL", STREAM, "1-0"),
    ("XSETID", STREAM, "0-1"),
    ("XGROUP", "CREATE", STREAM, "g", "0"),
    ("DEL", STREAM),
    ("UNLINK", STREAM),
    ("GETDEL", STREAM),
    ("SET", STREAM, "x"),
    ("SETEX", STREAM, 1, "x"),
    ("MSET", STREAM, "x"),
    ("APPEND", STREAM, "x"),
    ("HSET", STREAM, "f", "v"),
    ("LPUSH", STREAM, "x"),
    ("RENAME", STREAM, OTHER),
    ("RENAME", OTHER, STREAM),
    ("RENAMENX", STREAM, OTHER),
    ("COPY", OTHER, STREAM, "REPLACE"),
    ("RESTORE", STREAM, 0, DUMP, "REPLACE"),
    ("MOVE", STREAM, 1),
    ("EXPIRE", STREAM, 1),
    ("PEXPIREAT", STREAM, 1),
    ("GETEX", STREAM, "EX", 1),
    ("SORT", KEYS.index, "STORE", STREAM),
    ("ZUNIONSTORE", STREAM, 1, KEYS.index),
    ("SUNIONSTORE", STREAM, OTHER),
    ("BITOP", "NOT", STREAM, OTHER),
    ("EVAL", TRIM, 1, STREAM),
    ("EVAL", UNDECLARED, 0),
    ("FLUSHALL",),
    ("FLUSHDB",),
    ("SWAPDB", 0, 0),
    ("DEBUG", "FLUSHALL"),
    ("DEBUG", "RELOAD"),
    ("REPLICAOF", "127.0.0.1", 1),
    ("MIGRATE", "127.0.0.1", 1, STREAM, 0, 10),
    ("FAILOVER",),
    ("MODULE", "LOAD", "/nowhere"),
]

TAKEOVER: list[tuple[Any, ...]] = [
    ("CONFIG", "SET", "appendonly", "no"),
    ("CONFIG", "REWRITE"),
    ("SHUTDOWN", "NOSAVE"),
    ("ACL", "SETUSER", "gateway", "+@all"),
    ("ACL", "LIST"),
    ("SCRIPT", "FLUSH"),
    ("SCRIPT", "KILL"),
    ("FUNCTION", "LOAD", LIBRARY),
    ("FCALL", "harm", 1, STREAM),
    ("CLIENT", "KILL", "TYPE", "normal"),
    ("CLIENT", "PAUSE", 1000),
    ("MONITOR",),
    ("SAVE",),
    ("PSYNC", "?", -1),
    ("KEYS", "*"),
    ("SUBSCRIBE", "anything"),
    ("PUBLISH", "anything", "x"),
]


@pytest.fixture
async def log(gateway: RedisStore) -> list[bytes]:
    """The stored entries of the tournament that everybody tries to harm."""
    if not await gateway.read(T):
        await put(gateway, "c1", 3, tournament=T)
    return await gateway.read(T)


def refused(client: redis.Redis, command: tuple[Any, ...]) -> bool:
    try:
        client.execute_command(*command)  # type: ignore[no-untyped-call] # no types
    except redis.exceptions.NoPermissionError:
        return True
    except redis.ResponseError as error:
        return any(words in str(error) for words in REFUSALS)
    return False


@pytest.mark.parametrize("user", USERS)
async def test_no_command_and_no_script_harms_a_tournament(
    installation: Installation, gateway: RedisStore, log: list[bytes], user: str
) -> None:
    with installation.client(user) as client:
        allowed = [command for command in HARM if not refused(client, command)]

    assert allowed == []
    assert await gateway.read(T) == log


@pytest.mark.parametrize("user", SERVICES)
async def test_a_script_that_was_loaded_may_do_no_more_than_its_caller(
    installation: Installation, gateway: RedisStore, log: list[bytes], user: str
) -> None:
    with installation.client(user) as client:
        for harm in (TRIM, UNDECLARED, "return redis.call('DEL', KEYS[1])"):
            sha = client.script_load(harm)
            assert refused(client, ("EVALSHA", sha, 1, STREAM)), harm

    assert await gateway.read(T) == log


@pytest.mark.parametrize("user", [*SERVICES, "auditor"])
def test_no_service_can_change_the_server_or_its_own_rights(installation: Installation, user: str) -> None:
    with installation.client(user) as client:
        assert [command for command in TAKEOVER if not refused(client, command)] == []


@pytest.mark.parametrize("user", USERS)
def test_of_all_the_commands_that_the_server_knows_only_xadd_writes_to_a_tournament(
    installation: Installation, user: str
) -> None:
    """A script may name a tournament among its keys; what it then does is refused command by command."""
    with installation.client("operator") as operator:
        operator.response_callbacks.clear()
        tried = dict(_commands_that_write(operator.execute_command("COMMAND")))
        allowed = {
            name
            for name, command in tried.items()
            if operator.execute_command("ACL DRYRUN", user, *command) == b"OK"
        }

    assert len(tried) > 80
    assert allowed == ({"xadd", "evalsha"} if user in {"gateway", "pairing", "operator"} else set())


def _commands_that_write(about: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    """Yield, with its name, each command of the server with the tournament as a key that it would write."""
    for name, arity, *_, specifications, subcommands in about:
        yield from _commands_that_write(subcommands)
        for found in specifications:
            # SORT and MIGRATE do not say where their keys stand; they are among the commands tried above.
            if found[b"begin_search"][b"type"] != b"unknown" and WRITES & set(found[b"flags"]):
                arguments: list[Any] = [*name.split(b"|")] + [OTHER] * 12
                for other in specifications:  # how many keys follow
                    if other[b"find_keys"][b"type"] == b"keynum":
                        arguments[_place(other[b"begin_search"], arguments)] = 1
                at = _place(found[b"begin_search"], arguments)
                if found[b"find_keys"][b"type"] == b"keynum":
                    at += found[b"find_keys"][b"spec"][b"firstkey"]
                arguments[at] = STREAM
                yield name.decode(), arguments[: arity if arity > 0 else max(-arity, at + 2)]


def _place(search: dict[bytes, Any], arguments: list[Any]) -> int:
    """Return where among the arguments the keys begin, writing the word before them where there is one."""
    if search[b"type"] == b"index":
        return int(search[b"spec"][b"index"])
    start = max(1, search[b"spec"][b"startfrom"])
    arguments[start] = search[b"spec"][b"keyword"]
    return int(start) + 1


@pytest.mark.parametrize("user", ["pairing", "projector", "auditor"])
@pytest.mark.usefixtures("log")
async def test_only_the_gateway_knows_who_a_player_is(installation: Installation, user: str) -> None:
    with installation.client(user) as client:
        for command in ("HGET", "HSETNX", "HDEL"):
            arguments = (KEYS.persons, "p1", "x")[: 3 if command == "HSETNX" else 2]
            assert refused(client, (command, *arguments)), command
        assert refused(client, ("HGETALL", KEYS.persons))


@pytest.mark.parametrize("user", ["projector", "auditor"])
@pytest.mark.usefixtures("log")
async def test_who_only_reads_cannot_append(installation: Installation, user: str) -> None:
    with installation.client(user) as client:
        assert refused(client, ("XADD", STREAM, "4-0", "e", "x"))
        assert refused(client, ("XADD", KEYS.feed, "*", "tournament", T))
        assert refused(client, ("HSET", KEYS.head, "v", "9"))


@pytest.mark.usefixtures("log")
async def test_xadd_goes_only_forward(installation: Installation) -> None:
    with installation.client("gateway") as client:
        for version in ("1-0", "3-0", "0-1"):
            with pytest.raises(redis.ResponseError, match="equal or smaller"):
                client.execute_command("XADD", STREAM, version, "e", "x")


@pytest.mark.parametrize(
    "harm", [("MAXLEN", "1", "4-0"), ("MAXLEN", "0", "4-0"), ("4-0",), ("99-0",)], ids=" ".join
)
async def test_what_xadd_can_still_do_is_seen_by_the_next_who_looks(
    installation: Installation, gateway: RedisStore, harm: tuple[str, ...]
) -> None:
    """Rights cannot look at options, so XADD can trim: the limit that users.acl names. It cannot do it unseen."""
    tournament = f"harmed-{'-'.join(harm)}".lower()
    await put(gateway, "c1", 3, tournament=tournament)
    with installation.client("gateway") as client:
        client.execute_command("XADD", tournament_keys(tournament, 2).stream, *harm, "e", "x")

    with pytest.raises(LogBroken):
        await put(gateway, "c2", 1, tournament=tournament)
    with pytest.raises(LogBroken):
        await gateway.read(tournament)


def test_without_a_password_nobody_does_anything_but_ask_whether_it_is_alive(
    installation: Installation,
) -> None:
    with installation.stranger() as nobody, pytest.raises(redis.AuthenticationError):
        nobody.ping()
    with installation.stranger("monitor") as monitor:
        assert monitor.ping()
        for command in (("INFO",), ("HGETALL", "es:store"), ("CLIENT", "LIST"), ("COMMAND",)):
            assert refused(monitor, command), command


async def test_what_was_appended_is_there_after_a_restart(tmp_path: Path) -> None:
    """A default user without rights would have the server drop every transaction of its file, and say nothing."""
    with Installation(tmp_path) as installation:
        async with installation.store() as store:
            await put(store, "c1", 3)

    with installation:
        async with installation.store() as store:
            assert len(await store.read("open-2026")) == 3
        assert "CRITICAL" not in installation.log.read_text()
        with installation.client("operator") as operator:
            default = next(user for user in operator.acl_list() if user.startswith("user default "))

    assert " off " in default
    assert default.endswith(" ~* &* +@all")
    assert not re.search(r" (nopass|[#>]\S*)", default)


def test_the_file_with_its_placeholders_lets_nobody_in() -> None:
    template = (DEPLOY / "users.acl").read_text()

    assert set(re.findall(r"#\{([a-z]+)\}", template)) == set(USERS)
    assert not re.search(r"[ (]>|#[0-9a-f]{64}", template)  # no password and no hash
    assert re.findall(r"^user (\w+) on nopass (.*)$", template, re.MULTILINE) == [("monitor", "-@all +ping")]
