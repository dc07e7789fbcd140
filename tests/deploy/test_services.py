"""The services with the rights of their users: a tournament is played, nobody is refused anything they need."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from events.persons import PersonRecord
from rules.commands import RegisterPlayer
from services.doorbell.parking import Parked, RedisParking
from services.projector.views import RedisViews
from services.store import EMPTY, CommandClash, RedisStore
from services.store.connection import Connection
from services.store.keys import tournament_keys
from services.wallclock import wall_clock
from tests.deploy.installation import DEPLOY, ROOT, Installation, run
from tests.deploy.playing import play
from tests.services.pairing.live import until
from tests.services.pairing.scene import Arbiter
from tests.support.entries import OTHER_REQUEST, REQUEST, batch, put
from tests.support.ledger import PERSON
from tests.support.program import tirage
from tests.support.worker import running_projector, running_worker


def refusals(installation: Installation) -> list[object]:
    """Return what the server noted as refused, and have it forget that."""
    with installation.client("operator") as operator:
        noted = operator.acl_log()
        operator.acl_log_reset()
    return [(entry["username"], entry["object"], entry["reason"]) for entry in noted]


async def test_a_tournament_is_played_by_gateway_and_worker_with_their_own_rights(
    installation: Installation, gateway: RedisStore, tmp_path: Path
) -> None:
    refusals(installation)

    async with running_worker(installation.url("pairing"), tmp_path):
        assert await play(gateway, "played") >= 3

    assert refusals(installation) == []
    told = tirage("rehash", "played", "--recompute", "--url", installation.url("auditor"))
    assert told.returncode == 0, told.stderr
    told = tirage("log", "played", "--no-names", "--url", installation.url("auditor"))
    assert told.returncode == 0, told.stderr
    assert refusals(installation) == []


async def test_tournaments_are_shown_and_made_anew_by_the_projector_with_its_own_rights(
    installation: Installation, gateway: RedisStore, tmp_path: Path
) -> None:
    reader = Connection(installation.url("gateway"), 5, 0)
    views, arbiter = RedisViews(reader, gateway.partitions), Arbiter(gateway, wall_clock)
    await arbiter.enter("shown")
    refusals(installation)

    async with running_projector(installation.url("projector"), tmp_path):
        await told(views, 12)
        for user in ("projector", "operator"):
            environment = {**os.environ, "TIRAGE_STORE_URL": installation.url(user)}
            run(sys.executable, "-m", "services.projector", "--rebuild", environment=environment)
        await arbiter.do("shown", RegisterPlayer(player="late", person=PERSON))
        await told(views, 13)

    view = await views.get("shown", "start-list")
    assert view is not None
    assert b'"late"' in view.body
    assert b'"shown"' in (await views.tournaments()).body
    assert refusals(installation) == []
    await reader.close()


async def told(views: RedisViews, count: int) -> None:
    """Wait until so many public messages are there."""

    async def there() -> bool:
        messages = await views.public("shown", 0, 1000)
        assert messages is not None
        return len(messages) == count

    await until(there, f"{count} public messages")


async def test_the_gateway_has_the_whole_store_at_its_disposal(
    installation: Installation, gateway: RedisStore
) -> None:
    refusals(installation)
    keys = tournament_keys("disposed", 2)

    first = await put(gateway, "c1", 3, tournament="disposed")
    again = await gateway.append("disposed", batch(count=3), expected=EMPTY, cause="c1", request=REQUEST)
    with pytest.raises(CommandClash):
        await put(gateway, "c1", 1, request=OTHER_REQUEST, tournament="disposed")
    with installation.client("operator") as operator:
        operator.delete(keys.commands)  # lost: made anew from the log
    await put(gateway, "c2", 1, tournament="disposed")

    assert (first.first, first.last, again.duplicate) == (1, 3, True)
    assert len(await gateway.read("disposed")) == 4
    assert refusals(installation) == []


async def test_a_person_is_registered_and_erased_from_the_disk_by_the_gateway(
    installation: Installation, gateway: RedisStore
) -> None:
    refusals(installation)
    record = PersonRecord(name="Zoltan Unforgettable", salt="ab" * 32)

    await gateway.person_put("registered", "p1", record)
    assert await gateway.person_get("registered", "p1") == record
    assert on_disk(installation, b"Unforgettable")
    erased = await gateway.person_erase("registered", "p1")

    assert (erased.found, erased.from_disk) == (True, True)
    assert not on_disk(installation, b"Unforgettable")
    assert refusals(installation) == []


async def test_an_operator_erases_a_person_as_the_guide_says(
    installation: Installation, gateway: RedisStore
) -> None:
    await gateway.person_put("registered", "p2", PersonRecord(name="Vera Inextinguishable", salt="cd" * 32))
    environment = {**os.environ, "TIRAGE_STORE_URL": installation.url("operator")}

    run(sys.executable, DEPLOY / "erase.py", "registered", "p2", environment=environment)

    assert await gateway.person_get("registered", "p2") is None
    assert not on_disk(installation, b"Inextinguishable")
    again = run(sys.executable, DEPLOY / "erase.py", "registered", "p2", environment=environment, code=3)
    assert "no record was there" in again


@pytest.mark.parametrize(
    ("arguments", "url", "code"),
    [
        (("t",), "unix:///none", 3),
        (("T T", "p1"), "unix:///none", 6),
        (("t", "p1"), "unix:///none", 6),
        (("t", "p1"), "ftp://x", 6),
        (("t", "p1"), None, 3),
    ],
)
def test_a_wrong_call_of_the_erasure_is_told_in_one_line(
    arguments: tuple[str, ...], url: str | None, code: int
) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TIRAGE_")}
    environment = {**clean, **({"TIRAGE_STORE_URL": url} if url else {})}

    said = run(sys.executable, DEPLOY / "erase.py", *arguments, environment=environment, code=code)

    assert len([line for line in said.splitlines() if "[warning" not in line]) == 1
    assert "Traceback" not in said


def on_disk(installation: Installation, words: bytes) -> bool:
    return any(words in file.read_bytes() for file in (installation.data / "appendonlydir").iterdir())


@pytest.mark.parametrize("service", ["pairing", "projector"])
async def test_services_set_tournaments_aside_and_release_them(
    installation: Installation, gateway: RedisStore, service: str
) -> None:
    refusals(installation)
    connection = Connection(installation.url(service), 5, 0)
    parking = RedisParking(connection, gateway.partitions, service)

    await parking.park("aside", Parked(version=1, engine="none", reason="a test"))
    assert "aside" in await parking.parked(0) | await parking.parked(1)
    assert await parking.release("aside")
    await connection.close()

    assert refusals(installation) == []


async def test_the_gateways_process_serves_and_sees_how_far_the_others_are(
    installation: Installation, gateway: RedisStore, tmp_path: Path
) -> None:
    tokens = tmp_path / "tokens.toml"
    made = [sys.executable, "-m", "services.gateway", "--tokens", str(tokens), "--new-token", "ops"]
    token = run(*made, "--scopes", "operate").splitlines()[0]
    await put(gateway, "c1", 1, tournament="seen")
    refusals(installation)

    async with running_gateway(installation, tokens, tmp_path / "gateway.log") as address:
        for path in ("/health/live", "/health/ready", "/metrics"):
            headers = {"Authorization": f"Bearer {token}"}
            answer = await asyncio.to_thread(httpx.get, address + path, headers=headers)
            assert answer.status_code == 200, (path, answer.text)

    assert refusals(installation) == []


@contextlib.asynccontextmanager
async def running_gateway(installation: Installation, tokens: Path, log: Path) -> AsyncIterator[str]:
    """Run a gateway as the unit does, on a free port, and yield its address."""
    reading, writing = os.pipe()
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services.gateway", "--tokens", str(tokens), "--port", "0"),
            *("--ready-fd", str(writing)),
            env={**os.environ, "TIRAGE_STORE_URL": installation.url("gateway")},
            cwd=ROOT,
            pass_fds=[writing],
            stdout=output,
            stderr=output,
        )
    os.close(writing)
    try:
        with os.fdopen(reading) as ready:
            address = (await asyncio.to_thread(ready.readline)).strip()
        assert address, log
        yield address
    finally:
        process.terminate()
        assert await process.wait() == 0, log
