"""A tournament file in, the next round's pairing out: files and exit codes; the rules are elsewhere.

Pairing programs are called thousands of times in a row, so this module and what it imports stay light:
typer alone takes three times as long to start as all the rest.
"""

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rules.swiss.systems import DUTCH_2017, DUTCH_2026
from services.cli.exits import ExitCode, fail, say

if TYPE_CHECKING:
    from rules.swiss.pairing_input import PairingInput

BYTES_MAX = 32 * 2**20  # a file of 9,999 players and 99 rounds has 11 MB
STREAM = Path("-")  # standard input or output
EDITIONS = {"2026": DUTCH_2026, "2017": DUTCH_2017}


@dataclass(frozen=True, kw_only=True)
class Request:
    """What the user asked for."""

    file: Path
    out: Path | None = None
    dutch: bool = False
    edition: str | None = None  # None: what the file names, or the one in force


def customary(arguments: Sequence[str]) -> Request | None:
    """Return the request in `--dutch FILE [-p [OUT]]`, the call of the known engines; None for any other form.

    >>> customary(["--dutch", "a.trf", "-p", "b.txt"])
    Request(file=PosixPath('a.trf'), out=PosixPath('b.txt'), dutch=True, edition=None)
    >>> customary(["--help"]), customary(["--dutch", "a.trf", "--edition", "2017"])
    (None, None)
    """
    match arguments:
        case ["--dutch", file] | ["--dutch", file, "-p"] if _plain(file):
            return Request(file=Path(file), dutch=True)
        case ["--dutch", file, "-p", out] if _plain(file) and _plain(out):
            return Request(file=Path(file), out=Path(out), dutch=True)
        case _:
            return None


def run(request: Request) -> None:
    """Carry out a request; leave with `SystemExit` and one of `ExitCode` when there is no pairing."""
    if not request.dutch:
        fail(ExitCode.INVALID_REQUEST, "name the pairing system; --dutch is the one offered")
    if request.edition not in (None, *EDITIONS):
        offered = " and ".join(f"--edition {edition}" for edition in EDITIONS)
        fail(ExitCode.INVALID_REQUEST, f"edition {request.edition} is not offered; {offered} are")
    _check_output(request)
    _write(_paired(_input(request), request.file), request.out)


def _check_output(request: Request) -> None:
    """Leave where the pairing would be written over the tournament, or nowhere."""
    if request.out is None or STREAM in (request.out, request.file):
        return
    if request.out == Path():  # what an empty argument becomes
        fail(ExitCode.INVALID_REQUEST, "-p names no file")
    if request.out.exists() and request.file.exists() and request.out.samefile(request.file):
        fail(
            ExitCode.INVALID_REQUEST,
            f"{request.out} is the tournament file itself; nothing is written over it",
        )


def _plain(argument: str) -> bool:
    return argument == str(STREAM) or not argument.startswith("-")


def _input(request: Request) -> "PairingInput":
    """Return what the file asks to pair, or leave with the reason why it cannot be."""
    from rules.trf import TrfError, read, to_pairing_input  # noqa: PLC0415 - late, for the start-up time

    file = request.file
    data = _read(file)
    if len(data) > BYTES_MAX:
        fail(ExitCode.TOO_BIG, f"{file}: more than {BYTES_MAX} bytes; no tournament file is that large")
    try:
        tournament = read(data)
        asked = to_pairing_input(
            tournament, system=None if request.edition is None else EDITIONS[request.edition]
        )
    except TrfError as error:
        fail(ExitCode.INVALID_REQUEST, f"{file}: {error}")
    except Exception as error:  # noqa: BLE001 - the door: users get a sentence and a code, never a traceback
        fail(ExitCode.UNEXPECTED, f"{file}: {type(error).__name__} while reading: {error}")
    for note in tournament.adjustments:
        say(f"{file}: {note}")
    return asked


def _paired(asked: "PairingInput", file: Path) -> str:
    """Return the pairing as text, or leave with the reason why there is none."""
    from rules.swiss import dutch  # noqa: PLC0415 - late, for the start-up time
    from rules.swiss.pairing_input import NoCompletePairing, UnusableInput  # noqa: PLC0415 - same
    from rules.trf import pairs_text  # noqa: PLC0415 - same

    try:
        return pairs_text(dutch.pair(asked))
    except NoCompletePairing as error:
        fail(ExitCode.NO_VALID_PAIRING, f"{file}: round {asked.round} has no valid pairing: {error}")
    except UnusableInput as error:
        fail(ExitCode.INVALID_REQUEST, f"{file}: {error}")
    except Exception as error:  # noqa: BLE001 - the door: users get a sentence and a code, never a traceback
        fail(
            ExitCode.UNEXPECTED, f"{file}: {type(error).__name__} while pairing round {asked.round}: {error}"
        )


def _read(file: Path) -> bytes:
    """Return the file's bytes, one more than are allowed at most."""
    try:
        if file == STREAM:
            return sys.stdin.buffer.read(BYTES_MAX + 1)
        with file.open("rb") as source:
            return source.read(BYTES_MAX + 1)
    except OSError as error:
        fail(ExitCode.FILE_ACCESS, f"{file}: {error.strerror or error}")


def _write(text: str, out: Path | None) -> None:
    try:
        if out is None or out == STREAM:
            _print(text)
        else:
            _replace(out, text.encode())
    except OSError as error:
        fail(ExitCode.FILE_ACCESS, f"{out or 'standard output'}: {error.strerror or error}")


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        # The reader has gone; without this the interpreter fails once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise


def _replace(out: Path, content: bytes) -> None:
    """Write a file whole or not at all: beside it, then in its place. Devices and pipes are written as they are."""
    target = Path(os.path.realpath(out))  # a link stays a link
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(content)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(None, "the file is read-only")
    beside = target.with_name(f".tirage-{os.urandom(6).hex()}.tmp")
    try:
        with beside.open("xb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
