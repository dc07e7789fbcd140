"""The whole system on one server, as `tirage serve` runs it, with clients that play tournaments through the gateway.

What dies is started again by the supervisor; the clients repeat what was not acknowledged.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Self

import httpx
import msgspec

from services.cli.play.over_http import HttpHand
from services.cli.play.runner import Performance
from services.cli.play.script import script_of
from services.failpoints import VARIABLE
from services.gateway.listening import free_port
from services.gateway.tokens import new_token
from services.store import RedisStore
from services.store.connection import Connection
from services.store.keys import feed_key
from services.supervisor import Supervised, service_command, service_environment
from tests.services.pairing.live import until
from tests.support.patience import PATIENCE_S
from tests.support.simulation import field, simulate

HOST = "127.0.0.1"
SOON = {"TIRAGE_CLAIM_IDLE_MS": "500", "TIRAGE_SWEEP_S": "0.5"}
PLAYERS, ROUNDS = 8, 2


class Ack(msgspec.Struct, frozen=True):
    """An answer that a client had in its hands."""

    tournament: str
    cause: str
    first: int
    last: int


class Client(HttpHand):
    """Gives commands over HTTP until they are acknowledged, and keeps what it was told."""

    def __init__(self, system: "System", tournament: str) -> None:
        super().__init__(system.address, system.token, tournament)
        self._system = system

    async def _asked(
        self, body: bytes, headers: dict[str, str], *, dry: bool
    ) -> httpx.Response | httpx.TransportError:
        answer = await super()._asked(body, headers, dry=dry)
        self._system.heard[_in_short(answer)] += 1
        return answer

    def _accepted(self, answer: httpx.Response, name: str) -> httpx.Response:
        super()._accepted(answer, name)
        said = answer.json()
        self._system.acks.append(Ack(self._tournament, name, said["first"], said["last"]))
        return answer


class Mortal(Supervised):
    """A service that dies at each of the named points in turn, one in a life, and lives on after the last."""

    def __init__(
        self,
        name: str,
        command: list[str],
        output: Path,
        environment: Mapping[str, str],
        points: Sequence[str],
    ) -> None:
        super().__init__(name, command, output, environment)
        self._points = points
        self._outside = environment
        self.lives = 0

    @property
    def to_die(self) -> int:
        """How many of its deaths are still to come."""
        return len(self._points) - (self.lives - 1)

    async def _start(self) -> asyncio.subprocess.Process:
        armed = {VARIABLE: self._points[self.lives]} if self.lives < len(self._points) else {}
        self._environment = {**self._outside, **armed}
        self.lives += 1
        return await super()._start()


class System:
    """Worker, projector and gateway on the store at `url`, and what its clients were told.

    `line` is the URL by which the services reach the store, when that is another; `points` says by the name of the
    service at which failpoints it dies.
    """

    def __init__(
        self, url: str, folder: Path, *, line: str = "", points: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.url = url
        self.acks: list[Ack] = []
        self.heard: Counter[str] = (
            Counter()
        )  # what commands were answered, failures and problems by their names
        self.address = f"http://{HOST}:{free_port(HOST, 0)}"
        tokens = folder / "tokens.toml"
        self.token = new_token(tokens, {"name": "arbiter", "scopes": ["command:*", "operate"]})
        options = {
            "pairing": ["--seal-key", str(folder / "seal.key")],
            "projector": [],
            "gateway": ["--tokens", str(tokens), "--port", self.address.rpartition(":")[2]],
        }
        environment = {**service_environment(line or url), **SOON}
        self.services = {
            name: Mortal(
                name,
                service_command(f"services.{name}", *of_service),
                folder / f"{name}.log",
                environment,
                (points or {}).get(name, ()),
            )
            for name, of_service in options.items()
        }
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Start the services and wait until the gateway is ready."""
        for service in self.services.values():
            await self._stack.enter_async_context(service)
        await self.until_ready(yes=True)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the services."""
        await self.stop()

    async def stop(self) -> None:
        """End the services; for good."""
        await self._stack.aclose()

    async def until_ready(self, *, yes: bool) -> None:
        """Wait until the gateway says that it is ready, or that it is not; a gateway that is silent says neither."""

        async def says_so() -> bool:
            answer = await self.ask("/health/ready")
            return answer is not None and (answer.status_code, answer.json()["status"]) == wanted

        wanted = (200, "ready") if yes else (503, "not ready")
        await until(says_so, f"the gateway says that it is {wanted[1]}")

    async def health(self) -> dict[str, Any]:
        """Return what a detailed readiness says; nothing as long as nobody answers."""
        answer = await self.ask("/health/ready")
        told: dict[str, Any] = {} if answer is None else answer.json()
        return told

    async def behind(self) -> str:
        """Return who is behind, as a detailed readiness says."""
        return "; ".join((await self.health()).get("behind", ()))

    async def ask(self, path: str) -> httpx.Response | None:
        """Return what the gateway answers to an operator; None when it does not."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(base_url=self.address, headers=headers, timeout=30) as client:
            try:
                return await client.get(path)
            except httpx.TransportError:
                return None

    async def metric(self, name: str, **labels: str) -> float | None:
        """Return the sum of the metric `name` over everything that has these labels; None when it is not told."""
        answer = await self.ask("/metrics")
        wanted = [f'{label}="{value}"' for label, value in labels.items()]
        found = [
            float(line.rpartition(" ")[2])
            for line in (answer.text.splitlines() if answer is not None else ())
            if line.startswith((f"{name} ", f"{name}{{")) and all(label in line for label in wanted)
        ]
        return sum(found) if found else None

    async def play(self, tournament: str, *, rounds: int = ROUNDS) -> None:
        """Play a made-up tournament to its end; each round must be paired as it was on paper."""
        file = simulate(field(PLAYERS, seed=PLAYERS), rounds, seed=rounds)
        async with opened(self.url) as store, Client(self, tournament) as hand:
            async for played in Performance(store, script_of(file, tournament), hand=hand).rounds():
                assert not played.differences, played.differences
                assert not played.faults, played.faults

    async def after_acks(self, count: int, then: Callable[[], object]) -> None:
        """Do something once so many commands were acknowledged."""

        async def enough() -> bool:
            return len(self.acks) >= count

        await until(enough, f"{count} acknowledgements")
        then()

    async def until_heard(self, what: str) -> None:
        """Wait until a command was answered so."""

        async def heard() -> bool:
            return self.heard[what] > 0

        await until(heard, f"a command is answered {what}")


