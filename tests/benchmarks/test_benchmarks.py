"""That the benchmarks still run, with next to nothing to do. No time is judged here."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import Rows
from tests.benchmarks.bench import Bench
from tests.benchmarks.generator import LoadFailed, generator, get
from tests.benchmarks.house import house
from tests.benchmarks.load import Shot
from tests.benchmarks.rows import appends, commands, engine, freshness, growth, idle, replay
from tests.benchmarks.scale import TINY
from tests.benchmarks.table import Row
from tests.support.program import TIRAGE


def bench(folder: Path, *engines: str) -> Bench:
    return Bench(scale=TINY, folder=folder, engines=engines)


def check(rows: list[Row]) -> None:
    assert rows
    for row in rows:
        assert re.search(r"\d", row.figure), row
        assert row.what in row.in_words()
        assert row.target or row.met is None


@pytest.mark.parametrize("rows", [engine.rows, replay.rows, appends.rows])
async def test_rows_on_a_store_alone(rows: Rows, tmp_path: Path) -> None:
    check(await rows(bench(tmp_path)))


async def test_rows_on_a_whole_installation(tmp_path: Path) -> None:
    async with house(tmp_path, partitions=2) as running:
        check(await commands.measured(running, TINY))
        check(await freshness.measured(running, TINY))
        check([await idle.measured(running, TINY)])
        check(growth.compared([await growth.measured(running, TINY, size) for size in TINY.growth], 4))


async def test_another_engine_is_timed_beside_ours(tmp_path: Path) -> None:
    rows = await engine.rows(bench(tmp_path, f"{TIRAGE} pair"))

    assert [row for row in rows if "whole process" in row.what and f"{TIRAGE} pair" in row.baseline]


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """A server that gives everybody the same answer; yields its address."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline() != b"":
            if await reader.readuntil(b"\r\n\r\n"):
                writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}"


async def test_answers_are_counted_and_timed() -> None:
    async with (
        answering(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") as address,
        generator(address) as load,
    ):
        outcome = await load.send([[Shot(get("/"))] * 3] * 2, expected=200, rate=1000)

    assert len(outcome.latencies_ms) == 6
    assert outcome.shown_ms == ()


async def test_an_answer_that_is_not_as_expected_ends_the_measurement() -> None:
    async with (
        answering(b"HTTP/1.1 503 no\r\nContent-Length: 4\r\n\r\nbusy") as address,
        generator(address) as load,
    ):
        with pytest.raises(LoadFailed, match="503 instead of 200: busy"):
            await load.send([[Shot(get("/"))]], expected=200)
