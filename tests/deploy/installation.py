"""The shipped configuration and rights on a real server, as an operator would start them."""

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from services.server import find_program
from services.store import RedisStore

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
SERVICES = ("gateway", "pairing", "projector")
USERS = (*SERVICES, "operator", "auditor")
READY_S_MAX = 15.0


class Installation:
    """A server with `deploy/valkey.conf`, and secrets made by `deploy/secrets.sh`.

    Only what differs from machine to machine is overridden: directory, port and the path of the users' file.
    """

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.secrets = folder / "secrets"
        self.log = folder / "server.log"
        self.data.mkdir()
        self.port = _free_port()
        run(DEPLOY / "secrets.sh", self.secrets, f"127.0.0.1:{self.port}")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server."""
        self.stop()

    def start(self) -> None:
        """Start the server and wait until it answers; raise AssertionError, with its words, when it ends instead."""
        overrides = ("--dir", self.data, "--port", self.port, "--aclfile", self.secrets / "users.acl")
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                [find_program(), DEPLOY / "valkey.conf", *map(str, overrides)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        give_up_at = time.monotonic() + READY_S_MAX
        while not self._answers():
            assert self._process.poll() is None, self.log.read_text()
            assert time.monotonic() < give_up_at, self.log.read_text()
            time.sleep(0.01)

    def stop(self) -> None:
        """End the server in good order."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(timeout=READY_S_MAX)
            self._process = None

    def url(self, user: str) -> str:
        """Return the store's URL for a user, as that user's service finds it in its environment."""
        return (self.secrets / f"{user}.env").read_text().removeprefix("TIRAGE_STORE_URL=").strip()

    def client(self, user: str) -> redis.Redis:
        """Return a plain connection of a user."""
        return redis.Redis.from_url(self.url(user), socket_timeout=10, retry=Retry(NoBackoff(), 0))

    @contextlib.asynccontextmanager
    async def store(self, user: str = "gateway", partitions: int | None = None) -> AsyncIterator[RedisStore]:
        """Open the store as a user, for the length of a `with` statement."""
        store = await RedisStore.open(self.url(user), partitions=partitions)
        try:
            yield store
        finally:
            await store.close()

    def stranger(self, user: str | None = None) -> redis.Redis:
        """Return a connection without a password, as nobody or as the user who needs none."""
        return redis.Redis(
            port=self.port,
            username=user,
            password=user and "-",
            socket_timeout=5,
            retry=Retry(NoBackoff(), 0),
        )

    def _answers(self) -> bool:
        with self.stranger("monitor") as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:  # nobody there yet, or still loading
                return False


def tools(folder: Path) -> dict[str, str]:
    """Return an environment in whose PATH the server and its checker are found by name, as after an installation.

    The checker is the server's own program under another name, as packages install it.
    """
    program = find_program()
    kind = program.name.removesuffix("-server")
    beside = shutil.which(f"{kind}-check-aof")
    bin_ = folder / "bin"
    bin_.mkdir()
    (bin_ / f"{kind}-server").symlink_to(program)
    (bin_ / f"{kind}-check-aof").symlink_to(beside or program)
    return {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}


def run(
    *command: str | Path, environment: dict[str, str] | None = None, code: int = 0, timeout_s: float = 60
) -> str:
    """Run a command to its end and return what it wrote; raise AssertionError when it ends otherwise than with `code`."""
    done = subprocess.run(
        list(map(str, command)),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert done.returncode == code, (_names(command), done.returncode, done.stdout)
    return done.stdout


def _names(command: Sequence[str | Path]) -> str:
    return " ".join(Path(part).name for part in command)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
