"""The gateway in memory, and a stage for those whose views come from a real server."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from tests.services.gateway.scene import House
from tests.services.projector.scene import Stage


@pytest.fixture
def house(tmp_path: Path) -> House:
    """The application on an empty store in memory."""
    return House(tmp_path)


@pytest.fixture
async def stage(server: Server, store: RedisStore) -> AsyncIterator[Stage]:
    """A store of one partition on a real server, with nobody at work."""
    connection = Connection(server.url, 5.0, patience_s=0)
    yield Stage(store, connection)
    await connection.close()
