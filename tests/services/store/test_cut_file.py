"""The server's file, cut or damaged: what comes up is a consistent beginning of the log, or nothing comes up."""

import random
import shutil
from pathlib import Path

import pytest

from services.server import Server, ServerFailed
from services.store import Appended, LogBroken, RedisStore
from services.store.keys import feed_key, tournament_keys
from tests.support.entries import REQUEST, T, batch, put

CUTS = 20
COMMANDS = 30
OTHER = "blitz"


async def write(data: Path) -> dict[str, list[bytes]]:
    """Write two logs, commands of one to three entries in turn, and stop the server in the middle of nothing."""
    with Server(data) as server:
        store = await RedisStore.open(server.url)
        for number in range(COMMANDS):
            await put(store, f"c{number}", 1 + number % 3, tournament=T if number % 2 else OTHER)
        logs = {name: await store.read(name) for name in (T, OTHER)}
        await store.close()
        server.kill()
    return logs


def file_of(data: Path) -> Path:
    """Return the file to which the server under `data` appends."""
    (found,) = data.glob("appendonlydir/*.incr.aof")
    return found


async def test_a_file_cut_anywhere_loads_as_a_beginning_of_every_log(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    logs = await write(whole)
    size = file_of(whole).stat().st_size
    chance = random.Random(20261005)
    for cut in sorted(chance.sample(range(1, size), CUTS)):
        data = tmp_path / f"cut-{cut}"
        shutil.copytree(whole, data, ignore=shutil.ignore_patterns("*.sock"))
        with file_of(data).open("r+b") as file:
            file.truncate(cut)
        with Server(data) as server:
            acknowledged = await assert_beginning(server, logs)
            server.kill()
            server.start()
            assert not server.truncated
            assert await read_all(server) == acknowledged
        shutil.rmtree(data)


async def read_all(server: Server) -> dict[str, list[bytes]]:
    """Return the two logs on `server`."""
    store = await RedisStore.open(server.url)
    logs = {name: await store.read(name) for name in (T, OTHER)}
    await store.close()
    return logs


async def assert_beginning(server: Server, logs: dict[str, list[bytes]]) -> dict[str, list[bytes]]:
    """Assert that the store on `server` holds beginnings of `logs`, in every key; carry them on and return them."""
    store = await RedisStore.open(server.url)
    announced = await store._connection.command("(feed)", "XRANGE", feed_key(0), "-", "+")
    for name, entries in logs.items():
        kept = await store.read(name)
        assert kept == entries[: len(kept)]
        assert (await store.head(name)).version == len(kept)
        assert (await store.heads()).get(name, 0) == len(kept)
        last = [int(fields[3]) for _, fields in announced if fields[1] == name.encode()]
        assert (last or [0])[-1] == len(kept)
        known = await store._connection.command(name, "HVALS", tournament_keys(name, 1).commands)
        assert sorted(int(v.split(b":")[1]) for v in known) == last
        assert not (await put(store, "after", tournament=name)).duplicate
    await store.close()
    return await read_all(server)


async def test_a_cut_is_told(data: Path) -> None:
    await write(data)
    with file_of(data).open("r+b") as file:
        file.truncate(file_of(data).stat().st_size - 7)

    with Server(data) as server:
        assert server.truncated
        server.stop()
        server.start()
        assert not server.truncated


async def test_who_had_read_further_than_the_cut_is_told(data: Path) -> None:
    logs = await write(data)
    with file_of(data).open("r+b") as file:
        file.truncate(file_of(data).stat().st_size * 2 // 3)

    with Server(data) as server:
        store = await RedisStore.open(server.url)
        for name, entries in logs.items():
            with pytest.raises(LogBroken, match="was read up to version"):
                await store.read(name, len(entries))
        await store.close()


async def test_the_command_that_was_cut_off_can_be_sent_again(data: Path) -> None:
    logs = await write(data)
    with file_of(data).open("r+b") as file:
        file.truncate(file_of(data).stat().st_size - 1)

    with Server(data) as server:
        store = await RedisStore.open(server.url)
        lost = len(logs[T]) - len(await store.read(T))
        assert lost == 1 + (COMMANDS - 1) % 3
        answer = await put(store, f"c{COMMANDS - 1}", lost)
        assert answer == Appended(len(logs[T]) - lost + 1, len(logs[T]), duplicate=False)
        assert await store.read(T) == logs[T]
        await store.close()


async def test_a_file_damaged_in_its_middle_is_refused_in_the_servers_words(data: Path) -> None:
    await write(data)
    file = file_of(data)
    content = bytearray(file.read_bytes())
    middle = content.index(b"*", len(content) // 2)
    content[middle] = ord("!")
    file.write_bytes(content)

    with pytest.raises(ServerFailed, match="Bad file format"):
        Server(data).start()


async def test_an_entry_changed_in_the_file_is_found_on_reading(data: Path) -> None:
    logs = await write(data)
    file = file_of(data)
    content = file.read_bytes()
    place = content.index(logs[T][4])
    file.write_bytes(
        content[:place] + logs[T][4].replace(b"arbiter", b"nobody1") + content[place + len(logs[T][4]) :]
    )

    with Server(data) as server:
        store = await RedisStore.open(server.url)
        with pytest.raises(LogBroken) as refusal:
            await store.read(T)
        assert refusal.value.version == 6
        assert await store.read(OTHER) == logs[OTHER]
        await store.close()


async def test_a_rewritten_file_holds_the_same_and_what_follows(data: Path) -> None:
    with Server(data) as server:
        store = await RedisStore.open(server.url)
        await put(store, "c1", 3)
        assert await store._connection.rewrite_file()
        await put(store, "c2", 2)
        entries = await store.read(T)
        server.kill()
        server.start()

        assert await store.read(T) == entries
        head = await store.head(T)
        answer = await store.append(T, batch(head, "c3"), expected=head, cause="c3", request=REQUEST)
        assert answer == Appended(6, 6, duplicate=False)
        await store.close()
