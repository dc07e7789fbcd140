"""Failpoints kill the process that reaches them, and only at the visit that was asked for."""

import os
import signal
import subprocess
import sys

import pytest

from services.failpoints import POINTS, VARIABLE, UnknownFailpoint, parse, reach

VISITS = "from services.failpoints import reach\nfor i in range(5): print(i, flush=True); reach('before_ack')"


def run(setting: str | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    if setting is not None:
        environment[VARIABLE] = setting
    return subprocess.run(
        [sys.executable, "-c", VISITS], env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("setting", "visits"), [("before_ack", 1), ("before_ack:3", 3)])
def test_a_process_dies_at_the_visit_that_was_asked_for(setting: str, visits: int) -> None:
    died = run(setting)

    assert died.returncode == -signal.SIGKILL
    assert len(died.stdout.split()) == visits


@pytest.mark.parametrize("setting", [None, "before_append", "before_ack:6"])
def test_a_point_that_is_not_armed_does_nothing(setting: str | None) -> None:
    assert run(setting).returncode == 0


@pytest.mark.parametrize(
    "setting", ["", "before_lunch", "before_ack:0", "before_ack:-1", "before_ack:x", "before_ack:²"]
)
def test_a_setting_that_would_prove_nothing_is_refused(setting: str) -> None:
    with pytest.raises(UnknownFailpoint):
        parse(setting)
    assert "UnknownFailpoint" in run(setting).stderr


def test_nothing_is_armed_here() -> None:
    for point in POINTS:
        reach(point)
