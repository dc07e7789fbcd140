"""The rebuild on a real server: the same bytes beside, then shown, with everybody at work meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from rules.commands import RegisterPlayer
from services.doorbell.crew import end
from services.projector.keys import FIRST_GENERATION, hold_key, view_keys
from services.projector.rebuild import Rebuild, RebuildFailed, Rebuilt
from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from services.store.keys import tournament_keys
from tests.services.projector.scene import FIXED, Hash, Stage, some_ledger
from tests.support.ledger import PERSON

NAMES = [f"t{number}" for number in range(6)]


@pytest.fixture
async def wide(server: Server) -> AsyncIterator[Stage]:
    """A store of three partitions."""
    store = await RedisStore.open(server.url, partitions=3)
    connection = Connection(server.url, 5.0, patience_s=0)
    yield Stage(store, connection)
    await connection.close()
    await store.close()


async def grow(stage: Stage) -> dict[str, Hash]:
    """Have all tournaments shown, piece by piece, and return what is stored."""
    ledger, projector = some_ledger(), stage.projector()
    for upto in (8, 17, 20, None):
        for name in NAMES:
            await stage.put(ledger, name, upto=upto)
            await projector.catch_up(name)
    return {name: await stage.stored(name) for name in NAMES}


@asynccontextmanager
async def at_work(stage: Stage, names: list[str]) -> AsyncIterator[None]:
    """Keep a projector busy with these tournaments, and an arbiter with the first of them."""
    projector = stage.projector()

    async def write() -> None:
        while True:
            player = f"late{stage.arbiter.given}"
            await stage.arbiter.do(names[0], RegisterPlayer(player=player, person=PERSON, entered_for=2))

    async def show() -> None:
        while True:
            await asyncio.gather(*map(projector.catch_up, names))

    tasks = [asyncio.create_task(write()), asyncio.create_task(show())]
    yield
    failed = [task.exception() for task in tasks if task.done()]
    await end(tasks)
    assert failed == []
    for name in names:
        await projector.catch_up(name)


async def test_views_made_anew_are_the_views_that_grew(wide: Stage) -> None:
    grown = await grow(wide)
    told = {name: await wide.told(name) for name in NAMES}
    listed = await wide.views.tournaments()

    rebuilt = await wide.rebuild()

    assert (rebuilt.tournaments, rebuilt.taken_over) == (len(NAMES), {})
    assert {name: await wide.stored(name) for name in NAMES} == grown
    assert {name: await wide.told(name) for name in NAMES} == told
    assert (await wide.views.tournaments()).body == listed.body
    assert all([await wide.generation(name) != FIRST_GENERATION for name in NAMES])
    assert not any(f":view:{FIRST_GENERATION}" in key for key in await wide.keys())


async def test_again_and_again_nothing_is_left_behind(wide: Stage) -> None:
    grown = await grow(wide)
    keys = len(await wide.keys())
    for _ in range(3):
        await wide.connection.command("", "HSET", "es:{p00}:view:9-dead:t1", "v", "1")  # somebody was killed
        await wide.connection.command("", "HSET", "es:{p01}:view:9-dead.versions", "t1", "1")
        await wide.rebuild()

    assert {name: await wide.stored(name) for name in NAMES} == grown
    assert len(await wide.keys()) == keys + 3  # the pointers


async def test_a_projector_notices_that_another_generation_is_shown_and_goes_on(stage: Stage) -> None:
    projector = stage.projector()
    await stage.begin()
    await projector.catch_up("t")
    await stage.rebuild()
    await stage.go_on(1)

    await projector.catch_up("t")

    shown = await stage.stored()
    assert b"boards:2" in shown
    assert not any(f":view:{FIRST_GENERATION}" in key for key in await stage.keys())
    await stage.rebuild()
    assert await stage.stored() == shown


async def test_a_generation_goes_exactly_as_far_as_the_public_stream(stage: Stage) -> None:
    """So that whoever has a view misses nothing by reading on after its number."""
    await stage.begin()
    await stage.projector().catch_up("t")
    before = await stage.stored(), await stage.told()
    await stage.go_on(1)

    await stage.rebuild()

    assert (await stage.stored(), await stage.told()) == before
    await stage.projector().catch_up("t")
    view = await stage.views.get("t", "boards:2")
    assert view is not None
    assert view.n == len(await stage.told())


async def test_what_cannot_be_made_anew_is_shown_as_before(stage: Stage) -> None:
    grown = await grow(stage)
    keys = tournament_keys("t2", 1)
    await stage.connection.command("", "XDEL", keys.stream, "9-0")
    await stage.connection.command("", "HSET", view_keys("t3", 1, FIRST_GENERATION).published, "t3", "x")

    rebuilt = await stage.rebuild()

    assert set(rebuilt.taken_over) == {"t2", "t3"}
    assert "LogBroken" in rebuilt.taken_over["t2"]
    assert {name: await stage.stored(name) for name in NAMES} == grown
    assert b'"t2"' in (await stage.views.tournaments()).body


async def test_readers_never_find_a_gap_and_never_go_back(stage: Stage) -> None:
    names = ["busy", "quiet"]
    for name in names:
        await stage.begin(name)
        await stage.projector().catch_up(name)
    seen: list[int] = []

    async def read() -> None:
        while True:
            for view in FIXED:
                found = await stage.views.get("busy", view)
                assert found is not None
                seen.append(found.n)
            assert await stage.views.get("quiet", "boards:1") is not None

    reading = asyncio.create_task(read())
    async with at_work(stage, names):
        for _ in range(5):
            await stage.rebuild()
        assert not reading.done(), reading.exception()
    await end([reading])

    assert seen == sorted(seen)
    assert seen[-1] > seen[0]
    grown = {name: await stage.stored(name) for name in names}
    await stage.rebuild()
    assert {name: await stage.stored(name) for name in names} == grown


async def test_of_two_rebuilds_at_once_one_is_shown_and_nothing_is_lost(wide: Stage) -> None:
    grown = await grow(wide)

    came_of = await asyncio.gather(*(wide.rebuild() for _ in range(2)), return_exceptions=True)

    assert all(isinstance(one, Rebuilt | RebuildFailed) for one in came_of)
    assert {name: await wide.stored(name) for name in NAMES} == grown
    await wide.rebuild()
    assert {name: await wide.stored(name) for name in NAMES} == grown


async def test_while_a_pointer_is_being_moved_projectors_wait_and_not_longer(stage: Stage) -> None:
    projector = stage.projector()
    await stage.begin()
    await stage.connection.command("", "SET", hold_key(0), "1", "PX", 60_000)

    waiting = asyncio.create_task(projector.catch_up("t"))
    await asyncio.wait({waiting}, timeout=0.3)
    assert await stage.stored() == {}
    await stage.connection.command("", "SET", hold_key(0), "1", "PX", 100)  # whoever held it was killed
    await asyncio.wait_for(waiting, 10)

    assert b"boards:1" in await stage.stored()


async def test_what_holds_for_ever_is_none_of_ours(stage: Stage) -> None:
    await stage.begin()
    await stage.connection.command("", "SET", hold_key(0), "1")

    await asyncio.wait_for(stage.projector().catch_up("t"), 10)

    assert b"boards:1" in await stage.stored()


async def test_a_rebuild_of_a_store_in_which_nothing_was_shown_is_none(stage: Stage) -> None:
    await stage.begin()

    rebuilt = await Rebuild(stage.store, stage.connection).run()

    assert rebuilt.tournaments == 0
    await stage.projector().catch_up("t")
    assert b"boards:1" in await stage.stored()
