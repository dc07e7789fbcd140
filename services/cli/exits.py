"""What the program's exit codes mean, and the one way to leave with an error. 0 to 5 are those of bbpPairings."""

import sys
from enum import IntEnum
from typing import NoReturn


class ExitCode(IntEnum):
    """Stable: scripts depend on them."""

    OK = 0
    NO_VALID_PAIRING = 1  # the rules allow no complete pairing; nothing is written
    UNEXPECTED = 2  # our mistake
    INVALID_REQUEST = 3  # an unknown option, a file that cannot be read or asks for what is not offered
    TOO_BIG = 4
    FILE_ACCESS = 5
    NO_STORE = 6  # no server, or one that cannot keep what it is given
    REFUSED = 7  # the rules or the tournament's state forbid the command
    BROKEN_LOG = 8  # the chain of a log does not hold
    DIFFERENT = 9  # what was published or recomputed is not what was expected
    INTERRUPTED = 130  # Ctrl-C, as shells count it


def say(message: str) -> None:
    """Write a line for the user to standard error, with what the terminal's encoding lacks escaped."""
    encoding = sys.stderr.encoding or "ascii"
    print(f"tirage: {message}".encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)  # noqa: T201 - the CLI's voice


def report(code: ExitCode, message: str) -> ExitCode:
    """Say why, in red on a terminal, and return the code."""
    say(f"\x1b[31m{message}\x1b[0m" if sys.stderr.isatty() else message)
    return code


def fail(code: ExitCode, message: str) -> NoReturn:
    """Say why, and leave with the code. Not in a task: it would tear down the event loop with it."""
    raise SystemExit(int(report(code, message)))