def _in_short(answer: httpx.Response | httpx.TransportError) -> str:
    if isinstance(answer, httpx.TransportError):
        return type(answer).__name__
    return "done" if answer.is_success else str(answer.json()["type"]).removeprefix("/problems/")


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[RedisStore]:
    """Open the store for the length of a `with` statement; who looks on waits longer than a service may."""
    store = await RedisStore.open(url)
    store._connection.patience_s = PATIENCE_S
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Connection]:
    """Connect to the server for the length of a `with` statement."""
    connection = Connection(url, 10.0, patience_s=PATIENCE_S)
    try:
        yield connection
    finally:
        await connection.close()


async def quiet(connection: Connection) -> None:
    """Wait until worker and projector have answered every doorbell."""

    async def answered() -> bool:
        rows: list[list[Any]] = await connection.command("", "XINFO", "GROUPS", feed_key(0))
        found = [dict(zip(flat[::2], flat[1::2], strict=True)) for flat in rows]
        return len(found) == 2 and all(about[b"lag"] == about[b"pending"] == 0 for about in found)

    await until(answered, "every doorbell is answered")


async def together(*work: Coroutine[None, None, None]) -> None:
    """Wait for all of `work`, and raise what the first one to fail raises."""
    async with asyncio.TaskGroup() as tasks:
        for one in work:
            tasks.create_task(one)
