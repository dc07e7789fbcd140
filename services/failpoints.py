"""Named points at which a test kills this process as a power cut would, to prove what survives.

The environment variable `TIRAGE_FAILPOINT` names one of `POINTS`; the process then ends itself with SIGKILL when
it gets there. `append_before_answer:5` lets it pass four times and strikes at the fifth. Unset, which is what it
is outside tests, reaching a point costs one comparison.
"""

import os
import signal

VARIABLE = "TIRAGE_FAILPOINT"
POINTS = frozenset(
    {
        "before_append",  # decided, nothing written yet
        "append_before_answer",  # written, and nobody has heard of it
        "before_ack",  # a worker did its work and has not acknowledged the doorbell
        "before_apply",  # a projector made views and messages, none is written yet
        "before_flip",  # a rebuild made the next generation and holds the writers of the present one
        "flip_before_removal",  # the next generation is shown, the one before is still there
    }
)


class UnknownFailpoint(ValueError):
    """`TIRAGE_FAILPOINT` names no point, or its count is not a positive number: a test would prove nothing."""

    def __init__(self, setting: str) -> None:
        super().__init__(
            f"{VARIABLE}={setting!r}: expected one of {', '.join(sorted(POINTS))}, or NAME:COUNT"
        )
        self.setting = setting


def parse(setting: str) -> tuple[str, int]:
    """Return the point that `setting` names and at which visit to it the process ends, 1-based.

    Raises `UnknownFailpoint`.

    >>> parse("before_ack"), parse("append_before_answer:5")
    (('before_ack', 1), ('append_before_answer', 5))
    """
    name, _, count = setting.partition(":")
    if name not in POINTS or (count and not (count.isascii() and count.isdigit() and int(count))):
        raise UnknownFailpoint(setting)
    return name, int(count or 1)


_armed: str | None = None
_visits_left = 0
if VARIABLE in os.environ:
    _armed, _visits_left = parse(os.environ[VARIABLE])


def reach(name: str) -> None:
    """Say that the point `name` is reached; does not return when it is the armed one and its count is used up."""
    global _visits_left  # noqa: PLW0603 - the countdown belongs to the process, as the environment does
    if _armed != name:
        return
    _visits_left -= 1
    if _visits_left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
