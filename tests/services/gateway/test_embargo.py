"""The embargo: whether an unpublished round is sealed or not, every public answer is the same, to the byte."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from litestar.handlers import HTTPRouteHandler

from events.facts import RoundTimes
from rules.commands import SetTimetable
from rules.instants import instant
from services.gateway.commands import Commands
from services.gateway.observation import look
from services.gateway.problems import KINDS
from services.pairing.engine import InlineEngine
from services.pairing.handler import PairingWorker
from services.projector.keys import FIRST_GENERATION, view_keys
from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from services.wallclock import wall_clock
from tests.services.gateway.scene import House, Process
from tests.services.pairing.by_order import ENGINE, by_order
from tests.services.pairing.live import until
from tests.services.pairing.scene import KEY, Arbiter
from tests.support.worker import running_projector

HOUR_MS = 3_600_000
SEAL = "/tournaments/t/seal"  # the one route that shows it
SHOWN = {
    "/t/t",
    "/t/t/integrity",
    "/tournaments/t/rounds/1",
    "/tournaments/t/standings",
    "/tournaments/t/public",
}
OK = 200
Answer = tuple[int, dict[str, str], bytes]


def public_paths(house: House) -> list[str]:
    """Return every address that the application reads without a token, for a tournament of three rounds."""
    paths = set()
    for route in house.app.routes:
        handlers = getattr(route, "route_handlers", [])
        if any(isinstance(one, HTTPRouteHandler) and "GET" in one.http_methods for one in handlers):
            paths |= set(_filled(route.path_format))
    assert len(paths) > 30
    return sorted(paths)


def _filled(path: str) -> list[str]:
    kinds = [path.replace("{kind}", kind) for kind in KINDS] if "{kind}" in path else [path]
    rounds = [kind.replace("{round_}", str(number)) for kind in kinds for number in (1, 2, 3)]
    names = [path.replace("{tournament}", name) for path in rounds for name in ("t", "none")]
    asked = [f"{path}?after={number}" for path in names if path.endswith("/public") for number in (0, 3)]
    spoken = [f"{path}?lang=ru" for path in names if path.startswith("/t/") or path == "/"]
    return names + asked + spoken


@pytest.fixture
async def connection(server: Server) -> AsyncIterator[Connection]:
    opened = Connection(server.url, 5.0, patience_s=0)
    yield opened
    await opened.close()


async def test_no_public_answer_tells_whether_an_unpublished_round_is_sealed(
    server: Server, store: RedisStore, connection: Connection, house: House, tmp_path: Path
) -> None:
    paths = public_paths(house)
    arbiter = Arbiter(store, wall_clock)
    worker = PairingWorker(store, Commands(store), InlineEngine(ENGINE, by_order), KEY)
    await arbiter.enter(times=_second_round_in_an_hour())
    await arbiter.close_entries()
    await worker.catch_up("t")
    await arbiter.end(1)
    async with running_projector(server.url, tmp_path):
        with Process(server.url, tmp_path) as gateway:
            await gateway.ready()
            async with httpx.AsyncClient(base_url=gateway.address) as public:
                await _settled(store, connection)
                before = {path: await _asked(public, path) for path in paths}
                await worker.catch_up("t")
                await _settled(store, connection)
                after = {path: await _asked(public, path) for path in paths}
            await gateway.stop()

    state = (await Commands(store).state("t")).state
    assert (state.published_rounds, state.round(2).sealed is not None) == (1, True)
    assert {path for path in SHOWN if before[path][0] != OK} == set()
    assert {path for path in paths if before[path] != after[path]} == {SEAL}


def _second_round_in_an_hour() -> SetTimetable:
    now = wall_clock()

    def times(round_: int, at_ms: int) -> RoundTimes:
        moment = instant(at_ms)
        return RoundTimes(
            round=round_,
            published=moment,
            start=moment,
            end=moment,
            results_posted=moment,
            appeals_close=moment,
        )

    rounds = (times(1, now), times(2, now + HOUR_MS), times(3, now + 2 * HOUR_MS))
    return SetTimetable(rounds=rounds, appeal_minutes=0, final_appeal=instant(now + 3 * HOUR_MS))


async def _settled(store: RedisStore, connection: Connection) -> None:
    """Wait until the projector has answered every doorbell, and its views are made up to the end of the log."""
    keys = view_keys("t", 1, FIRST_GENERATION)

    async def settled() -> bool:
        [seen] = await look(connection, 1)
        projector = seen.groups.get("projector")
        made = await connection.command("t", "HGET", keys.views, "v")
        answered = projector is not None and projector.lag == projector.pending == 0
        return answered and made == b"%d" % (await store.head("t")).version

    await until(settled, "everything is shown")


async def _asked(client: httpx.AsyncClient, path: str) -> Answer:
    answer = await client.get(path)
    headers = {name: value for name, value in answer.headers.items() if name != "date"}
    return answer.status_code, headers, answer.content
