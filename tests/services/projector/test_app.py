"""The projector as a process on a real server: started, stopped, killed at named points, started again."""

import asyncio
import json
import os
import random
import signal
from collections.abc import Coroutine
from pathlib import Path

import pytest

from services.projector.app import SERVICE
from services.projector.keys import view_keys
from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from services.store.keys import feed_key, tournament_keys
from tests.services.pairing.live import until
from tests.services.projector.live import Process, projecting
from tests.services.projector.scene import Hash, Stage, some_ledger
from tests.support.patience import PATIENCE_S

QUICK = ("--claim-idle-ms", "100", "--sweep-s", "0.3")
SOON = {"claim_idle_ms": "100", "sweep_s": "0.3"}
NEVER = {"claim_idle_ms": "3600000", "sweep_s": "3600"}


async def shown(stage: Stage, tournament: str = "t", what: str = "the log is shown to its end") -> None:
    async def there() -> bool:
        head = await stage.store.head(tournament)
        return (await stage.stored(tournament)).get(b"v") == str(head.version).encode()

    await until(there, what, PATIENCE_S)


async def assert_as_if_undisturbed(stage: Stage, tournament: str = "t") -> None:
    """The bytes are those that one undisturbed visit would have given, and each message is there once."""
    views, told = await stage.stored(tournament), await stage.told(tournament)
    await stage.rebuild()
    assert await stage.stored(tournament) == views
    keys = view_keys(tournament, 1, await stage.generation(tournament))
    await stage.connection.command("", "DEL", keys.public, keys.views)
    await stage.connection.command("", "HDEL", keys.published, tournament)
    await stage.projector().catch_up(tournament)
    assert (await stage.stored(tournament), await stage.told(tournament)) == (views, told)


async def test_a_tournament_is_shown_while_it_is_played_and_the_process_ends_when_told(
    server: Server, stage: Stage, tmp_path: Path
) -> None:
    with Process(server.url, tmp_path) as projector:
        await projector.ready()
        await stage.begin()
        for round_ in (1, 2, 3):
            await shown(stage)
            await stage.go_on(round_)
        await shown(stage)

        assert await projector.stop() == 0

    await assert_as_if_undisturbed(stage)
    lines = [json.loads(line) for line in projector.words.splitlines()]
    assert {"worker_ready", "views_written", "worker_stopped"} <= {line["event"] for line in lines}
    assert {line["level"] for line in lines} == {"info"}
    ready = next(line for line in lines if line["event"] == "worker_ready")
    assert ready["service"] == SERVICE


KILLS = [  # and how much was shown then
    ("before_apply:1", None),
    ("before_apply:2", 20),
    ("before_ack:1", 20),
    ("before_ack:2", 24),
]


async def test_a_projector_that_is_killed_anywhere_shows_and_tells_everything_once(
    server: Server, tmp_path: Path
) -> None:
    def case(number: int, failpoint: str, version: int | None) -> Coroutine[None, None, None]:
        url = server.url.replace("db=0", f"db={number}")  # each in a database of its own
        return kill_and_start_again(url, tmp_path, failpoint, version)

    await asyncio.gather(*(case(number, *kill) for number, kill in enumerate(KILLS)))


async def kill_and_start_again(url: str, folder: Path, failpoint: str, version: int | None) -> None:
    store, connection, ledger = await RedisStore.open(url), Connection(url, 5.0, patience_s=0), some_ledger()
    stage = Stage(store, connection)
    await stage.put(ledger, upto=20)
    with Process(url, folder, "--claim-idle-ms", "100", "--sweep-s", "3600", failpoint=failpoint) as doomed:
        if not failpoint.endswith(":1"):
            await doomed.ready()
            await shown(stage)
            await until(lambda: answered(stage), "the first doorbell is answered")
            await stage.put(ledger)
        assert await doomed.ended() == -signal.SIGKILL, doomed.words
    assert (await stage.stored()).get(b"v") == (None if version is None else str(version).encode()), failpoint

    await stage.put(ledger)
    async with projecting(url, **SOON):
        await shown(stage)
        await until(lambda: answered(stage), "every doorbell is answered")

    await assert_as_if_undisturbed(stage)
    await connection.close()
    await store.close()


