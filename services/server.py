"""A server of one's own for development: found, started on the application's data, and stopped by its process id.

Durable by its settings: each acknowledged event is on disk. A file whose end was cut (power loss in the middle of
a write) is loaded up to the last whole transaction: `aof-load-truncated yes`, because with `appendfsync always`
only what nobody was told about can be missing there; `Server.truncated` says that it happened. A file damaged in
its middle is not loaded: `ServerFailed`, with the server's own words.
Nobody is let in before the file was loaded without complaint; see `Server._load` for what that avoids.

It runs in a session of its own, so that Ctrl-C reaches its parent alone, which stops it. On Linux it ends with its
parent even when that is killed; elsewhere it stays, and the next start says which process has the data.
"""

import fcntl
import os
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Self
from urllib.parse import quote

import platformdirs
import redis
import structlog
from redis.backoff import NoBackoff
from redis.retry import Retry

from services.server_process import (
    LOG_FILE,
    DataUnusable,
    NoServerProgram,
    Process,
    ServerError,
    find_program,
)

__all__ = [
    "DataInUse",
    "DataUnusable",
    "NoServerProgram",
    "Server",
    "ServerError",
    "ServerFailed",
    "default_data_dir",
    "find_program",
    "find_running",
]

READY_S_MAX = 20.0  # until it answers; while it says that it loads its data, it may take as long as it needs
STOP_S_MAX = 10.0
LOADS_MAX = 4  # two are enough for a file whose end was cut
LOCK_S_MAX = 3.0  # what a killed server leaves behind may be a child that is still rewriting its file
POLL_S = 0.005
ALL_LOADED = 100.0  # per cent
LOCK_FILE = "server.lock"  # held by the server itself while it lives; its process id and URL stand in it
SOCKET_FILE = "server.sock"
PRIVATE_SOCKET_FILE = "start.sock"
SOCKET_PATH_BYTES_MAX = 100  # of 104 (macOS) or 108 (Linux)
LOG_LINES = 5  # of the server's own log, in an error

SETTINGS = (
    *("--appendonly", "yes"),
    *("--appendfsync", "always"),
    *("--no-appendfsync-on-rewrite", "no"),
    *("--aof-load-truncated", "yes"),
    *("--save", ""),
    *("--maxmemory-policy", "noeviction"),
    *("--daemonize", "no"),
    *("--bind", "127.0.0.1"),
    *("--protected-mode", "yes"),
)
CUT_SAYING = "loaded anyway because aof-load-truncated"  # what a server says of a file whose end was cut


log = structlog.get_logger(__name__)

Progress = Callable[[float], None]  # per cent of the data loaded


