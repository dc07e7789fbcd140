"""`deploy/systemd/`: units that systemd understands, that start our programs, and that see little of the machine."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from services.cli.exits import ExitCode
from services.settings import load
from tests.deploy.installation import DEPLOY, SERVICES, run

SYSTEMD = DEPLOY / "systemd"
UNITS = sorted(SYSTEMD.glob("*.service"))
EXPOSURE_MAX = 15  # tenths of systemd's own scale from 0 to 10


@pytest.fixture
def analyse() -> Path:
    """The program that checks units."""
    found = shutil.which("systemd-analyze")
    assert found, "systemd-analyze is not there; on Debian: apt-get install systemd"
    return Path(found)


@pytest.fixture
def units(tmp_path: Path) -> list[Path]:
    """The units, with programs of this machine where an installation has its own: systemd wants to see them."""
    for unit in UNITS:
        text = unit.read_text()
        text = text.replace("/opt/tirage/.venv/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(text.replace("/opt/tirage/store-server", "/bin/true"))
    return sorted(tmp_path.glob("*.service"))


def lines(unit: Path, key: str) -> list[str]:
    return re.findall(rf"^{key}=(.*)$", unit.read_text(), re.MULTILINE)


def test_every_service_has_its_unit() -> None:
    assert [unit.stem for unit in UNITS] == sorted(f"tirage-{name}" for name in (*SERVICES, "store"))


def test_systemd_finds_nothing_to_complain_of(analyse: Path, units: list[Path]) -> None:
    assert run(analyse, "verify", "--man=no", *units) == ""


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_sees_little_of_the_machine(analyse: Path, unit: Path) -> None:
    run(analyse, "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE_MAX}", unit)


@pytest.mark.parametrize("name", SERVICES)
def test_a_unit_starts_a_program_of_ours_with_options_that_it_knows(name: str) -> None:
    (start,) = lines(SYSTEMD / f"tirage-{name}.service", "ExecStart")
    program, flag, module, *options = start.split()
    assert (program, flag, module) == ("/opt/tirage/.venv/bin/python", "-m", f"services.{name}")

    known = run(sys.executable, "-m", module, "--help")

    for option in options:
        if option.startswith("--"):
            assert re.search(rf"{option}\b", known), option


def test_what_a_restart_cannot_mend_is_not_restarted() -> None:
    hopeless = f"{ExitCode.INVALID_REQUEST:d} {ExitCode.FILE_ACCESS:d}"
    for name in SERVICES:
        unit = SYSTEMD / f"tirage-{name}.service"
        assert lines(unit, "Restart") == ["on-failure"]
        assert lines(unit, "RestartPreventExitStatus") == [hopeless]


def test_no_secret_stands_on_a_command_line_and_only_the_worker_is_given_the_seal_key() -> None:
    for unit in UNITS:
        assert not re.search(r"redis://|--url|password", " ".join(lines(unit, "ExecStart")))
        assert bool(lines(unit, "LoadCredential")) == (unit.stem == "tirage-pairing")


def test_the_gateway_listens_on_this_machine_alone() -> None:
    (start,) = lines(SYSTEMD / "tirage-gateway.service", "ExecStart")

    assert "--host 127.0.0.1" in start


def test_every_user_of_a_unit_is_made_by_the_installation() -> None:
    made = re.findall(r"^u (\S+)", (SYSTEMD / "tirage.sysusers.conf").read_text(), re.MULTILINE)

    assert sorted(made) == sorted(user for unit in UNITS for user in lines(unit, "User"))


def test_the_example_of_the_environment_is_understood() -> None:
    text = (SYSTEMD / "tirage.env.example").read_text()
    shared = dict(line.split("=", 1) for line in text.splitlines() if line and not line.startswith("#"))

    settings = load({**shared, "TIRAGE_STORE_URL": "redis://gateway:secret@127.0.0.1:6379/0"})

    assert settings.partitions == 16
    assert shared.keys() <= {f"TIRAGE_{name.upper()}" for name in settings.__struct_fields__}
