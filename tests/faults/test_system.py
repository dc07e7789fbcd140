"""The whole system while something goes wrong: what was acknowledged stays, once; views are as rebuilt; it is seen."""

import asyncio
import os
import random
import resource
import signal
from pathlib import Path

import pytest

from services.server import SOCKET_FILE, Server
from services.store.connection import Connection
from services.store.keys import feed_key, tournament_keys
from tests.faults.proxy import Line, proxied
from tests.faults.system import System, behind, check, quiet, together
from tests.services.pairing.live import until

TOURNAMENTS = 3
VICTIMS = ("gateway", "projector", "pairing", "server")
ROOM = 20_000  # bytes, until the disk is full


def _names() -> list[str]:
    return [f"t{number}" for number in range(TOURNAMENTS)]


def _kill(system: System, server: Server, victim: str) -> None:
    if victim == "server":
        server.kill()
        server.start()
        return
    pid = system.services[victim].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


async def kill_and_check(server: Server, folder: Path, seed: int) -> None:
    """Kill each service and the server once, in an order and at moments that the seed says, while three play."""
    luck = random.Random(seed)
    victims = luck.sample(VICTIMS, len(VICTIMS))
    moments = sorted(luck.sample(range(5, 3 * 30), len(victims)))
    async with System(server.url, folder) as system:

        async def strike() -> None:
            for moment, victim in zip(moments, victims, strict=True):
                await system.after_acks(moment, lambda victim=victim: _kill(system, server, victim))  # type: ignore[misc] # mypy cannot infer it

        await together(strike(), *(system.play(name) for name in _names()))
        await check(system, TOURNAMENTS)


async def test_kills_of_everything_in_turn_lose_nothing_and_repeat_nothing(
    server: Server, tmp_path: Path
) -> None:
    await kill_and_check(server, tmp_path, 1)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(2, 22))
async def test_many_kills_of_everything_lose_nothing_and_repeat_nothing(
    server: Server, tmp_path: Path, seed: int
) -> None:
    await kill_and_check(server, tmp_path, seed)


async def test_a_server_that_stands_still_is_seen_and_waited_for(server: Server, tmp_path: Path) -> None:
    async with System(server.url, tmp_path) as system:

        async def freeze() -> None:
            assert server.pid is not None
            pid = server.pid
            await system.after_acks(20, lambda: os.kill(pid, signal.SIGSTOP))
            try:
                await until(lambda: _is(system, ready=False), "the gateway says that it is not ready")
                assert await system.metric("tirage_store_up") == 0
            finally:
                os.kill(pid, signal.SIGCONT)
            await until(lambda: _is(system, ready=True), "the gateway is ready again")

        await together(freeze(), *(system.play(name) for name in _names()))
        await check(system, TOURNAMENTS)


async def _is(system: System, *, ready: bool) -> bool:
    return await system.ready() is ready


async def test_a_full_disk_ends_the_server_and_costs_nothing_that_was_acknowledged(
    server: Server, tmp_path: Path
) -> None:
    # A limit on the size of its files stands for the disk: with appendfsync always the server ends at either.
    async with System(server.url, tmp_path) as system:

        async def fill() -> None:
            assert server.pid is not None
            pid = server.pid
            size = max(file.stat().st_size for file in server.data.rglob("*.aof"))
            limit = size + ROOM
            await system.after_acks(10, lambda: _limit(pid, limit))

            async def gone() -> bool:
                return server.pid is None

            await until(gone, "the server has ended")
            await until(lambda: _is(system, ready=False), "the gateway says that it is not ready")
            await asyncio.to_thread(server.start)  # there is room again

        await together(fill(), *(system.play(name) for name in _names()))
        await check(system, TOURNAMENTS)


def _limit(pid: int, size: int) -> None:
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


async def test_a_line_that_breaks_in_the_middle_of_answers_makes_nothing_twice(
    server: Server, tmp_path: Path
) -> None:
    line = Line(every=12, seed=7)
    async with (
        proxied(server.data / SOCKET_FILE, line) as url,
        System(server.url, tmp_path, gateway_url=url) as system,
    ):
        await together(*(system.play(name) for name in _names()))
        assert line.broken >= 5
        assert line.whole > line.broken
        await check(system, TOURNAMENTS)


async def test_doorbells_that_ring_twice_and_out_of_order_change_nothing(
    server: Server, tmp_path: Path
) -> None:
    connection, luck = Connection(server.url, 10.0, patience_s=10), random.Random(3)
    async with System(server.url, tmp_path) as system:

        async def ring_again() -> None:
            for count in range(10, 80, 10):
                await system.after_acks(count, lambda: None)
                rows = await connection.command("", "XRANGE", feed_key(0), "-", "+")
                for _, fields in luck.sample(rows, len(rows)):
                    await connection.command("", "XADD", feed_key(0), "*", *fields)

        await together(ring_again(), *(system.play(name) for name in _names()))
        await until(lambda: quiet(connection), "every doorbell is answered")
        await check(system, TOURNAMENTS)
    await connection.close()


async def test_who_operates_sees_a_service_that_stands_still_and_what_is_set_aside(
    server: Server, tmp_path: Path
) -> None:
    connection = Connection(server.url, 10.0, patience_s=10)
    of_projector = '{partition="0",service="projector"}'
    async with System(server.url, tmp_path) as system:
        await system.play("good")
        await until(lambda: quiet(connection), "every doorbell is answered")
        pid = system.services["projector"].pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        await system.play("other")

        async def seen() -> bool:
            return any("projector" in words for words in behind(await system.ask("/health/ready")))

        await until(seen, "readiness tells who is behind")
        assert (await system.metric(f"tirage_feed_oldest_pending_seconds{of_projector}") or 0) > 0
        lag = await system.metric(f"tirage_feed_lag{of_projector}") or 0
        assert lag + (await system.metric(f"tirage_feed_pending{of_projector}") or 0) > 0
        os.kill(pid, signal.SIGCONT)
        await until(lambda: quiet(connection), "every doorbell is answered")
        assert await system.metric(f"tirage_feed_lag{of_projector}") == 0
        await check(system, 2)

        await connection.command("", "XDEL", tournament_keys("good", 1).stream, "9-0")
        await connection.command("", "XADD", feed_key(0), "*", "tournament", "good")
        await connection.command("", "DEL", "es:{p00}:view:first:good")

        async def set_aside() -> bool:
            return await system.metric(f"tirage_parked_tournaments{of_projector}") == 1

        await until(set_aside, "the metrics tell what is set aside")
        await system.play("third")
    await connection.close()
