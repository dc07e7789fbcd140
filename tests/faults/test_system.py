"""The whole system while something goes wrong: what was acknowledged stays, once; views are as rebuilt; it is seen."""

import asyncio
import os
import random
import resource
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.server import SOCKET_FILE, Server
from services.server_process import LOG_FILE
from services.store.connection import Connection
from services.store.keys import feed_key, tournament_keys
from tests.faults.checks import check, shown
from tests.faults.proxy import Line, proxied
from tests.faults.system import System, connected, opened, quiet, together
from tests.services.pairing.live import until
from tests.services.projector.scene import Stage

NAMES = ("t0", "t1", "t2")
FAILPOINTS = {  # and at which visit to the point a service dies at the latest
    "gateway": (("before_append", 15), ("append_before_answer", 15)),
    "projector": (("before_apply", 5), ("before_ack", 5)),
    "pairing": (("before_append", 2), ("append_before_answer", 2), ("before_ack", 5)),
}
DEATHS = 3  # of each service
ROOM = 20_000  # bytes, until the disk is full
DISK_FULL = "Can't recover from AOF write error when the AOF fsync policy is 'always'. Exiting"
OF_PROJECTOR = {"partition": "0", "service": "projector"}


@pytest.fixture
async def connection(server: Server) -> AsyncIterator[Connection]:
    async with connected(server.url) as made:
        yield made


async def kill_and_check(server: Server, folder: Path, seed: int) -> None:
    """Kill each service three times and the server twice, at points and moments that the seed says, under load."""
    luck = random.Random(seed)
    points = {service: _deaths(places, luck) for service, places in FAILPOINTS.items()}
    moments = sorted(luck.sample(range(5, 90), 2))
    async with System(server.url, folder, points=points) as system:

        async def kill_server() -> None:
            for moment in moments:
                await system.after_acks(moment, server.kill)
                await asyncio.to_thread(server.start)

        await together(kill_server(), *(system.play(name) for name in NAMES))
        number = len(NAMES)
        while any(service.to_die for service in system.services.values()):
            await system.play(f"t{number}")
            number += 1
        await check(system)


def _deaths(places: Sequence[tuple[str, int]], luck: random.Random) -> list[str]:
    """Return three failpoints, every one of `places` among them."""
    chosen = [*places, *luck.choices(places, k=DEATHS - len(places))]
    return [f"{point}:{luck.randint(1, last)}" for point, last in luck.sample(chosen, DEATHS)]


async def test_kills_of_everything_lose_nothing_and_repeat_nothing(server: Server, tmp_path: Path) -> None:
    await kill_and_check(server, tmp_path, 1)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 20))
async def test_many_kills_of_everything_lose_nothing_and_repeat_nothing(
    server: Server, tmp_path: Path, seed: int
) -> None:
    await kill_and_check(server, tmp_path, seed)


async def test_a_server_that_stands_still_is_seen_and_waited_for(server: Server, tmp_path: Path) -> None:
    async with System(server.url, tmp_path) as system:

        async def freeze() -> None:
            assert server.pid is not None
            await system.after_acks(20, lambda: None)
            async with standing_still(server.pid):
                await system.until_ready(yes=False)
                assert await system.metric("tirage_store_up") == 0
                view, _ = await asyncio.gather(
                    system.ask("/tournaments/t0/start-list"), system.until_heard("store-unreachable")
                )
                assert view is not None
                assert view.status_code == 503
            await system.until_ready(yes=True)
            assert await system.metric("tirage_store_up") == 1

        await together(freeze(), *(system.play(name) for name in NAMES))
        await check(system)


@asynccontextmanager
async def standing_still(pid: int) -> AsyncIterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def test_a_full_disk_ends_the_server_and_costs_nothing_that_was_acknowledged(
    server: Server, tmp_path: Path
) -> None:
    # A limit on the size of its files stands for the disk: no rights are needed, and the server is refused its
    # writes as by a disk, first in the middle of one. With appendfsync always it ends then, and never just refuses.
    async with System(server.url, tmp_path) as system:

        async def fill() -> None:
            for acks, room in ((10, ROOM), (60, 0)):
                await system.after_acks(acks, lambda room=room: _leave_room(server, room))  # type: ignore[misc] # mypy cannot infer it
                await _gone(server)
                await system.until_ready(yes=False)
                assert await system.metric("tirage_store_up") == 0
                await system.until_heard("store-unreachable")
                await asyncio.to_thread(server.start)  # there is room again
            await system.until_ready(yes=True)

        before = _complaints(server)
        try:
            await together(fill(), *(system.play(name) for name in NAMES))
        finally:
            _leave_room(server, None)
        assert _complaints(server) == before + 2
        await check(system)


def _leave_room(server: Server, room: int | None) -> None:
    """Let the file of the server grow by `room` bytes and no more; None: without limit. A dead one needs no room."""
    if (pid := server.pid) is None:
        return
    size = max(file.stat().st_size for file in server.data.rglob("*.aof"))
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (hard if room is None else size + room, hard))


