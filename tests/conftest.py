"""Fixtures that need a real server: started for the run, on data of its own; without one the tests fail."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import redis

from services.server import Server
from services.store import RedisStore


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server for the whole run; its data are whatever the test before left."""
    with Server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    """A running server that holds nothing. A test may kill, stop and start it; here it is started again."""
    if shared_server.pid is None:
        shared_server.start()
    with redis.Redis.from_url(shared_server.url) as client:
        client.flushall()
        client.script_flush()
        client.config_set("appendfsync", "always")
    return shared_server


@pytest.fixture
async def store(server: Server) -> AsyncIterator[RedisStore]:
    """An empty store of one partition on `server`."""
    opened = await RedisStore.open(server.url, partitions=1)
    yield opened
    await opened.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory for a server that a test starts itself."""
    return tmp_path / "data"
