"""One installation for the whole folder; each test has a tournament of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest

from services.store import RedisStore
from tests.deploy.installation import Installation


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A running server with the shipped configuration and rights."""
    with Installation(tmp_path_factory.mktemp("installation")) as running:
        yield running


@pytest.fixture
async def gateway(installation: Installation) -> AsyncIterator[RedisStore]:
    """The store as the gateway's user opens it; of two partitions, so that the patterns of keys are put to use."""
    async with installation.store(partitions=2) as store:
        yield store
