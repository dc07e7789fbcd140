"""The door of the program: no user sees a traceback, and the customary pairing call starts without typer."""

import os
import sys
import traceback

from services.cli.exits import ExitCode, fail
from services.cli.pair_file import customary, run

DEBUG_VARIABLE = "TIRAGE_DEBUG"


def main() -> None:
    """Run the command line in `sys.argv`; leave with one of `ExitCode`."""
    try:
        _run(sys.argv[1:])
    except (KeyboardInterrupt, BrokenPipeError):
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # nobody reads; flushing must not complain
        raise SystemExit(int(ExitCode.INTERRUPTED)) from None
    except OSError as error:
        fail(ExitCode.FILE_ACCESS, f"{error.filename or 'output'}: {error.strerror or error}")
    except Exception as error:  # noqa: BLE001 - the door: our mistake, said in one line
        if os.environ.get(DEBUG_VARIABLE):
            traceback.print_exc()
        fail(
            ExitCode.UNEXPECTED,
            f"unexpected error, our mistake: {type(error).__name__}: {error} ({DEBUG_VARIABLE}=1 shows where)",
        )


def _run(arguments: list[str]) -> None:
    if arguments[:1] == ["pair"] and (request := customary(arguments[1:])) is not None:
        run(request)
        return
    from typer.exceptions import TyperException  # noqa: PLC0415 - same

    from services.cli.app import app  # noqa: PLC0415 - the other verbs load what pairing a file does not need

    try:
        code = app(prog_name="tirage", standalone_mode=False)
    except TyperException as error:
        fail(ExitCode.INVALID_REQUEST, f"{error.format_message()} (`tirage --help` tells more)")
    if isinstance(code, int) and code:
        raise SystemExit(code)
