"""`tirage log` and `tirage rehash` on a real server, with logs that hold and logs that do not."""

import asyncio
import json

import pytest
import redis

from events.codec import sha256_hex
from events.facts import PlayerWithdrawn
from rules.swiss.dutch import ENGINE, pair
from services.cli.play.runner import Performance
from services.cli.play.script import script_of
from services.gateway.commands import Commands
from services.pairing.engine import InlineEngine
from services.pairing.handler import PairingWorker
from services.server import Server
from services.store import RedisStore, link
from tests.support.program import tirage
from tests.support.simulation import field, simulate

T = "small-open"


async def _play(url: str) -> None:
    """Play six players and two rounds, the worker being a task of ours."""
    store = await RedisStore.open(url)
    worker = PairingWorker(store, Commands(store), InlineEngine(ENGINE, pair), b"k" * 32)

    async def work() -> None:
        while True:
            await worker.catch_up(T)
            await asyncio.sleep(0.02)

    working = asyncio.create_task(work())
    async for played in Performance(store, script_of(simulate(field(6, 1), 2, 1), T)).rounds():
        assert not played.differences
    working.cancel()
    await store.close()


@pytest.fixture
async def played(server: Server) -> Server:
    await _play(server.url)
    return server


async def _run(server: Server, *arguments: str) -> tuple[int, str, str]:
    done = await asyncio.to_thread(tirage, *arguments, "--url", server.url)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr


async def test_the_log_is_told_in_words_listed_and_given_as_stored(played: Server) -> None:
    _, listed, _ = await _run(played, "log")
    _, english, _ = await _run(played, "log", T)
    _, russian, _ = await _run(played, "log", T, "--lang", "ru")
    _, raw, _ = await _run(played, "log", T, "--json")

    assert f"{T}  'Simulated 1', 6 players, closed, " in listed
    assert "Player 1 [p1] entered (rating" in english
    assert "round 2 is published: 3 boards" in english
    assert "турнир закрыт" in russian.splitlines()[-1]
    entries = [line.encode() for line in raw.splitlines()]
    assert len(entries) == len(english.splitlines())
    assert [json.loads(entry)["prev"] for entry in entries[1:]] == [
        sha256_hex(entry) for entry in entries[:-1]
    ]


async def test_a_log_without_names_shows_ids_alone(played: Server) -> None:
    _, told, _ = await _run(played, "log", T, "--no-names")

    assert "Player 1" not in told
    assert "p1 entered" in told


async def test_a_whole_log_holds_and_recomputes(played: Server) -> None:
    code, told, _ = await _run(played, "rehash", "--recompute")

    assert code == 0
    assert "2 published pairings hold" in told


async def test_what_is_not_there_is_said(played: Server) -> None:
    for verb in ("log", "rehash"):
        code, out, error = await _run(played, verb, "nobody")
        assert (code, out) == (3, "")
        assert "no tournament 'nobody'" in error
    code, _, error = await _run(played, "log", T, "--lang", "de")
    assert code == 3
    assert "en and ru are" in error


def _damage_foreign_entry(client: redis.Redis) -> None:
    client.xadd(f"es:{{p00}}:t:{T}", {"e": b'{"foreign":1}'}, id="9999-0")


def _damage_trim(client: redis.Redis) -> None:
    client.xtrim(f"es:{{p00}}:t:{T}", maxlen=5)


def _damage_hole(client: redis.Redis) -> None:
    client.xdel(f"es:{{p00}}:t:{T}", "7-0")


@pytest.mark.parametrize("damage", [_damage_foreign_entry, _damage_trim, _damage_hole])
@pytest.mark.parametrize("verb", ["log", "rehash"])
async def test_a_log_that_a_foreign_hand_touched_is_broken_and_says_where(
    played: Server, damage: object, verb: str
) -> None:
    with redis.Redis.from_url(played.url) as client:
        damage(client)  # type: ignore[operator]  # one of the functions above

    code, _, error = await _run(played, verb, T)

    assert code == 8
    assert f"the log of {T} is broken at version" in error
    assert len(error.splitlines()) == 1


async def test_an_entry_that_no_decider_wrote_is_found(played: Server) -> None:
    store = await RedisStore.open(played.url)
    head = await store.head(T)
    facts = [PlayerWithdrawn(player="nobody", from_round=1)]
    entries = link(facts, head, at="2030-01-01T00:00:00Z", actor="x", cause="x", request="00" * 32)
    await store.append(T, entries, expected=head, cause="x", request="00" * 32)
    await store.close()

    code, _, error = await _run(played, "rehash", T)

    assert code == 8
    assert f"entry {head.version + 1} does not follow" in error
