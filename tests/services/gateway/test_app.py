"""The gateway as a process: on a real server, started, asked, told to stop; and what its log may not say."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from events.envelope import decode
from services.gateway.tokens import new_token
from services.server import Server
from services.store import RedisStore
from tests.services.gateway.examples import ANNOUNCE, ENTRY, KEYS
from tests.services.gateway.scene import Process, problem
from tests.support.patience import PATIENCE_S
from tests.support.program import ROOT


async def test_it_says_where_it_listens_takes_commands_and_ends_in_order(
    server: Server, store: RedisStore, tmp_path: Path
) -> None:
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client:
            answer = await client.post("/tournaments/t/commands", json=ANNOUNCE, headers=KEYS("a"))
            metrics = await client.get("/metrics")
        code = await gateway.stop()

    assert (answer.status_code, code) == (201, 0)
    assert decode((await store.read("t"))[0], 1).actor == "arbiter"
    assert 'tirage_command_seconds_count{outcome="done",type="announce-tournament"} 1.0' in metrics.text
    assert "tirage_append_seconds_count 1.0" in metrics.text
    assert '"event": "gateway_stopped"' in gateway.words
    assert "Traceback" not in gateway.words


async def test_told_to_stop_it_answers_what_is_under_way(
    server: Server, store: RedisStore, tmp_path: Path
) -> None:
    acknowledged: list[str] = []
    statuses: set[int] = set()

    async def keep_announcing(client: httpx.AsyncClient, prefix: str) -> None:
        for number in range(1_000):
            name = f"{prefix}-{number}"
            command = {**ANNOUNCE, "tournament": name}
            try:
                answer = await client.post(f"/tournaments/{name}/commands", json=command, headers=KEYS("a"))
            except httpx.TransportError:
                return  # it has stopped
            statuses.add(answer.status_code)
            if answer.status_code == 201:
                acknowledged.append(name)

    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client, asyncio.TaskGroup() as clients:
            for number in range(8):
                clients.create_task(keep_announcing(client, f"t{number}"))
            await asyncio.sleep(0.5)  # somewhere in the middle
            code = await gateway.stop()

    assert code == 0
    assert statuses <= {201, 503}
    assert acknowledged
    assert set(acknowledged) <= set(await store.tournaments())


async def test_no_token_and_no_person_stands_in_the_log(server: Server, tmp_path: Path) -> None:
    secret = "tirage_planted"  # noqa: S105 - it is no password
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client:
            await client.post("/tournaments/t/commands", json=ANNOUNCE, headers=KEYS("a"))
            for key, command in (
                ("e", ENTRY),
                ("f", ENTRY),
                ("g", {**ENTRY, "title": "Planted-Name"}),
                ("h", {**ENTRY, "person": {"name": "Planted-Name", "Planted-Name": 1}}),
            ):
                await client.post("/tournaments/t/commands", json=command, headers=KEYS(key))
                await client.post("/tournaments/t/commands?dry_run=1", json=command, headers=KEYS(key))
            for path in (f"/tournaments/{secret}/commands", f"/tournaments/t/{secret}", f"/{secret}"):
                await client.post(path, json=ENTRY, headers=KEYS("x"))
                await client.get(path)
        async with gateway.client(secret) as client:
            refused = await client.post("/tournaments/t/commands", json=ENTRY, headers=KEYS("y"))
        await gateway.stop()

    assert refused.status_code == 401
    for planted in (secret, gateway.arbiter, "Planted-Name", "1360-01-02", "planted@example.org"):
        assert planted not in gateway.words
    assert gateway.words.count('"event": "command_') == 1 + 2 * 4 + 1 + 1


async def test_each_command_leaves_one_line(server: Server, tmp_path: Path) -> None:
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client:
            for command in (ANNOUNCE, ANNOUNCE, {**ANNOUNCE, "rounds": 7}, {"type": "no-such"}):
                await client.post("/tournaments/t/commands", json=command, headers=KEYS("a"))
            await client.post("/tournaments/t/commands", json=ANNOUNCE, headers=KEYS("b"))
        await gateway.stop()

    lines = [line for line in gateway.words.splitlines() if '"event": "command_' in line]
    events = [line.partition('"event": "')[2].partition('"')[0] for line in lines]
    assert events == [
        "command_done",
        "command_repeated",
        "command_failed",
        "command_failed",
        "command_refused",
    ]
    assert all('"tournament": "t"' in line for line in lines)


async def test_while_the_store_is_away_it_says_so_and_then_goes_on(server: Server, tmp_path: Path) -> None:
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        async with gateway.client() as client:
            there = await client.get("/health/ready")
            server.kill()
            gone = await client.get("/health/ready")
            metrics = await client.get("/metrics")
            live = await client.get("/health/live")
            waiting = asyncio.create_task(
                client.post("/tournaments/t/commands", json=ANNOUNCE, headers=KEYS("a"))
            )
            await asyncio.sleep(0.1)
            await asyncio.to_thread(server.start)
            answer = await waiting
            back = await client.get("/health/ready")
        await gateway.stop()

    assert (there.status_code, gone.status_code, live.status_code, back.status_code) == (200, 503, 200, 200)
    assert gone.json() == {"status": "not ready", "store": "unreachable"}
    assert "on disk before it is acknowledged" in there.json()["durability"]
    assert "tirage_store_up 0.0" in metrics.text
    assert answer.status_code == 201


async def test_a_store_that_does_not_come_back_is_a_problem_within_seconds(
    server: Server, tmp_path: Path
) -> None:
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        server.kill()
        async with gateway.client() as client:
            answer = await client.post("/tournaments/t/commands", json=ANNOUNCE, headers=KEYS("a"))
        assert await gateway.stop() == 0

    assert (answer.status_code, problem(answer)["type"]) == (503, "/problems/store-unreachable")
    assert answer.headers["retry-after"] == "2"


async def test_a_token_is_taken_at_once_when_it_is_told_to_look(server: Server, tmp_path: Path) -> None:
    with Process(server.url, tmp_path) as gateway:
        await gateway.ready()
        hall = new_token(gateway.tokens, {"name": "hall", "scopes": ["command:*"]})
        gateway.process.send_signal(signal.SIGHUP)
        async with gateway.client(hall) as client:
            answer = await client.post("/tournaments/t/commands", json=ANNOUNCE, headers=KEYS("a"))
        await gateway.stop(signal.SIGINT)

    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (
            ["--url", "unix:///nowhere", "--store-wait-s", "0.1", "--port", "0"],
            6,
            "no store at unix:///nowhere",
        ),
        (["--url", "http://x"], 3, "--url: "),
        (["--url", "unix:///x", "--port", "99999"], 3, "--port: "),
        (["--url", "unix:///x", "--tokens", "/nowhere/tokens"], 5, "No such file"),
        (["--url", "unix:///x", "--host", "203.0.113.7"], 5, "cannot listen at 203.0.113.7:8080"),
        (["--new-token", "arbiter"], 5, "arbiter is there already"),
        (["--new-token", "b", "--scopes", "root"], 5, "scopes"),
    ],
)
def test_what_cannot_be_started_ends_with_one_line(
    tmp_path: Path, options: list[str], code: int, words: str
) -> None:
    tokens = tmp_path / "tokens"
    new_token(tokens, {"name": "arbiter"})

    ended = _run("--tokens", str(tokens), *options)

    assert (ended.returncode, ended.stdout) == (code, "")
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_port_that_is_taken_is_not_shared(tmp_path: Path) -> None:
    import socket  # noqa: PLC0415 - of this test alone

    tokens = tmp_path / "tokens"
    new_token(tokens, {"name": "arbiter"})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = _run("--tokens", str(tokens), "--url", "unix:///x", "--port", port)

    assert ended.returncode == 5
    assert "Address already in use" in ended.stderr


def test_a_new_token_is_printed_once(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"

    made = _run("--tokens", str(tokens), "--new-token", "hall", "--scopes", "command:record-result,operate")

    assert made.returncode == 0
    assert made.stdout.strip() not in tokens.read_text()
    assert "record-result" in tokens.read_text()


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "services.gateway", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE_S,
        check=False,
    )
