"""A whole installation for the length of a benchmark: server, gateway, worker and projector, each a process of its own.

Started as an operator starts them, their logs going to files. What they say on the way is kept, and shown when one
of them ends by itself.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rules.state import Tournament
from services.gateway.commands import Commands
from services.gateway.observation import look
from services.gateway.tokens import new_token
from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from services.store.redis_store import PATIENCE_S, TIMEOUT_S
from tests.benchmarks import paper, processes
from tests.benchmarks.generator import Generator, generator, get
from tests.benchmarks.load import OK, Shot

ROOT = Path(__file__).parents[2]
READY_S_MAX = 60.0
SETTLED_S_MAX = 600.0
LOOK_EVERY_S = 0.05
LAST_WORDS = 2_000


class ServiceFailed(Exception):
    """A service ended by itself, or never became ready."""


class Service:
    """One process, started with the pipe at which it says that it is ready."""

    def __init__(self, name: str, folder: Path, *options: str) -> None:
        self.name = name
        self._log = folder / f"{name}.log"
        ready, said = os.pipe()
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TIRAGE_")}
        command = [sys.executable, "-m", f"services.{name}", *options, "--ready-fd", str(said)]
        with self._log.open("ab") as output:
            self.process = subprocess.Popen(
                command, cwd=ROOT, stdout=output, stderr=output, env=environment, pass_fds=[said]
            )
        os.close(said)
        self._ready = ready

    async def ready(self) -> str:
        """Wait until it is ready and return what it says then."""
        try:
            said = await asyncio.wait_for(asyncio.to_thread(os.read, self._ready, 200), READY_S_MAX)
        finally:
            os.close(self._ready)
        if not said:
            raise ServiceFailed(f"{self.name} did not become ready: {self._last_words()}")
        return said.decode().strip()

    def check(self) -> None:
        """Raise `ServiceFailed` unless it runs."""
        if self.process.poll() is not None:
            raise ServiceFailed(f"{self.name} ended by itself: {self._last_words()}")

    def stop(self) -> None:
        """End it in good order, or by force."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(READY_S_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _last_words(self) -> str:
        return self._log.read_text(errors="replace")[-LAST_WORDS:]


@dataclass(frozen=True, kw_only=True)
class House:
    """The running installation."""

    server: Server
    store: RedisStore
    services: Mapping[str, Service]
    watcher: Connection
    generator: Generator  # knows the gateway's address
    token: str

    @property
    def pids(self) -> dict[str, int]:
        """Process ids by name, that of the store's server too."""
        assert self.server.pid is not None
        return {"server": self.server.pid} | {
            name: service.process.pid for name, service in self.services.items()
        }

    def cpu_s(self) -> dict[str, float]:
        """Return the processor time that each process has used until now."""
        return {name: processes.cpu_s(pid) for name, pid in self.pids.items()}

    def used_s(self, before: Mapping[str, float]) -> dict[str, float]:
        """Return what each process has used since `before`, what `cpu_s` returned then."""
        self.check()
        return {name: now - before[name] for name, now in self.cpu_s().items()}

    def memory_mb(self) -> dict[str, float]:
        """Return the memory that each process has now."""
        return {name: processes.memory_mb(pid) for name, pid in self.pids.items()}

    def check(self) -> None:
        """Raise `ServiceFailed` unless every service runs."""
        for service in self.services.values():
            service.check()

    async def open(self, prefix: str, count: int, players: int) -> dict[str, Tournament]:
        """Put so many tournaments into the store, wait until round 1 of each is published, and return their states."""
        facts = paper.entered(players)
        names = [f"{prefix}-{number}" for number in range(count)]
        for name in names:
            await paper.put(self.store, name, facts)
        return await self.published(names)

    async def published(self, names: list[str]) -> dict[str, Tournament]:
        """Wait until round 1 of each tournament is published, and return their states."""
        commands = Commands(self.store)
        states: dict[str, Tournament] = {}
        async with asyncio.timeout(SETTLED_S_MAX):
            for name in names:
                while not (state := (await commands.state(name)).state).published_rounds:
                    self.check()
                    await asyncio.sleep(LOOK_EVERY_S)
                states[name] = state
        return states

    async def seen(self, names: Iterable[str]) -> None:
        """Have the gateway read the logs of tournaments, which it does before its first command to each.

        With a real tournament that was at its announcement; many at once would stand in the way of what is timed.
        """
        heads = [[Shot(get(f"/tournaments/{name}/head", self.token))] for name in names]
        await self.generator.send(heads, expected=OK)

    async def settled(self) -> None:
        """Wait until every service has answered every doorbell; raise `ServiceFailed` when one set something aside."""
        async with asyncio.timeout(SETTLED_S_MAX):
            while not await self._at_rest():
                self.check()
                await asyncio.sleep(LOOK_EVERY_S)

    async def _at_rest(self) -> bool:
        seen = await look(self.watcher, self.store.partitions)
        if any(count for partition in seen for count in partition.parked.values()):
            raise ServiceFailed(f"set aside: {seen}")
        groups = [group for partition in seen for group in partition.groups.values()]
        return not any(group.lag or group.pending for group in groups)


@asynccontextmanager
async def house(folder: Path, partitions: int) -> AsyncIterator[House]:
    """Run an installation, whose store is new, in `folder`."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(Server(folder / "server"))
        store = await RedisStore.open(server.url, partitions=partitions)
        stack.push_async_callback(store.close)
        watcher = Connection(server.url, TIMEOUT_S, PATIENCE_S)
        stack.push_async_callback(watcher.close)
        token = new_token(folder / "tokens.toml", {"name": "bench", "scopes": ["command:*", "operate"]})
        services = {
            name: stack.enter_context(service(name, folder, "--url", server.url, *options))
            for name, options in _options(folder).items()
        }
        said = {name: await started.ready() for name, started in services.items()}
        yield House(
            server=server,
            store=store,
            watcher=watcher,
            services=services,
            generator=await stack.enter_async_context(generator(said["gateway"])),
            token=token,
        )


def _options(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the services, by the names of their modules, and what each must be told beside the store."""
    return {
        "pairing": ("--seal-key", str(folder / "seal.key")),
        "projector": (),
        "gateway": ("--tokens", str(folder / "tokens.toml"), "--port", "0"),
    }


@contextmanager
def service(name: str, folder: Path, *options: str) -> Iterator[Service]:
    """Run a service for the length of a `with` statement."""
    started = Service(name, folder, *options)
    try:
        yield started
    finally:
        started.stop()
