"""Views as they were lately: read once for everybody, again soon, and a failed reading is not kept."""

import asyncio

import pytest

from services.gateway.views import LATELY_S, Lately, View
from services.store import StoreUnreachable
from tests.services.gateway.scene import MemoryViews


class Slow(MemoryViews):
    """Counts readings, and takes a while for each."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0
        self.fails = False

    async def get(self, tournament: str, name: str) -> View | None:
        self.read += 1
        await asyncio.sleep(0)
        if self.fails:
            raise StoreUnreachable("redis://x", "away")
        return await super().get(tournament, name)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_thousand_readers_cost_one_reading() -> None:
    views = Slow()
    views.views["t", "summary"] = b"{}"
    lately = Lately(views)

    found = await asyncio.gather(*(lately.get("t", "summary") for _ in range(1_000)))

    assert views.read == 1
    assert {view.body for view in found if view} == {b"{}"}


async def test_what_is_new_is_read_when_the_last_reading_is_old() -> None:
    views, clock = Slow(), Clock()
    lately = Lately(views, clock)
    assert await lately.get("t", "summary") is None
    views.views["t", "summary"] = b"{}"

    clock.now = LATELY_S

    view = await lately.get("t", "summary")
    assert view is not None
    assert views.read == 2


async def test_a_failed_reading_is_not_kept() -> None:
    views = Slow()
    views.fails = True
    lately = Lately(views, Clock())
    with pytest.raises(StoreUnreachable):
        await lately.get("t", "summary")
    views.fails = False

    assert await lately.get("t", "summary") is None
    assert views.read == 2


async def test_who_goes_away_does_not_take_the_reading_from_the_others() -> None:
    views = Slow()
    lately = Lately(views, Clock())
    gone = asyncio.create_task(lately.get("t", "summary"))
    waiting = asyncio.create_task(lately.get("t", "summary"))
    await asyncio.sleep(0)

    gone.cancel()

    assert await waiting is None
    assert views.read == 1
