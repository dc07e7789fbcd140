"""The port to the read models: what the gateway needs of them, whoever keeps them; and what was read lately."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from time import monotonic
from typing import Protocol

LATELY_S = 0.1
VIEWS_MAX = 4_096


class View(Protocol):
    """One read model as it is sent: bytes that were encoded when it was written."""

    @property
    def body(self) -> bytes:
        """The JSON."""

    @property
    def etag(self) -> str:
        """The strong entity tag of `body`, with its quotation marks."""


class Views(Protocol):
    """Reads views. None: there is no such tournament or no such view yet."""

    async def get(self, tournament: str, name: str) -> View | None:
        """Return a view by its name."""

    async def tournaments(self) -> View:
        """Return the list of all tournaments."""

    async def public(self, tournament: str, after: int, limit: int) -> Sequence[bytes] | None:
        """Return the public messages after number `after`, oldest first."""


class Lately:
    """Views as they were at most `LATELY_S` ago, so that a thousand open pages cost the store no more than one.

    Who asks while a view is being read waits for that reading.
    """

    def __init__(self, views: Views, clock: Callable[[], float] = monotonic) -> None:
        self._views = views
        self._clock = clock
        self._read: OrderedDict[tuple[str, str], tuple[float, asyncio.Task[View | None]]] = OrderedDict()

    async def get(self, tournament: str, name: str) -> View | None:
        """Return a view by its name."""
        return await self._lately((tournament, name), lambda: self._views.get(tournament, name))

    async def tournaments(self) -> View:
        """Return the list of all tournaments."""
        view = await self._lately(("", ""), self._views.tournaments)
        assert view is not None
        return view

    async def public(self, tournament: str, after: int, limit: int) -> Sequence[bytes] | None:
        """Return the public messages after number `after`; each reader asks for others, so these are not kept."""
        return await self._views.public(tournament, after, limit)

    async def _lately(
        self, key: tuple[str, str], read: Callable[[], Coroutine[None, None, View | None]]
    ) -> View | None:
        now = self._clock()
        at, reading = self._read.get(key, (-LATELY_S, None))
        if reading is None or now - at >= LATELY_S or _failed(reading):
            reading = asyncio.ensure_future(read())
            self._read[key] = now, reading
            self._read.move_to_end(key)
            if len(self._read) > VIEWS_MAX:
                self._read.popitem(last=False)
        return await asyncio.shield(reading)  # who goes away does not take the reading from the others


def _failed(reading: "asyncio.Task[View | None]") -> bool:
    return reading.done() and (reading.cancelled() or reading.exception() is not None)
