"""The development server: durable, alone on its data, gone with its parent, and clear about what is wrong."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
import redis
from structlog.testing import capture_logs

from services.server import (
    DataInUse,
    DataUnusable,
    NoServerProgram,
    Server,
    ServerFailed,
    find_program,
    find_running,
)
from services.store import RedisStore
from tests.support.entries import T, put

OWNER = """
import pathlib, sys, threading, time
from services.server import Server
server = Server(pathlib.Path(sys.argv[1]))
starter = threading.Thread(target=server.start)  # one that is gone at once, as those of a pool may be
starter.start(); starter.join()
print("pid", server.pid, flush=True)
time.sleep(60)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z (zombie)" not in Path(f"/proc/{pid}/status").read_text() if sys.platform == "linux" else True


def wait_until_gone(pid: int) -> bool:
    give_up_at = time.monotonic() + 5
    while alive(pid) and time.monotonic() < give_up_at:
        time.sleep(0.01)
    return not alive(pid)


def owner(data: Path) -> tuple["subprocess.Popen[str]", int]:
    """Start another process that starts a server on `data`; return it and the server's process id."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(data)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,
    )
    assert process.stdout
    pid = next(int(line.split()[1]) for line in process.stdout if line.startswith("pid"))
    return process, pid


def end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    assert process.stdout
    process.stdout.close()


@pytest.mark.parametrize("tcp", [False, True])
async def test_it_keeps_its_promises_and_its_data_over_restarts(data: Path, *, tcp: bool) -> None:
    server = Server(data, tcp=tcp)
    url = server.start()
    store = await RedisStore.open(url, partitions=1)
    assert store.durability.problems == ()
    await put(store, "c1", 3)
    entries = await store.read(T)
    server.stop()
    assert server.pid is None

    with server:
        assert server.url == url
        assert await store.read(T) == entries
        server.kill()
        server.start()
        assert await store.read(T) == entries
        assert not server.truncated
    await store.close()


def test_only_its_owner_can_look_into_the_data_or_connect(data: Path) -> None:
    with Server(data) as server:
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert stat.S_IMODE((data / "server.sock").stat().st_mode) == 0o700
        assert server.url.startswith("unix://")


def test_odd_characters_in_the_path_do_no_harm(tmp_path: Path) -> None:
    with (
        Server(tmp_path / "données de l'open, 100 % #1?") as server,
        redis.Redis.from_url(server.url) as client,
    ):
        assert client.ping()


def test_a_path_too_long_for_a_socket_is_served_on_a_port_of_this_machine(tmp_path: Path) -> None:
    with Server(tmp_path / ("long" * 30)) as server:
        assert server.url.startswith("redis://127.0.0.1:")


def test_a_second_server_on_the_same_data_is_refused_naming_the_first(data: Path) -> None:
    with Server(data) as first:
        with pytest.raises(DataInUse) as refusal:
            Server(data).start()

        assert refusal.value.pid == first.pid
        assert str(first.pid) in str(refusal.value)
        assert find_running(data) == refusal.value.url == first.url
    assert find_running(data) is None


def test_nobody_runs_on_data_that_are_not_there(data: Path) -> None:
    assert find_running(data) is None
    assert not data.exists()


def test_what_a_killed_server_left_behind_does_not_hinder_the_next(data: Path) -> None:
    server = Server(data)
    server.start()
    server.kill()
    noted = (data / "server.lock").read_text()

    # Somebody else may have that process id by now: ours, to be sure that it lives.
    (data / "server.lock").write_text(f"{os.getpid()}\n{noted.splitlines()[1]}\n")

    with Server(data) as again:
        assert again.pid


@pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere nothing tells a process that its parent was killed"
)
def test_it_ends_with_the_process_that_started_it_even_when_that_is_killed(data: Path) -> None:
    process, pid = owner(data)
    assert alive(pid)

    end(process)

    assert wait_until_gone(pid)
    with Server(data) as server:
        assert not server.truncated


def test_it_lives_as_long_as_its_owner_whichever_thread_started_it(data: Path) -> None:
    process, pid = owner(data)
    time.sleep(0.2)

    assert alive(pid)
    end(process)
    assert wait_until_gone(pid)


def test_an_interrupt_from_the_terminal_does_not_reach_it(data: Path) -> None:
    process, pid = owner(data)

    assert os.getsid(pid) == pid != os.getsid(process.pid)
    end(process)
    assert wait_until_gone(pid)


def test_a_server_that_does_not_end_is_killed_with_a_warning(data: Path) -> None:
    server = Server(data)
    server.start()
    assert server.pid
    os.kill(server.pid, signal.SIGSTOP)

    with capture_logs() as logs:
        server.stop(patience_s=0.1)

    assert [line["event"] for line in logs] == ["server_killed", "server_stopped"]


def test_stopping_what_does_not_run_does_nothing(data: Path) -> None:
    server = Server(data)
    server.stop()
    server.start()
    server.stop()
    server.stop()


def test_a_program_that_ends_at_once_is_reported(data: Path) -> None:
    with pytest.raises(ServerFailed, match="ended as soon as"):
        Server(data, program=Path("/bin/false")).start()
    assert find_running(data) is None


def test_a_program_that_is_not_there_is_reported(data: Path) -> None:
    with pytest.raises((DataUnusable, ServerFailed)):
        Server(data, program=Path("/nowhere/valkey-server")).start()


def test_data_that_cannot_be_made_are_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")

    with pytest.raises(DataUnusable, match="file"):
        Server(tmp_path / "file").start()
    with pytest.raises(DataUnusable):
        Server(tmp_path / "file" / "below").start()


def pretend(folder: Path, name: str, said: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho '{said}'\n")
    (folder / name).chmod(0o755)


def test_the_first_server_of_the_path_that_is_new_enough_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", str(folder))
    pretend(folder, "redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64")
    assert find_program() == folder / "redis-server"

    pretend(folder, "valkey-server", "Valkey server v=8.1.8 sha=00000000:1 malloc=libc bits=64")
    assert find_program() == folder / "valkey-server"

    pretend(folder, "valkey-server", "Valkey server v=7.1.0 sha=00000000:1 malloc=libc bits=64")
    assert find_program() == folder / "redis-server"


def test_without_any_server_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    pretend(tmp_path, "redis-server", "Redis server v=6.0.16 sha=00000000:0 malloc=jemalloc-5.2.1 bits=64")
    pretend(tmp_path, "valkey-server", "I am something else")

    with pytest.raises(NoServerProgram, match="apt-get install redis-server") as refusal:
        find_program()

    assert "redis 6.0" in str(refusal.value)
    assert "does not run" in str(refusal.value)


def test_a_long_loading_is_waited_for_and_told(data: Path) -> None:
    with Server(data) as server, redis.Redis.from_url(server.url) as client:
        for _ in range(30):
            with client.pipeline(transaction=False) as pipeline:
                for number in range(10_000):
                    pipeline.execute_command("INCR", f"k{number % 100}")
                pipeline.execute()
        server.kill()
        heard: list[float] = []

        server.start(heard.append)

        assert heard[-1] == 100
        assert heard == sorted(heard)
        assert len(heard) > 1
        assert client.get("k1") == b"3000"
