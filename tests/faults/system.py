"""The whole system on one server, as `tirage serve` runs it, with clients that play tournaments through the gateway.

What is killed is started again by the supervisor; the clients repeat what was not acknowledged.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import msgspec

from events.envelope import Recorded
from events.facts import PairingPublished
from rules.state import replay
from rules.swiss.dutch import pair
from rules.verification import proof_faults, publications
from services.cli.play.over_http import HttpHand
from services.cli.play.runner import Performance
from services.cli.play.script import script_of
from services.gateway.listening import free_port
from services.gateway.tokens import new_token
from services.store import EMPTY, RedisStore
from services.store.connection import Connection
from services.store.keys import feed_key
from services.store.reader import decoded
from services.supervisor import Supervised, service_command, service_environment
from tests.services.pairing.live import until
from tests.services.projector.scene import Stage
from tests.support.simulation import field, simulate

HOST = "127.0.0.1"
SOON = {"TIRAGE_CLAIM_IDLE_MS": "500", "TIRAGE_SWEEP_S": "0.5"}


class Ack(msgspec.Struct, frozen=True):
    """An answer that a client had in its hands."""

    tournament: str
    cause: str
    first: int
    last: int


class Client(HttpHand):
    """Gives commands over HTTP until they are acknowledged, and keeps the acknowledgements."""

    def __init__(self, address: str, token: str, tournament: str, acks: list[Ack]) -> None:
        super().__init__(address, token, tournament)
        self._acks = acks

    def _accepted(self, answer: httpx.Response, name: str) -> httpx.Response:
        super()._accepted(answer, name)
        said = answer.json()
        self._acks.append(Ack(self._tournament, name, said["first"], said["last"]))
        return answer


class System:
    """Worker, projector and gateway on the store at `url`, and what its clients were told."""

    def __init__(self, url: str, folder: Path, *, gateway_url: str | None = None) -> None:
        self.url = url
        self.acks: list[Ack] = []
        self.address = f"http://{HOST}:{free_port(HOST, 0)}"
        tokens = folder / "tokens.toml"
        self.token = new_token(tokens, {"name": "arbiter", "scopes": ["command:*", "operate"]})
        self.services = {
            "pairing": _service("pairing", url, folder, "--seal-key", str(folder / "seal.key")),
            "projector": _service("projector", url, folder),
            "gateway": _service(
                "gateway",
                gateway_url or url,
                folder,
                *("--tokens", str(tokens), "--port", self.address.rpartition(":")[2]),
            ),
        }
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Start the services and wait until the gateway answers."""
        for service in self.services.values():
            await self._stack.enter_async_context(service)
        await until(self.ready, "the gateway answers")
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the services."""
        await self._stack.aclose()

    async def ready(self) -> bool:
        """Return whether the gateway says that it is ready."""
        return (await self.ask("/health/ready")).status_code == httpx.codes.OK

    async def ask(self, path: str) -> httpx.Response:
        """Return what the gateway answers to an operator; 503 as long as nobody answers."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=self.address, headers=headers, timeout=30) as client:
            try:
                return await client.get(path)
            except httpx.TransportError:
                return httpx.Response(503)

    async def metric(self, line: str) -> float | None:
        """Return the value of a metric by its name and labels, None when it is not told."""
        for told in (await self.ask("/metrics")).text.splitlines():
            if told.startswith(line + " "):
                return float(told.rpartition(" ")[2])
        return None

    async def play(self, tournament: str, *, players: int = 8, rounds: int = 3) -> None:
        """Play a made-up tournament to its end."""
        file = simulate(field(players, seed=players), rounds, seed=rounds)
        async with opened(self.url) as store, Client(self.address, self.token, tournament, self.acks) as hand:
            async for played in Performance(store, script_of(file, tournament), hand=hand).rounds():
                assert not played.differences, played.differences
                assert not played.faults, played.faults

    async def after_acks(self, count: int, then: Callable[[], object]) -> None:
        """Do something once so many commands were acknowledged."""

        async def enough() -> bool:
            return len(self.acks) >= count

        await until(enough, f"{count} acknowledgements")
        then()


def _service(name: str, url: str, folder: Path, *options: str) -> Supervised:
    environment = {**service_environment(url), **SOON}
    return Supervised(
        name, service_command(f"services.{name}", *options), folder / f"{name}.log", environment
    )


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[RedisStore]:
    """Open the store for the length of a `with` statement."""
    store = await RedisStore.open(url)
    try:
        yield store
    finally:
        await store.close()


async def check(system: System, tournaments: int) -> None:
    """Check that every acknowledged event is there once, every round published once, and views are as rebuilt."""
    connection = Connection(system.url, 10.0, patience_s=10)
    async with opened(system.url) as store:
        stage = Stage(store, connection)
        names = await store.tournaments()
        assert len(names) == tournaments
        for name in names:
            history = list(decoded(name, await store.read(name), EMPTY))
            _check_acks([ack for ack in system.acks if ack.tournament == name], history)
            _check_rounds(history)
            await _shown(stage, name, len(history))
        views = {name: await stage.stored(name) for name in names}
        told = {name: await stage.told(name) for name in names}
        rebuilt = await stage.rebuild()
        assert (rebuilt.tournaments, rebuilt.taken_over) == (tournaments, {})
        assert {name: await stage.stored(name) for name in names} == views
        assert {name: await stage.told(name) for name in names} == told
    await connection.close()


def _check_acks(acks: list[Ack], history: list[Recorded]) -> None:
    assert acks
    places: dict[str, list[int]] = {}
    for recorded in history:
        places.setdefault(recorded.cause, []).append(recorded.v)
    for ack in acks:
        assert places.get(ack.cause) == list(range(ack.first, ack.last + 1)), ack


def _check_rounds(history: list[Recorded]) -> None:
    state = replay(history)
    assert state.announced is not None
    published = Counter(entry.fact.round for entry in history if isinstance(entry.fact, PairingPublished))
    assert published == dict.fromkeys(range(1, state.announced.rounds + 1), 1)
    assert state.closed
    for _, fact in publications(history):
        assert proof_faults(history, fact, pair) == ()


async def _shown(stage: Stage, tournament: str, version: int) -> None:
    async def there() -> bool:
        return (await stage.stored(tournament)).get(b"v") == str(version).encode()

    await until(there, f"{tournament} is shown to its end")


async def quiet(connection: Connection, groups: int = 2) -> bool:
    """Return whether every service has answered every doorbell of the first partition."""
    found = [dict(zip(flat[::2], flat[1::2], strict=True)) for flat in await _groups(connection)]
    return len(found) == groups and all(about[b"lag"] == about[b"pending"] == 0 for about in found)


async def _groups(connection: Connection) -> list[list[Any]]:
    rows: list[list[Any]] = await connection.command("", "XINFO", "GROUPS", feed_key(0))
    return rows


def behind(answer: httpx.Response) -> list[str]:
    """Return who is behind, as a detailed readiness says."""
    words: list[str] = json.loads(answer.text)["behind"]
    return words


async def together(*work: object) -> None:
    """Wait for all of `work`, and raise what the first one to fail raises."""
    async with asyncio.TaskGroup() as tasks:
        for one in work:
            tasks.create_task(one)  # type: ignore[arg-type] # coroutines