async def answered(stage: Stage) -> bool:
    groups = await stage.connection.command("", "XINFO", "GROUPS", feed_key(0))
    if not groups:
        return False
    [flat] = groups
    about = dict(zip(flat[::2], flat[1::2], strict=True))
    return bool(about[b"lag"] == about[b"pending"] == 0)


async def test_killed_again_and_again_while_results_come_in_nothing_is_told_twice(
    server: Server, stage: Stage, tmp_path: Path
) -> None:
    luck, ledger = random.Random(11), some_ledger()
    for version in range(5, len(ledger.history) + 1, 5):
        with Process(server.url, tmp_path, *QUICK) as doomed:
            await doomed.ready()
            await stage.put(ledger, upto=version)
            await asyncio.wait({asyncio.create_task(doomed.ended())}, timeout=luck.random() / 20)
            os.kill(doomed.process.pid, signal.SIGKILL)
    await stage.put(ledger)

    async with projecting(server.url, **SOON):
        await shown(stage)

    await assert_as_if_undisturbed(stage)


async def test_two_projectors_share_the_work_and_tell_each_thing_once(server: Server, stage: Stage) -> None:
    ledger, names = some_ledger(), [f"t{number}" for number in range(5)]
    async with projecting(server.url, **SOON), projecting(server.url, **SOON):
        for upto in range(4, len(ledger.history) + 1):
            for name in names:
                await stage.put(ledger, name, upto=upto)
        for name in names:
            await shown(stage, name)

    for name in names:
        await assert_as_if_undisturbed(stage, name)


async def test_a_lost_doorbell_is_made_good_by_the_sweep(server: Server, stage: Stage) -> None:
    async with projecting(server.url, claim_idle_ms="3600000", sweep_s="0.3"):
        await stage.begin()
        await shown(stage)
        await stage.connection.command("", "XGROUP", "SETID", feed_key(0), SERVICE, "$")
        ledger = some_ledger()
        await stage.put(ledger, "silent")
        rows = await stage.connection.command("", "XREVRANGE", feed_key(0), "+", "-", "COUNT", 1)
        await stage.connection.command("", "XDEL", feed_key(0), rows[0][0])

        await shown(stage, "silent", "the sweep has found it")


async def test_doorbells_alone_suffice(server: Server, stage: Stage) -> None:
    async with projecting(server.url, **NEVER):
        await stage.begin("warm")
        await shown(stage, "warm")
        await stage.begin()
        await shown(stage)
        await stage.go_on(1)
        await shown(stage)


async def test_a_failing_tournament_is_set_aside_alone_listed_and_released(
    server: Server, stage: Stage, tmp_path: Path
) -> None:
    stream = tournament_keys("bad", 1).stream
    for name in ("bad", "good"):
        await stage.begin(name)
    [(_, fields)] = await stage.connection.command("", "XRANGE", stream, "9-0", "9-0")
    with Process(server.url, tmp_path, *QUICK) as projector:
        await shown(stage, "bad")
        await stage.connection.command("", "XDEL", stream, "9-0")
        await stage.go_on(1, "good")

        await shown(stage, "good")
        await stage.connection.command("", "XADD", feed_key(0), "*", "tournament", "bad")

        async def parked() -> bool:
            return "tournament_parked" in projector.words

        await until(parked, "it is set aside")
        with Process(server.url, tmp_path, "--parked") as listing:
            assert await listing.ended() == 0
        assert "tirage: bad at version 15 since" in listing.words
        assert "LogBroken" in listing.words
        await stage.go_on(2, "good")
        await shown(stage, "good")

        await heal(stage, "bad", fields)
        with Process(server.url, tmp_path, "--release", "bad") as release:
            assert await release.ended() == 0

        async def released() -> bool:
            return not await stage.connection.command("", "HLEN", "es:{p00}:parked:projector")

        await until(released, "it is no longer set aside")
        await stage.go_on(1, "bad")
        await shown(stage, "bad")
    await assert_as_if_undisturbed(stage, "good")


