"""The gateway in memory, with a clock that stands still; and as a process of its own on a real server."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import msgspec

from events.codec import sha256_hex
from services.gateway.application import application
from services.gateway.command_routes import Desk
from services.gateway.commands import Commands
from services.gateway.metrics import Metrics
from services.gateway.operations import Operations
from services.gateway.page_routes import Pages
from services.gateway.tokens import Tokens, new_token
from services.gateway.view_routes import Reading
from services.gateway.views import View
from services.store.connection import Connection
from tests.services.pairing.scene import Scene
from tests.support.patience import PATIENCE_S
from tests.support.process import Process as Program

NOWHERE = "unix:///nowhere/at/all"


class Shown(msgspec.Struct, frozen=True):
    """A view."""

    body: bytes

    @property
    def etag(self) -> str:
        return f'"{sha256_hex(self.body)}"'


class MemoryViews:
    """Views that a test puts there."""

    def __init__(self) -> None:
        self.views: dict[tuple[str, str], bytes] = {}
        self.listed = b"[]"

    async def get(self, tournament: str, name: str) -> View | None:
        body = self.views.get((tournament, name))
        return None if body is None else Shown(body)

    async def tournaments(self) -> View:
        return Shown(self.listed)

    async def public(self, tournament: str, after: int, limit: int) -> Sequence[bytes] | None:
        assert tournament
        return [b"%d" % number for number in range(after + 1, min(after + limit, 5) + 1)]


@dataclass
class House:
    """The application on a store in memory, and tokens in a file."""

    folder: Path
    scene: Scene = field(default_factory=Scene)
    views: MemoryViews = field(default_factory=MemoryViews)

    def __post_init__(self) -> None:
        self.file = self.folder / "tokens.toml"
        self.arbiter = new_token(self.file, {"name": "arbiter", "scopes": ["command:*", "operate"]})
        metrics = Metrics()
        self.tokens = Tokens(self.file, self.scene.clock)
        commands = Commands(self.scene.store, self.scene.clock, on_append=metrics.note_append_s)
        nobody = Connection(NOWHERE, 0.1, patience_s=0)
        self.app = application(
            Desk(commands, self.tokens, metrics),
            Reading(self.views, metrics),
            Pages(self.views, metrics),
            Operations(nobody, 1, "words", self.tokens, metrics),
        )
        transport = httpx.ASGITransport(self.app)  # type: ignore[arg-type] # two spellings of ASGI
        self.client = httpx.AsyncClient(transport=transport, base_url="http://gateway")

    async def give(
        self, command: object, key: str = "k", *, tournament: str = "t", token: str = "", **headers: str
    ) -> httpx.Response:
        """Send a command."""
        return await self.client.post(
            f"/tournaments/{tournament}/commands",
            content=command if isinstance(command, bytes) else msgspec.json.encode(command),
            headers={
                "Authorization": f"Bearer {token or self.arbiter}",
                "Content-Type": "application/json",
                "Idempotency-Key": key,
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )


def problem(answer: httpx.Response) -> dict[str, Any]:
    """Return the problem document that `answer` must be."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    document: dict[str, Any] = answer.json()
    assert document["status"] == answer.status_code
    assert document["type"].startswith("/problems/")
    return document


class Process(Program):
    """A gateway on the store at `url`."""

    def __init__(self, url: str, folder: Path, *options: str) -> None:
        self.tokens = folder / "tokens.toml"
        if not self.tokens.exists():
            self.arbiter = new_token(self.tokens, {"name": "arbiter", "scopes": ["command:*", "operate"]})
        given = ("--url", url, "--tokens", str(self.tokens), "--port", "0", *options)
        super().__init__("services.gateway", folder / "gateway.log", *given)
        self.address = ""

    async def ready(self) -> Self:
        """Wait until it says where it listens."""
        self.address = await self.said()
        assert self.address.startswith("http://127.0.0.1:"), self.words
        return self

    def client(self, token: str = "") -> httpx.AsyncClient:
        """Return a client that presents the arbiter's token, or another."""
        return httpx.AsyncClient(
            base_url=self.address,
            headers={"Authorization": f"Bearer {token or self.arbiter}"},
            timeout=PATIENCE_S,
        )
