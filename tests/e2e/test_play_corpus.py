"""Whole corpus tournaments through the real log and worker: every round that the corpus knows agrees."""

import asyncio
from pathlib import Path

import pytest

from events.facts import PairingPublished
from rules.trf import read
from services.cli.play.runner import NoPairingExists, Performance
from services.cli.play.script import script_of
from services.doorbell.parking import Parked, RedisParking
from services.server import Server
from services.store import RedisStore
from services.store.connection import Connection
from services.store.redis_store import PATIENCE_S, TIMEOUT_S
from tests.corpus.loading import Case, corpus
from tests.support.program import tirage
from tests.support.worker import running_worker

TOGETHER = 10  # tournaments at once


def tournaments(count: int) -> list[Case]:
    """Return the last known state of so many tournaments, spread evenly over the sizes up to 60 players."""
    last: dict[str, Case] = {}
    for case in corpus():
        name = case.id.rsplit("-r", 1)[0]
        if case.players <= 60 and case.round > last.get(name, case).round - 1:
            last[name] = case
    by_size = sorted(last.values(), key=lambda case: (case.players, case.id))
    return [by_size[index * (len(by_size) - 1) // (count - 1)] for index in range(count)]


def known_rounds(case: Case) -> dict[int, Case]:
    """Return the states of the same tournament, by round."""
    name = case.id.rsplit("-r", 1)[0]
    return {other.round: other for other in corpus() if other.id.rsplit("-r", 1)[0] == name}


def as_expected(published: PairingPublished) -> set[tuple[int, int]]:
    pairs = {(int(white[1:]), int(black[1:])) for white, black in published.pairs}
    return pairs | ({(int(published.pab[1:]), 0)} if published.pab else set())


async def play(store: RedisStore, case: Case) -> int:
    """Play one tournament and return how many of its rounds were compared."""
    known = known_rounds(case)
    compared = 0
    try:
        async for played in Performance(store, script_of(read(case.trf.encode()), case.id)).rounds():
            assert played.differences == (), (case.id, played.differences)
            assert played.faults == (), (case.id, played.faults)
            state = known.get(played.published.round)
            if state is not None and state.expected is not None:
                assert as_expected(played.published) == set(state.expected), state.id
                compared += 1
    except NoPairingExists:
        assert case.expected is None, case.id
        compared += 1
    assert compared == len(known), case.id
    return compared


async def test_fifty_tournaments_of_the_corpus_agree_in_every_round(server: Server, tmp_path: Path) -> None:
    chosen = tournaments(50)
    assert len({case.id for case in chosen}) == 50
    together = asyncio.Semaphore(TOGETHER)
    store = await RedisStore.open(server.url)

    async def one(case: Case) -> int:
        async with together:
            return await play(store, case)

    async with running_worker(server.url, tmp_path):
        compared = await asyncio.gather(*map(one, chosen))
    await store.close()

    assert sum(compared) >= 50


async def test_the_command_line_plays_a_file_and_says_that_it_agrees(server: Server, tmp_path: Path) -> None:
    case = next(case for case in tournaments(50) if case.players >= 10 and case.round <= 5)
    file = tmp_path / "case.trf"
    file.write_text(case.trf)

    async with running_worker(server.url, tmp_path):
        done = await asyncio.to_thread(tirage, "play", str(file), "--url", server.url)

    assert done.returncode == 0, done.stderr
    assert f"{case.round - 1} of {case.round - 1} rounds agree" in done.stdout
    assert "recomputed from the log" in done.stdout
    assert done.stderr == ""


async def test_a_file_whose_round_differs_is_told_with_the_boards(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "swapped.trf"
    file.write_text(
        "012 Swapped\n142 3\n152 W\n"
        + "".join(
            f"001 {tpn:>4}{'':72}{points:>4}{'':7}{opponent:>4} {colour} {code}\n"
            for tpn, points, opponent, colour, code in (
                (1, "1.0", 2, "w", "1"),
                (2, "0.0", 1, "b", "0"),
                (3, "1.0", 4, "w", "1"),
                (4, "0.0", 3, "b", "0"),
            )
        )
    )

    async with running_worker(server.url, tmp_path):
        done = await asyncio.to_thread(tirage, "play", str(file), "--url", server.url)

    assert done.returncode == 9, done.stdout + done.stderr
    assert "the file has p1-p2" in done.stderr
    assert "published is p1-p3" in done.stderr


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "http://127.0.0.1/", "redis+cluster://x"])
def test_a_store_that_is_not_there_is_told_in_one_line(tmp_path: Path, url: str) -> None:
    file = tmp_path / "case.trf"
    file.write_text(tournaments(50)[10].trf)

    done = tirage("play", str(file), "--url", url)

    assert done.returncode == 6
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


async def test_what_cannot_be_played_is_told_with_its_exit_code(server: Server, tmp_path: Path) -> None:
    file = tmp_path / "alone.trf"
    file.write_text("142 3\n152 W\n001    1\n")

    async with running_worker(server.url, tmp_path):
        odd = await asyncio.to_thread(
            tirage, "play", str(file), "-q", "--tournament", "BAD ID", "--url", server.url
        )
        alone = await asyncio.to_thread(
            tirage, "play", str(file), "-q", "--tournament", "alone", "--url", server.url
        )
        file.write_text("142 4\n152 W\n001    1\n")
        other = await asyncio.to_thread(
            tirage, "play", str(file), "-q", "--tournament", "alone", "--url", server.url
        )

    assert (odd.returncode, odd.stderr) == (3, "tirage: 'BAD ID' is not a tournament id\n")
    assert alone.returncode == 0, alone.stderr
    assert "round 1, 0 boards: is not in the file" in alone.stdout
    assert other.returncode == 7
    assert "was not played from this file" in other.stderr


async def test_a_tournament_that_is_set_aside_is_told_at_once_with_the_reason(
    server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "alone.trf"
    file.write_text("142 3\n152 W\n001    1\n")
    await (await RedisStore.open(server.url)).close()
    connection = Connection(server.url, TIMEOUT_S, PATIENCE_S)
    parking = RedisParking(connection, 1, "pairing")
    await parking.park("alone", Parked(version=1, engine="x", reason="out of order"))

    done = await asyncio.to_thread(
        tirage, "play", str(file), "-q", "--tournament", "alone", "--url", server.url
    )
    await connection.close()

    assert done.returncode == 7
    assert "has set alone aside: out of order" in done.stderr


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("001    1      " + "N" * 10 + "\n", "does not give the number of rounds"),
        ("012 " + "x" * 3000 + "\n142 3\n152 W\n001    1\n", "the tournament cannot be announced"),
    ],
)
def test_what_no_event_can_hold_is_told_with_3(tmp_path: Path, content: str, reason: str) -> None:
    file = tmp_path / "long.trf"
    file.write_text(content)

    done = tirage("play", str(file), "--url", "redis://127.0.0.1:1/0")

    assert done.returncode == 3
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
