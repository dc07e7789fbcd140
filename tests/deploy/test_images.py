"""`deploy/Dockerfile` and `deploy/compose.yaml`: what can be checked without an engine of containers."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped] # ships no types

from services.store.probe import VERSIONS_MIN
from tests.deploy.installation import DEPLOY, ROOT, SERVICES, run

DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def tracked(path: str) -> bool:
    return bool(subprocess.check_output(["git", "ls-files", "--", path], cwd=ROOT))


def test_everything_that_the_image_copies_is_in_the_repository_and_reaches_the_builder() -> None:
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", DOCKERFILE, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    admitted = re.findall(r"^!(.*)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)

    assert copied
    assert all(tracked(source) for source in copied)
    assert sorted(admitted) == sorted(copied)


def test_the_image_installs_locked_versions_alone_and_does_not_run_as_root() -> None:
    installs = [line for line in DOCKERFILE.splitlines() if "pip install" in line]

    assert len(installs) == 2
    assert "--require-hashes -r requirements/main.txt" in installs[0]
    assert "--no-deps --no-build-isolation ." in installs[1]
    users = re.findall(r"^USER (\d+):\d+$", DOCKERFILE, re.MULTILINE)
    assert users
    assert users[-1] != "0"
    assert re.search(r"^setuptools==", (ROOT / "requirements/main.txt").read_text(), re.MULTILINE)


def test_the_packages_that_are_installed_hold_what_the_services_read() -> None:
    """Files beside the modules, such as scripts and pages, are lost when the project's metadata do not name them."""
    wanted = {
        path
        for path in subprocess.check_output(
            ["git", "ls-files", "events", "rules", "projections", "services"], cwd=ROOT, text=True
        ).splitlines()
        if not path.endswith((".py", ".md"))
    }
    patterns = re.search(
        r'^"\*" = (\[.*?\])', (ROOT / "pyproject.toml").read_text(), re.MULTILINE | re.DOTALL
    )

    assert patterns
    endings = tuple(re.findall(r'"\*?([^"]+)"', patterns[1]))
    assert sorted(path for path in wanted if not path.endswith(endings)) == []


def test_the_composition_has_the_store_and_every_service() -> None:
    assert set(COMPOSE["services"]) == {"store", *SERVICES}
    image, version = COMPOSE["services"]["store"]["image"].split(":")
    assert image == "valkey/valkey"
    assert tuple(map(int, version.split("."))) >= VERSIONS_MIN["valkey"]


def test_nothing_is_published_but_the_gateway_on_this_machine() -> None:
    published = {
        name: service["ports"] for name, service in COMPOSE["services"].items() if "ports" in service
    }

    assert published == {"gateway": ["127.0.0.1:8080:8080"]}
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for name, service in COMPOSE["services"].items():
        assert service["networks"] == (["inside", "outside"] if name == "gateway" else ["inside"])
        assert "privileged" not in service
        assert service["cap_drop"] == ["ALL"]


def test_every_path_that_is_mounted_or_read_is_there_after_the_documented_steps(tmp_path: Path) -> None:
    run(DEPLOY / "secrets.sh", tmp_path / "local", "store:6379")
    (tmp_path / "local" / "store").mkdir()
    for service in COMPOSE["services"].values():
        mounted = [volume.split(":")[0] for volume in service.get("volumes", [])]
        for path in [*mounted, *service.get("env_file", [])]:
            base = tmp_path if path.startswith("./local/") else DEPLOY
            assert (base / path).exists(), path
    for name in SERVICES:
        assert "@store:6379/" in (tmp_path / "local" / f"{name}.env").read_text()


@pytest.mark.parametrize("name", SERVICES)
def test_a_container_starts_a_program_of_ours_with_options_that_it_knows(name: str) -> None:
    python, flag, module, *options = COMPOSE["services"][name]["command"]
    assert (python, flag, module) == ("python", "-m", f"services.{name}")

    known = run(sys.executable, "-m", module, "--help")

    assert all(option in known for option in options if option.startswith("--"))


def test_the_store_of_the_composition_is_the_shipped_configuration_but_for_its_place() -> None:
    server, file, *overrides = COMPOSE["services"]["store"]["command"]

    assert (server, file) == ("valkey-server", "/etc/tirage/valkey.conf")
    assert overrides == ["--bind", "0.0.0.0", "--dir", "/data"]  # noqa: S104 - in a network of its own


@pytest.mark.parametrize("script", ["secrets.sh", "backup.sh", "drill.sh"])
def test_a_script_is_executable_and_understood_by_the_plainest_shell(script: str) -> None:
    assert os.access(DEPLOY / script, os.X_OK)
    run("sh", "-n", DEPLOY / script)
    assert "usage" in run("sh", "-c", f"{shlex.quote(str(DEPLOY / script))} 2>&1 || true")


def test_secrets_are_made_once_and_for_their_owner_alone(tmp_path: Path) -> None:
    run(DEPLOY / "secrets.sh", tmp_path / "local")
    key = (tmp_path / "local" / "seal.key").read_bytes()

    for path in (tmp_path / "local").iterdir():
        assert path.stat().st_mode & 0o077 == 0, path.name
    assert len(key) == 32
    run(DEPLOY / "secrets.sh", tmp_path / "local", code=1)
    (tmp_path / "local" / "users.acl").unlink()
    run(DEPLOY / "secrets.sh", tmp_path / "local")
    assert (tmp_path / "local" / "seal.key").read_bytes() == key  # new passwords, the same key
