"""What the program's exit codes mean, and the one way to leave with an error. 0 to 5 are those of bbpPairings."""

from enum import IntEnum
from typing import NoReturn

import typer


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


def fail(code: ExitCode, message: str) -> NoReturn:
    """Say on standard error why, in colour on a terminal only, and leave with the code."""
    typer.secho(f"tirage: {message}", err=True, fg=typer.colors.RED)
    raise typer.Exit(code)