class DataInUse(ServerError):
    """A server is already running on these data, as process `pid` (None: unknown), reachable at `url`."""

    def __init__(self, data: Path, pid: int | None, url: str | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(
            f"{data} is in use by {who}; stop it first, or use its server{f' at {url}' if url else ''}"
        )
        self.data = data
        self.pid = pid
        self.url = url


class ServerFailed(ServerError):
    """The server did not come up, or ended by itself; `words` is what it wrote since it was started."""

    def __init__(self, data: Path, reason: str, words: str) -> None:
        lines = [line for line in words.splitlines() if line.strip()][-LOG_LINES:] or ["(none)"]
        super().__init__("\n".join([f"the server on {data} {reason}; its last words:", *lines]))
        self.data = data
        self.reason = reason
        self.words = words


def default_data_dir() -> Path:
    """Return where the development server keeps its data when nobody says otherwise."""
    return platformdirs.user_data_path("tirage", appauthor=False) / "server"


def find_running(data: Path) -> str | None:
    """Return the URL of the server that runs on `data`, which may still be loading them, or None."""
    try:
        with (data / LOCK_FILE).open("r+") as lock:
            if _try_lock(lock):
                return None
            return _noted(lock)[1]
    except FileNotFoundError:
        return None


class Server:
    """One development server on the data directory `data`; `start` it, `stop` it, or use it in a `with` statement.

    It listens on a Unix socket, which only this user can open, in `data` when the path is short enough, else (or
    with `tcp`) on a free port of 127.0.0.1. Data and log stay in `data`, which only this user can read.
    """

    def __init__(self, data: Path | None = None, *, program: Path | None = None, tcp: bool = False) -> None:
        self.data = (data or default_data_dir()).absolute()
        self.truncated = False  # whether the end of its file was cut off at the last start
        self.url = ""
        self._program = program
        self._tcp = tcp or len(os.fsencode(self.data / SOCKET_FILE)) > SOCKET_PATH_BYTES_MAX
        self._port = 0
        self._process: Process | None = None

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the server."""
        self.stop()

    @property
    def pid(self) -> int | None:
        """The process id of the running server, or None."""
        return self._process.popen.pid if self._process and self._process.popen.poll() is None else None

    def start(self, progress: Progress | None = None) -> str:
        """Start the server, wait until it answers, and return its URL.

        `progress` hears how much of the data is loaded, in per cent, while that takes time. Raises
        `NoServerProgram`, `DataInUse`, `DataUnusable` and `ServerFailed`.
        """
        assert self.pid is None, "it is running"
        program = self._program or find_program()
        self._make_data_dir()
        self.url = self._public_url()
        with (self.data / LOCK_FILE).open("a+") as lock, _private_socket(self.data) as private:
            self._take(lock)
            try:
                self.truncated = self._load(program, lock, private, progress)
                self._let_in(private)
            except BaseException:
                self.stop()
                raise
        if self.truncated:
            log.warning("server_file_was_cut", data=str(self.data), log=str(self.data / LOG_FILE))
        log.info("server_started", pid=self.pid, url=self.url, data=str(self.data), program=str(program))
        return self.url

    def stop(self, patience_s: float = STOP_S_MAX) -> None:
        """End the server in good order, after `patience_s` seconds by force; does nothing when it is not running."""
        if self._process is None:
            return
        self._process.popen.terminate()
        self._process.waiter.join(patience_s)
        if self._process.waiter.is_alive():
            log.warning("server_killed", pid=self._process.popen.pid, waited_s=patience_s)
            self._process.popen.kill()
        self._reap()

    def kill(self) -> None:
        """End the server at once, as `kill -9` does; for tests."""
        assert self._process is not None
        self._process.popen.kill()
        self._reap()

    def _reap(self) -> None:
        assert self._process is not None
        self._process.waiter.join()
        log.info("server_stopped", pid=self._process.popen.pid, code=self._process.popen.returncode)
        self._process = None

    def _make_data_dir(self) -> None:
        try:
            self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.data / LOCK_FILE).touch(mode=0o600)
        except OSError as error:
            raise DataUnusable(self.data, error.strerror or str(error)) from error

    def _take(self, lock: IO[str]) -> None:
        give_up_at = time.monotonic() + LOCK_S_MAX
        while not _try_lock(lock):
            pid, url = _noted(lock)
            if time.monotonic() > give_up_at or (url and _loaded(url) is not None):
                raise DataInUse(self.data, pid, url)
            time.sleep(POLL_S)

    def _public_url(self) -> str:
        if self._tcp:
            self._port = self._port or _free_port()  # the same over restarts
            return f"redis://127.0.0.1:{self._port}/0"
        return _socket_url(self.data / SOCKET_FILE)

    def _load(self, program: Path, lock: IO[str], private: Path, progress: Progress | None) -> bool:
        """Start the server where only we hear it, until it loads its file without complaint; return whether it was cut.

        A server that finds the end of a transaction cut off in the middle of a command forgets the transaction,
        but leaves its beginning in the file (seen in Valkey 8.1.8): what is written behind that is lost at the
        next start. Starting once more, before anybody can write, removes the beginning too.
        """
        for attempt in range(LOADS_MAX):
            log_file = self.data / LOG_FILE
            log_begins = log_file.stat().st_size if log_file.exists() else 0
            listen = ["--port", "0", "--unixsocket", str(private), "--unixsocketperm", "700"]
            # The lock is handed to the server: it is held exactly as long as somebody works on the data,
            # whoever is killed, so there is no stale process id to be judged.
            self._process = Process([str(program), *SETTINGS, *listen], self.data, lock.fileno())
            lock.truncate(0)
            lock.write(f"{self._process.popen.pid}\n{self.url}\n")
            lock.flush()
            self._wait_until_ready(_socket_url(private), progress, log_begins)
            if CUT_SAYING not in self._words(log_begins):
                return attempt > 0
            self.stop()
        raise ServerFailed(self.data, "finds its file cut at every start", self._words(log_begins))

    def _let_in(self, private: Path) -> None:
        """Open the server, which listens on the socket `private`, at its public address."""
        with _client(_socket_url(private)) as client:
            # What a store is told that asks: the danger that `_load` describes is averted here.
            client.config_set("aof-load-truncated", "no")
            if not self._tcp:
                private.rename(self.data / SOCKET_FILE)
                return
            try:
                client.config_set("port", self._port)
            except redis.ResponseError as error:
                raise ServerFailed(self.data, f"cannot listen on port {self._port} ({error})", "") from error

    def _wait_until_ready(self, url: str, progress: Progress | None, log_begins: int) -> None:
        give_up_at = time.monotonic() + READY_S_MAX
        told = 0.0
        while True:
            loaded = _loaded(url)
            if self.pid is None:
                raise ServerFailed(self.data, "ended as soon as it was started", self._words(log_begins))
            if loaded is not None:
                give_up_at = time.monotonic() + READY_S_MAX
                told = max(told, loaded)  # while it is too busy to say, it has not lost any
                if progress:
                    progress(told)
                if loaded >= ALL_LOADED:
                    return
            if time.monotonic() > give_up_at:
                raise ServerFailed(
                    self.data, f"does not answer for {READY_S_MAX:.0f} s", self._words(log_begins)
                )
            time.sleep(POLL_S)

    def _words(self, since: int) -> str:
        """Return what the server wrote to its log after byte `since`."""
        with (self.data / LOG_FILE).open("rb") as file:
            file.seek(since)
            return file.read().decode(errors="replace")


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _noted(lock: IO[str]) -> tuple[int | None, str | None]:
    """Return process id and URL of whoever holds the lock, as far as they are written down yet."""
    lock.seek(0)
    lines = lock.read().splitlines()
    if len(lines) != 2 or not lines[0].isdigit():  # noqa: PLR2004 - process id and URL
        return None, None
    return int(lines[0]), lines[1]


def _loaded(url: str) -> float | None:
    """Return how much of its data the server at `url` has loaded, per cent; None when nobody answers."""
    with _client(url) as client:
        try:
            client.ping()
        except redis.BusyLoadingError:
            return _loading(client)
        except (redis.ConnectionError, redis.TimeoutError):
            return None
        return ALL_LOADED


def _loading(client: redis.Redis) -> float:
    try:
        info = client.info("persistence")
    except redis.RedisError:
        return 0.0
    assert isinstance(info, dict)
    return min(
        float(info.get("loading_loaded_perc", 0)), ALL_LOADED - 0.01
    )  # all loaded is said by PING alone


@contextmanager
def _private_socket(data: Path) -> Iterator[Path]:
    """Yield a path for a socket that nobody else knows: in `data`, or elsewhere when that is too long."""
    path = data / PRIVATE_SOCKET_FILE
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES_MAX:
        with tempfile.TemporaryDirectory(prefix="tirage-") as folder:
            yield Path(folder) / PRIVATE_SOCKET_FILE
    else:
        yield path
        path.unlink(missing_ok=True)


def _socket_url(path: Path) -> str:
    return f"unix://{quote(str(path))}?db=0"


def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=5, retry=Retry(NoBackoff(), 0))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