def _complaints(server: Server) -> int:
    return (server.data / LOG_FILE).read_text(errors="replace").count(DISK_FULL)


async def _gone(server: Server) -> None:
    async def gone() -> bool:
        return server.pid is None

    await until(gone, "the server has ended")


async def test_a_full_memory_refuses_what_is_new_and_costs_nothing(
    server: Server, connection: Connection, tmp_path: Path
) -> None:
    async with System(server.url, tmp_path) as system:

        async def fill() -> None:
            await system.after_acks(20, lambda: None)
            await connection.command("", "CONFIG", "SET", "maxmemory", "1")
            try:
                await system.until_heard("store-refuses")
                assert await system.metric("tirage_store_takes_writes") == 0
                assert (await system.health())["store"] == "takes no writes: its memory is full"
                views = await system.ask("/tournaments")
                assert views is not None
                assert views.status_code == 200
            finally:
                await connection.command("", "CONFIG", "SET", "maxmemory", "0")
            assert await system.metric("tirage_store_takes_writes") == 1

        await together(fill(), *(system.play(name) for name in NAMES))
        assert await system.metric("tirage_parked_tournaments") == 0
        await check(system)


async def test_a_line_that_breaks_in_the_middle_of_answers_makes_nothing_twice(
    server: Server, tmp_path: Path
) -> None:
    line = Line(scripts=7, others=19)
    async with (
        proxied(server.data / SOCKET_FILE, line) as url,
        System(server.url, tmp_path, line=url) as system,
    ):
        await together(*(system.play(name) for name in NAMES))
        line.mended = True
        assert min(line.broken.values()) >= 5
        repeated = await system.metric("tirage_command_seconds_count", outcome="duplicate")
        assert repeated, "no command was carried out whose answer was cut: this proves nothing"
        await check(system)


async def test_doorbells_that_ring_twice_and_out_of_order_change_nothing(
    server: Server, connection: Connection, tmp_path: Path
) -> None:
    luck = random.Random(3)
    async with System(server.url, tmp_path) as system:

        async def ring_again() -> None:
            for count in range(10, 90, 20):
                await system.after_acks(count, lambda: None)
                rows = await connection.command("", "XRANGE", feed_key(0), "-", "+", "COUNT", count)
                for _, fields in luck.sample(rows, len(rows)):
                    await connection.command("", "XADD", feed_key(0), "*", *fields)
                for service in ("pairing", "projector"):  # from the first on, each is delivered once more
                    await connection.command("", "XGROUP", "SETID", feed_key(0), service, "0")

        await together(ring_again(), *(system.play(name) for name in NAMES))
        await check(system)


async def test_a_service_that_stands_still_is_seen_growing_behind_and_catching_up(
    server: Server, connection: Connection, tmp_path: Path
) -> None:
    async with System(server.url, tmp_path) as system:
        pid = system.services["projector"].pid
        assert pid is not None

        async def seen() -> tuple[float, float]:
            lag = await system.metric("tirage_feed_lag", **OF_PROJECTOR)
            age_s = await system.metric("tirage_feed_oldest_pending_seconds", **OF_PROJECTOR)
            return lag or 0.0, age_s or 0.0

        async def named() -> bool:
            behind = await system.behind()
            return "projector on partition 0" in behind and "pairing" not in behind

        looks = [await seen()]
        async with standing_still(pid):
            for name in NAMES:
                await system.play(name)
                looks.append(await seen())
            await until(named, "readiness tells who is behind")
        await quiet(connection)

        lags, ages_s = zip(*looks, strict=True)
        assert list(lags) == sorted({*lags})
        assert list(ages_s) == sorted({*ages_s})
        assert await system.behind() == ""
        assert await seen() == (0, 0)
        await check(system)


async def test_a_tournament_that_is_set_aside_is_seen_and_the_others_go_on(
    server: Server, connection: Connection, tmp_path: Path
) -> None:
    async with System(server.url, tmp_path) as system, opened(server.url) as store:
        stage = Stage(store, connection)
        await system.play("bad")
        await shown(stage, "bad")
        await quiet(connection)
        assert await system.metric("tirage_parked_tournaments") == 0
        await connection.command("", "XDEL", tournament_keys("bad", 1).stream, "9-0")
        await connection.command("", "DEL", "es:{p00}:view:first:bad")
        await connection.command("", "XADD", feed_key(0), "*", "tournament", "bad")

        async def set_aside() -> bool:
            return await system.metric("tirage_parked_tournaments", **OF_PROJECTOR) == 1

        await until(set_aside, "the metrics tell what is set aside")
        assert "projector on partition 0: 1 tournament(s) set aside" in await system.behind()
        await together(*(system.play(name) for name in NAMES))
        await check(system, broken=["bad"])
        assert "tournament_parked" in (tmp_path / "projector.log").read_text()
