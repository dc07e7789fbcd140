"""The stage on an empty store."""

from collections.abc import AsyncIterator

import pytest

from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from tests.services.projector.scene import Stage


@pytest.fixture
async def stage(server: Server, store: RedisStore) -> AsyncIterator[Stage]:
    """A store of one partition on a real server, with nobody at work."""
    connection = Connection(server.url, 5.0, patience_s=0)
    yield Stage(store, connection)
    await connection.close()
