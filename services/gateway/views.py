"""The port to the read models: what the gateway needs of them, whoever keeps them."""

from collections.abc import Sequence
from typing import Protocol


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
