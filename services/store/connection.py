"""A line to one Redis or Valkey server: questions with a time limit, tried again for a while, refusals with a name.

Replies are what the protocol (RESP2) gives: bytes, integers, lists and None. They are `Any` because only the
command decides which.
"""

import asyncio
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any, TypeAlias

import redis.exceptions as refused
import structlog
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.commands.core import AsyncScript

from services.store.address import check_url, shown
from services.store.errors import LogBroken, StoreError, StoreRefused, StoreUnreachable

CONNECTIONS_MAX = 32  # of one store; more questions at once wait for a free one
RETRY_FIRST_S = 0.02
RETRY_LAST_S = 1.0
REWRITE_S_MAX = 30.0
REWRITE_POLL_S = 0.02

Argument: TypeAlias = "bytes | bytearray | memoryview[int] | str | int | float"  # what the client can send

log = structlog.get_logger(__name__)


class Connection:
    """Asks one server. Nothing is connected before the first question.

    `timeout_s` bounds each answer; `patience_s`, which may be changed, is how long a line that broke is tried
    again before `StoreUnreachable`. So whatever is asked must be safe to repeat.

    The time limit is ours: the client's own sends through `asyncio.wait_for`, which loses a cancellation that comes
    in the moment of sending (Python 3.11).
    """

    def __init__(self, url: str, timeout_s: float, patience_s: float) -> None:
        pool = BlockingConnectionPool.from_url(
            check_url(url),
            max_connections=CONNECTIONS_MAX,
            timeout=None,  # to wait for a free connection is part of the time to the answer
            socket_timeout=None,
            socket_connect_timeout=timeout_s,
            retry=Retry(NoBackoff(), 0),  # `ask` repeats, for it knows how long there was nobody
            protocol=2,
        )
        self._client = Redis.from_pool(pool)
        self._client.response_callbacks.clear()
        self.address = shown(url)  # as it may be shown
        self._timeout_s = timeout_s
        self.patience_s = patience_s

    def script(self, name: str, package: str = "services.store") -> AsyncScript:
        """Return the Lua script that lies in `package`, ready to be asked; it is sent once a server."""
        return self._client.register_script((files(package) / name).read_bytes())

    async def command(self, where: str, *command: str | bytes | int) -> Any:  # noqa: ANN401 - see the module
        """Return the reply to one command; `where` names the tournament in a `LogBroken`."""
        return await self.ask(where, lambda: self._client.execute_command(*command))  # type: ignore[no-untyped-call] # no types

    async def transaction(self, where: str, *commands: tuple[str | bytes | int, ...]) -> list[Any]:
        """Return the replies to `commands`, which the server carries out with nothing between them."""

        async def question() -> list[Any]:
            async with self._client.pipeline(transaction=True) as pipeline:
                for command in commands:
                    pipeline.execute_command(*command)
                replies: list[Any] = await pipeline.execute(raise_on_error=False)
            for reply in replies:
                if isinstance(reply, refused.RedisError):
                    raise reply
            return replies

        replies: list[Any] = await self.ask(where, question)
        return replies

    async def ask(self, where: str, question: Callable[[], Awaitable[Any]]) -> Any:  # noqa: ANN401 - see the module
        """Return the answer to `question`, asked again while the server is away or loading, for `patience_s`."""
        clock = asyncio.get_running_loop().time
        give_up_at = clock() + self.patience_s
        delay_s = RETRY_FIRST_S
        while True:
            try:
                async with asyncio.timeout(self._timeout_s):
                    return await question()
            except (refused.RedisError, TimeoutError) as error:
                failure = _translated(error, self.address, where)
                if not isinstance(failure, StoreUnreachable) or clock() + delay_s > give_up_at:
                    raise failure from error
            log.warning("store_asked_again", address=self.address, reason=failure.reason, delay_s=delay_s)
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, RETRY_LAST_S)

    async def rewrite_file(self) -> bool:
        """Have the server write its append-only file anew, without what was deleted; return whether it was done."""
        clock = asyncio.get_running_loop().time
        give_up_at = clock() + REWRITE_S_MAX
        started = False
        try:
            while clock() < give_up_at:
                info = parse_info(await self.command("(server)", "INFO", "persistence"))
                if info.get("aof_enabled") != "1":
                    return False
                if info.get("aof_rewrite_in_progress") == info.get("aof_rewrite_scheduled") == "0":
                    if started:
                        return info.get("aof_last_bgrewrite_status") == "ok"
                    # One that was under way had looked at memory before the deletion: only a later one counts.
                    await self.command("(server)", "BGREWRITEAOF")
                    started = True
                await asyncio.sleep(REWRITE_POLL_S)
        except StoreRefused as error:
            log.warning("file_not_rewritten", address=self.address, reason=error.reason)
        return False

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()


def parse_info(answer: bytes) -> dict[str, str]:
    r"""Return the fields of the answer to INFO.

    >>> parse_info(b"# Server\r\nredis_version:7.2.4\r\n")
    {'redis_version': '7.2.4'}
    """
    lines = answer.decode(errors="replace").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line and not line.startswith("#"))


def _translated(error: refused.RedisError | TimeoutError, address: str, where: str) -> StoreError:
    if isinstance(error, refused.ConnectionError) and isinstance(error.__cause__, refused.RedisError):
        error = error.__cause__  # what went wrong in the first exchange of a new connection
    reason = str(error).rpartition(" caused error: ")[2] or type(error).__name__
    match error:
        case refused.AuthenticationError():
            return StoreRefused(address, f"user or password are missing or wrong ({reason})")
        case refused.BusyLoadingError():
            return StoreUnreachable(address, "it is still loading its data")
        case refused.InvalidResponse():
            return StoreUnreachable(address, "what answers there is not a Redis or Valkey server")
        case refused.TimeoutError() | TimeoutError():
            return StoreUnreachable(address, "it did not answer in time")
        case refused.ConnectionError():
            return StoreUnreachable(address, reason)
        case refused.ReadOnlyError():
            return StoreRefused(address, "it is a replica and takes no writes")
        case refused.OutOfMemoryError():
            return StoreRefused(address, "its memory is full (maxmemory)")
        case refused.NoPermissionError():
            return StoreRefused(address, f"the user lacks a permission ({reason})")
        case _ if "WRONGTYPE" in reason:
            return LogBroken(where, 0, "one of its keys holds another type of value: a foreign hand wrote it")
        case _:
            return StoreRefused(address, reason)
