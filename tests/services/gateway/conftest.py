"""The gateway in memory."""

from pathlib import Path

import pytest

from tests.services.gateway.scene import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    """The application on an empty store in memory."""
    return House(tmp_path)
