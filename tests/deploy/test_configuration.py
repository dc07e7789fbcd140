"""`deploy/valkey.conf`: durable, open to this machine alone, and each line with its reason."""

import itertools
import re
from pathlib import Path

import pytest

from services.store import RedisStore
from tests.deploy.installation import DEPLOY, SERVICES, Installation
from tests.support.entries import put

CONFIGURATION = (DEPLOY / "valkey.conf").read_text()
OVERRIDDEN = {"port", "aclfile"}


def directives() -> dict[str, str]:
    lines = [line for line in CONFIGURATION.splitlines() if line and not line.startswith("#")]
    return {name: value.strip('"') for name, _, value in (line.partition(" ") for line in lines)}


@pytest.mark.parametrize("user", [*SERVICES, "operator", "auditor"])
async def test_every_user_finds_a_server_that_keeps_what_it_acknowledged(
    installation: Installation, gateway: RedisStore, user: str
) -> None:
    async with installation.store(user) as store:
        assert store.durability.problems == ()
        assert store.partitions == gateway.partitions


def test_every_directive_is_in_force(installation: Installation) -> None:
    with installation.client("operator") as operator:
        for name, value in directives().items():
            found = operator.config_get(name)
            assert name in found, name
            if name not in OVERRIDDEN:
                in_force = {"64mb": str(64 << 20)}.get(value, value)
                assert found[name] == in_force, name


def test_every_directive_has_its_reason() -> None:
    for before, line in itertools.pairwise(CONFIGURATION.splitlines()):
        if line and not line.startswith("#"):
            assert before.startswith("#") or before, f"{line}: no comment above"


def test_nothing_but_this_machine_is_listened_to() -> None:
    assert directives()["bind"].split() == ["127.0.0.1", "-::1"]
    assert directives()["protected-mode"] == "yes"


async def test_a_file_cut_in_the_middle_of_an_append_is_not_loaded(tmp_path: Path) -> None:
    installation = Installation(tmp_path)
    with installation:
        async with installation.store() as store:
            for number in range(3):
                await put(store, f"c{number}")
    (increment,) = installation.data.glob("appendonlydir/*.incr.aof")
    content = increment.read_bytes()
    inside = content.rindex(b"MULTI") + 60  # in the first command of the last transaction
    increment.write_bytes(content[:inside])

    with pytest.raises(AssertionError, match=r"[Uu]nexpected end of file|truncated"):
        installation.start()
    installation.stop()

    assert increment.read_bytes() == content[:inside]  # and nothing was cut off


def test_the_port_and_the_file_of_users_are_the_documented_ones() -> None:
    assert directives()["port"] == "6379"
    assert re.fullmatch(r"/etc/tirage/users\.acl", directives()["aclfile"])
