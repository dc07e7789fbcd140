"""`tirage serve`: the demonstration, the second start that finds its data, and an end that leaves nobody behind."""

import contextlib
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import redis

from services.gateway.tokens import read
from services.server import Server
from tests.support.patience import PATIENCE_S
from tests.support.program import ROOT, TIRAGE, tirage


def _await_line(process: subprocess.Popen[str], wanted: str) -> list[str]:
    """Return the lines up to the one that contains `wanted`."""
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if wanted in line:
            return lines
    raise AssertionError(f"{wanted!r} was not said; it said {lines}")


def _descendants(pid: int) -> set[int]:
    """Return the process ids of everything that descends from `pid`, by the kernel's own list (Linux)."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found |= {int(child)} | _descendants(int(child))
    return found


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def _await_end(pids: set[int]) -> set[int]:
    """Return who of `pids` is still there after a few seconds."""
    give_up = time.monotonic() + PATIENCE_S
    while any(map(_alive, pids)) and time.monotonic() < give_up:
        time.sleep(0.05)
    return set(filter(_alive, pids))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@contextlib.contextmanager
def _serve(data: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `tirage serve` in a process group of its own, for as long as it wants or the `with` statement lasts."""
    with subprocess.Popen(
        [TIRAGE, "serve", "--data", str(data), "--port", "0", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def test_the_demonstration_is_played_and_found_again_and_everything_ends(data: Path) -> None:
    first = tirage("serve", "--data", str(data), "--port", "0", "--demo", "--once")

    assert first.returncode == 0, first.stderr
    assert "no tournaments yet" in first.stdout
    assert "9 of 9 rounds agree" in first.stdout
    assert first.stdout.count("recomputed from the log") == 9
    assert "The standings count it from round 2, pairings from round 3." in first.stdout
    assert "pairings from round 7; the published pairing of round 6 stands." in first.stdout

    with _serve(data, "--demo") as second:
        lines = _await_line(second, "Tirage is up")
        assert any("found 1 tournament(s) of earlier runs" in line for line in lines)
        assert any("was played before" in line for line in lines)
        family = _descendants(second.pid)
        assert len(family) >= 4, "a server, a worker, a projector and a gateway"
        api = next(line for line in lines if "API: " in line).partition("API: ")[2].partition(";")[0]
        assert httpx.get(api).json()["openapi"].startswith("3.1")
        page = httpx.get(lines[-1].split()[3], headers={"Accept-Language": "en"})
        assert page.status_code == 200
        assert "Tirage Demonstration Open" in page.text

        rehashed = tirage("rehash", "--data", str(data))
        assert rehashed.returncode == 0
        again = tirage("serve", "--data", str(data))
        assert again.returncode == 6
        assert "is in use by process" in again.stderr

        assert "the data stay" in _end(second)
    assert _await_end(family) == set()


def test_ctrl_c_in_the_middle_of_the_demonstration_ends_cleanly_and_it_goes_on_next_time(data: Path) -> None:
    with _serve(data, "--demo") as process:
        _await_line(process, "Round 2")
        family = _descendants(process.pid)

        assert "Traceback" not in _end(process)
    assert _await_end(family) == set()
    finished = tirage("serve", "--data", str(data), "--port", "0", "--demo", "--once")
    assert "9 of 9 rounds agree" in finished.stdout, finished.stderr


def test_nobody_outlives_a_serve_that_is_killed(data: Path) -> None:
    with _serve(data) as process:
        _await_line(process, "Tirage is up")
        family = _descendants(process.pid)

        process.kill()

    assert _await_end(family) == set()
    assert tirage("serve", "--data", str(data), "--port", "0", "--demo", "--once").returncode == 0


def test_a_worker_that_is_killed_is_started_again(data: Path) -> None:
    with _serve(data) as process:
        _await_line(process, "Tirage is up")
        before = _workers(process.pid)
        assert before

        os.kill(min(before), signal.SIGKILL)
        give_up = time.monotonic() + PATIENCE_S
        while not (after := _workers(process.pid) - before) and time.monotonic() < give_up:
            time.sleep(0.05)

        assert after
        _end(process)


def test_services_that_are_killed_in_the_middle_of_the_demonstration_cost_it_nothing(data: Path) -> None:
    with _serve(data, "--demo") as process:
        _await_line(process, "Round 2")
        for name in ("services.gateway", "services.projector", "services.pairing"):
            for child in _descendants(process.pid):
                if name in _command(child):
                    os.kill(child, signal.SIGKILL)
        lines = _await_line(process, "Tirage is up")

        assert any("9 of 9 rounds agree" in line for line in lines), lines
        _end(process)


def _workers(pid: int) -> set[int]:
    return {child for child in _descendants(pid) if "services.pairing" in _command(child)}


def _end(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, and return what is said until the end."""
    os.killpg(process.pid, signal.SIGINT)
    said, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, said
    return said


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except FileNotFoundError:
        return ""


def _listens(port: int) -> bool:
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_that_would_lose_events_is_refused_by_its_settings(tmp_path: Path) -> None:
    from services.server import find_program  # noqa: PLC0415 - the program alone, without our settings

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    unsafe = subprocess.Popen(
        [
            str(find_program()),
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            str(tmp_path),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        give_up = time.monotonic() + 10
        while not _listens(port) and time.monotonic() < give_up:
            time.sleep(0.02)
        done = tirage("log", "--url", f"redis://127.0.0.1:{port}/0")
    finally:
        unsafe.terminate()
        unsafe.wait()

    assert done.returncode == 6
    assert "appendonly" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("serve", "--nonsense"), "nonsense"),
        (("dance",), "dance"),
        (("serve", "--port", "99999"), "--port"),
        (("play",), "Missing argument"),
        (("log", "--url", "http://127.0.0.1/"), "accepted are redis://"),
    ],
)
def test_a_wrong_call_is_one_line_and_never_a_traceback(arguments: tuple[str, ...], said: str) -> None:
    done = tirage(*arguments)

    assert done.returncode in {3, 6}
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_nothing_running_is_said_with_what_to_do(data: Path) -> None:
    done = tirage("log", "--data", str(data))

    assert done.returncode == 6
    assert "tirage serve" in done.stderr


def test_serve_ends_when_its_own_server_dies_and_says_so(data: Path) -> None:
    with _serve(data) as process:
        _await_line(process, "Tirage is up")
        family = _descendants(process.pid)

        os.kill(_server(process.pid), signal.SIGKILL)
        output, _ = process.communicate(timeout=PATIENCE_S)

        assert process.returncode == 6
        assert "has died" in output
    assert _await_end(family) == set()


def _server(pid: int) -> int:
    """Return the process id of the store's server among the descendants of `pid`."""
    names = {one: Path(f"/proc/{one}/cmdline").read_bytes() for one in _descendants(pid)}
    return next(one for one, name in names.items() if b"valkey-server" in name or b"redis-server" in name)


def test_a_server_of_ones_own_is_not_started_when_the_environment_names_a_store(
    data: Path, server: Server
) -> None:
    done = tirage(
        "serve", "--data", str(data), "--port", "0", "--demo", "--once", TIRAGE_STORE_URL=server.url
    )

    assert done.returncode == 0, done.stderr
    assert "9 of 9 rounds agree" in done.stdout
    assert "server.sock" not in {path.name for path in data.iterdir()}


def test_a_broken_tournament_does_not_keep_the_others_from_being_served(data: Path) -> None:
    with Server(data) as server, redis.Redis.from_url(server.url) as client:
        client.hset("es:store", mapping={"format": 1, "partitions": 1})
        client.zadd("es:{p00}:index", {"broken": 3})
    with _serve(data) as process:
        lines = _await_line(process, "Tirage is up")

    assert any("broken: BROKEN" in line for line in lines), lines


def test_a_port_that_is_taken_is_told(data: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        done = tirage("serve", "--data", str(data), "--port", str(port))

    assert done.returncode == 5
    assert f"cannot listen at 127.0.0.1:{port}" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_lost_token_is_replaced_and_what_it_could_do_stays_with_its_name(data: Path) -> None:
    with _serve(data) as process:
        _await_line(process, "Tirage is up")
        _end(process)
    lost = (data / "arbiter.token").read_text()
    (data / "arbiter.token").unlink()
    with _serve(data) as process:
        _await_line(process, "Tirage is up")
        _end(process)

    assert (data / "arbiter.token").read_text() not in ("", lost)
    assert (data / "arbiter.token").stat().st_mode & 0o077 == 0
    assert [token.name for token in read(data / "tokens.toml")] == ["arbiter", "arbiter-"]