async def heal(stage: Stage, tournament: str, fields: list[bytes]) -> None:
    """Put the ninth entry back where it was, as whoever holds an archive would."""
    keys = tournament_keys(tournament, 1)
    rows = await stage.connection.command("", "XRANGE", keys.stream, "-", "+")
    entries = {int(entry_id.partition(b"-")[0]): own for entry_id, own in rows} | {9: fields}
    await stage.connection.command("", "DEL", keys.stream)
    for version in sorted(entries):
        await stage.connection.command("", "XADD", keys.stream, f"{version}-0", *entries[version])
    await stage.connection.command("", "ZADD", keys.index, len(entries), tournament)


REBUILD_KILLS = ["before_flip:1", "before_flip:2", "flip_before_removal:1", "flip_before_removal:2"]


async def test_a_rebuild_that_is_killed_anywhere_can_be_started_again(server: Server, tmp_path: Path) -> None:
    def case(number: int, failpoint: str) -> Coroutine[None, None, None]:
        url = server.url.replace("db=0", f"db={number}")
        return kill_a_rebuild_and_start_again(url, tmp_path, failpoint)

    await asyncio.gather(*(case(number, kill) for number, kill in enumerate(REBUILD_KILLS)))


async def kill_a_rebuild_and_start_again(url: str, folder: Path, failpoint: str) -> None:
    store, connection = await RedisStore.open(url, partitions=2), Connection(url, 5.0, patience_s=0)
    stage, names = Stage(store, connection), ["a", "b", "c", "d"]
    grown: dict[str, Hash] = {}
    async with projecting(url, **SOON):
        for name in names:
            await stage.begin(name)
            await shown(stage, name)
            grown[name] = await stage.stored(name)
        with Process(url, folder, "--rebuild", failpoint=failpoint) as doomed:
            assert await doomed.ended() == -signal.SIGKILL, doomed.words
        assert {name: await stage.stored(name) for name in names} == grown

        await stage.go_on(1, "a")  # a projector that was held goes on by itself
        await shown(stage, "a")
        rebuilt = await stage.rebuild()
        assert (rebuilt.tournaments, rebuilt.taken_over) == (4, {})
        await stage.go_on(2, "a")
        await shown(stage, "a")

    generations = {await stage.generation(name) for name in names}
    left = {key for key in await stage.keys() if not any(f":view:{g}" in key for g in generations)}
    assert left <= {f"es:{{p{n:02d}}}:view:{key}" for n in (0, 1) for key in ("current", "published", "hold")}
    assert {name: await stage.stored(name) for name in names[1:]} == {name: grown[name] for name in names[1:]}
    await connection.close()
    await store.close()


async def test_what_could_not_be_made_anew_is_named(server: Server, stage: Stage, tmp_path: Path) -> None:
    for name in ("t", "other"):
        await stage.begin(name)
        await stage.projector().catch_up(name)
    await stage.connection.command("", "XDEL", tournament_keys("t", 1).stream, "9-0")

    with Process(server.url, tmp_path, "--rebuild") as rebuild:
        assert await rebuild.ended() == 8

    assert "tirage: t could not be made anew and is shown as before: LogBroken" in rebuild.words
    assert "tirage: the views of 1 tournament(s) are made anew and shown" in rebuild.words


async def test_a_server_that_is_restarted_with_its_data_is_worked_on_again(
    server: Server, stage: Stage
) -> None:
    async with projecting(server.url, **SOON):
        await stage.begin()
        await shown(stage)
        server.kill()
        server.start()
        await stage.go_on(1)
        await shown(stage)
    await assert_as_if_undisturbed(stage)


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--store-wait-s", "0.2"), 6, "no store at unix:///nowhere/server.sock"),
        (("--partitions", "0"), 3, "--partitions: '0' is not a whole number from 1 to 1024"),
    ],
)
async def test_what_a_user_can_set_right_is_said_in_one_line(
    tmp_path: Path, options: tuple[str, ...], code: int, words: str
) -> None:
    with Process("unix:///nowhere/server.sock", tmp_path, *options) as projector:
        assert await projector.ended() == code

    said = [line for line in projector.words.splitlines() if not line.startswith("{")]
    assert len(said) == 1
    assert said[0].startswith(f"tirage: {words}")
