"""Gives the commands of a play to a gateway, as any other client would. Apart from `hands`: the client loads slowly."""

import asyncio
from types import TracebackType
from typing import Self

import httpx
import msgspec

from rules.commands import AnyCommand, RegisterPlayer
from services.cli.play.hands import Refused, Unanswered
from services.gateway.commands import Person
from services.store.errors import CommandClash

PATIENCE_S = 60.0  # for a gateway that does not answer or asks to come again
PAUSE_S = 0.2
ANSWER_S_MAX = 10.0
AGAIN, ID_TAKEN = (429, 502, 503, 504), "/problems/command-id-taken"


class HttpHand:
    """Gives commands to the gateway at `address`, as whoever the token names, for the length of `async with`."""

    def __init__(self, address: str, token: str, tournament: str) -> None:
        self._path = f"/tournaments/{tournament}/commands"
        self._tournament = tournament
        self._client = httpx.AsyncClient(
            base_url=address,
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=ANSWER_S_MAX,
            trust_env=False,  # a proxy is nothing for an address of this machine
        )

    async def __aenter__(self) -> Self:
        """Begin; nothing is connected before the first command."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the connection."""
        await self._client.aclose()

    async def give(self, command: AnyCommand, name: str, reported_at: str | None = None) -> None:
        """Have a command carried out."""
        await self._sent(msgspec.json.encode(command), name, reported_at)

    async def enter(self, command: RegisterPlayer, person: Person, name: str) -> None:
        """Have a player entered."""
        body = {**msgspec.to_builtins(command), "person": msgspec.to_builtins(person)}
        await self._sent(msgspec.json.encode(body), name)

    async def foretell(self, command: AnyCommand, name: str, reported_at: str | None = None) -> str:
        """Return what a command would change."""
        answer = await self._sent(msgspec.json.encode(command), name, reported_at, dry=True)
        effect: str = answer.json()["effect"]
        return effect

    async def _sent(
        self, body: bytes, name: str, reported_at: str | None = None, *, dry: bool = False
    ) -> httpx.Response:
        headers = {"Idempotency-Key": name}
        if reported_at is not None:
            headers["Tirage-Reported-At"] = reported_at
        clock = asyncio.get_running_loop().time
        give_up_at = clock() + PATIENCE_S
        while True:
            answer = await self._asked(body, headers, dry=dry)
            if isinstance(answer, httpx.Response) and answer.status_code not in AGAIN:
                return self._accepted(answer, name)
            if clock() > give_up_at:
                raise Unanswered(f"the gateway takes no commands: {answer}")
            await asyncio.sleep(PAUSE_S)

    async def _asked(
        self, body: bytes, headers: dict[str, str], *, dry: bool
    ) -> httpx.Response | httpx.TransportError:
        try:
            return await self._client.post(
                self._path, content=body, headers=headers, params={"dry_run": "1"} if dry else None
            )
        except httpx.TransportError as error:  # the key makes it safe to send again
            return error

    def _accepted(self, answer: httpx.Response, name: str) -> httpx.Response:
        if answer.is_success:
            return answer
        problem = answer.json()
        if problem["type"] == ID_TAKEN:
            fields = problem["fields"]
            raise CommandClash(self._tournament, name, fields["first"], fields["last"])
        raise Refused(problem["detail"])
