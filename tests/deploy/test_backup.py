"""`deploy/backup.sh` and `deploy/drill.sh`: a store is copied while it works, and what is restored holds."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.deploy.installation import DEPLOY, Installation, run, tools
from tests.deploy.playing import play
from tests.support.entries import put
from tests.support.worker import running_worker

DAMAGED = "Bad file format|Unexpected end of file|unexpected end of file"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Where the server's programs are found by name."""
    return tools(tmp_path)


async def backup(installation: Installation, target: Path, environment: dict[str, str]) -> None:
    await asyncio.to_thread(run, DEPLOY / "backup.sh", installation.data, target, environment=environment)


def restored(target: Path, folder: Path) -> Installation:
    """Return an installation on the files of a backup, as the guide restores it."""
    folder.mkdir()
    installation = Installation(folder)
    shutil.copytree(target / "appendonlydir", installation.data / "appendonlydir")
    return installation


@asynccontextmanager
async def rewriting(installation: Installation) -> AsyncIterator[None]:
    """Have the server rewrite its files all the time, so that names change under whoever copies them."""

    async def rewrite() -> None:
        with installation.client("operator") as operator:
            while True:
                if not operator.info("persistence")["aof_rewrite_in_progress"]:
                    operator.bgrewriteaof()
                await asyncio.sleep(0.05)

    task = asyncio.create_task(rewrite())
    try:
        yield
    finally:
        task.cancel()


async def test_what_is_copied_under_load_is_restored_and_holds(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with Installation(tmp_path) as installation:
        async with installation.store(partitions=2) as store:
            before: list[dict[str, int]] = []
            async with running_worker(installation.url("pairing"), tmp_path), rewriting(installation):
                playing = asyncio.gather(*(play(store, f"played-{number}") for number in range(3)))
                for number in range(3):
                    await asyncio.sleep(0.7)
                    before.append(await store.heads())
                    await backup(installation, tmp_path / f"backup-{number}", environment)
                await playing
            await backup(installation, tmp_path / "backup-end", environment)
            at_the_end = await store.heads()

    assert sum(before[0].values()) < sum(at_the_end.values())
    for number, acknowledged in enumerate(before):
        told = await asyncio.to_thread(
            run, DEPLOY / "drill.sh", tmp_path / f"backup-{number}", environment=environment
        )
        assert all(tournament in told for tournament in acknowledged)
        heads = await heads_of(tmp_path / f"backup-{number}", tmp_path / f"restored-{number}")
        assert all(heads[tournament] >= version for tournament, version in acknowledged.items()), (
            number,
            heads,
            acknowledged,
        )
    assert await heads_of(tmp_path / "backup-end", tmp_path / "restored-end") == at_the_end
    assert not list(installation.data.glob("backup.*"))  # no links are left behind


async def heads_of(target: Path, folder: Path) -> dict[str, int]:
    with restored(target, folder) as installation:
        async with installation.store() as store:
            heads = await store.heads()
            await put(store, "goes-on", 1, tournament="after-the-restoration")
    return heads


async def test_a_drill_notices_a_backup_that_was_changed_or_tells_of_a_broken_log(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with Installation(tmp_path) as installation:
        async with installation.store() as store:
            await put(store, "c1", 2)
        await backup(installation, tmp_path / "good", environment)
    shutil.copytree(tmp_path / "good", tmp_path / "changed")
    (increment,) = (tmp_path / "changed" / "appendonlydir").glob("*.incr.aof")
    increment.write_bytes(increment.read_bytes().replace(b'"player":"p1"', b'"player":"p9"'))

    run(DEPLOY / "drill.sh", tmp_path / "changed", environment=environment, code=1)
    run("sh", "-c", 'cd "$0" && sha256sum appendonlydir/* > SHA256SUMS', tmp_path / "changed")
    assert "open-2026" in run(DEPLOY / "drill.sh", tmp_path / "changed", environment=environment, code=8)


async def test_a_file_whose_end_was_cut_is_mended_as_the_guide_says(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with Installation(tmp_path) as installation:
        async with installation.store() as store:
            for number in range(3):
                await put(store, f"c{number}", 1)
    (increment,) = installation.data.glob("appendonlydir/*.incr.aof")
    content = increment.read_bytes()
    increment.write_bytes(content[: content.rindex(b"MULTI") + 60])
    with pytest.raises(AssertionError, match=DAMAGED):
        installation.start()
    installation.stop()

    run(
        *("sh", "-c", 'yes | "$(command -v valkey-check-aof || command -v redis-check-aof)" --fix "$0"'),
        installation.data / "appendonlydir" / "appendonly.aof.manifest",
        environment=environment,
    )

    with installation:
        async with installation.store() as store:
            assert len(await store.read("open-2026")) == 2
            await put(store, "c2", 1)
    with installation:  # and what came after the mending is there at the next start
        async with installation.store() as store:
            assert len(await store.read("open-2026")) == 3


def test_a_backup_is_not_made_over_another_nor_of_nothing(
    installation: Installation, environment: dict[str, str], tmp_path: Path
) -> None:
    run(DEPLOY / "backup.sh", installation.data, tmp_path / "one", environment=environment)

    run(DEPLOY / "backup.sh", installation.data, tmp_path / "one", environment=environment, code=1)
    run(DEPLOY / "backup.sh", tmp_path / "nowhere", tmp_path / "two", environment=environment, code=1)
    assert not (tmp_path / "two").exists()
