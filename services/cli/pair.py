"""`tirage pair`: a tournament file in, the next round's pairing out. Files and exit codes; the rules are elsewhere.

Everything but typer is imported when it is needed: pairing programs are called thousands of times in a row.
"""

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.exits import ExitCode, fail

if TYPE_CHECKING:
    from rules.swiss.pairing_input import PairingInput

BYTES_MAX = 32 * 2**20  # a file of 9,999 players and 99 rounds has 11 MB
STREAM = Path("-")  # standard input or output
EDITION = "2026"


def pair(
    file: Annotated[
        Path, typer.Argument(help="Tournament report file, TRF16 or TRF26; - reads standard input.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("-p", "--output", help="Write the pairing to this file instead of standard output."),
    ] = None,
    *,
    dutch: Annotated[bool, typer.Option("--dutch", help="Pair by the FIDE (Dutch) system, C.04.3.")] = False,
    edition: Annotated[
        str, typer.Option("--edition", help="Edition of the rules; 2026 is offered.")
    ] = EDITION,
) -> None:
    """Pair the next round of a tournament file.

    The answer is the number of pairs, then one pair a line, White first, 0 for the bye; the numbers
    are the starting ranks of the file. Nothing is written unless the pairing is complete.

    Exit codes: 0 paired, 1 no valid pairing exists, 2 unexpected error, 3 invalid request or file,
    5 file not accessible.

    Жеребьёвка следующего тура по файлу турнира.
    """
    if not dutch:
        fail(ExitCode.INVALID_REQUEST, "name the pairing system; --dutch is the one offered")
    if edition != EDITION:
        fail(ExitCode.INVALID_REQUEST, f"edition {edition} is not offered yet; --edition {EDITION} is")
    _write(_paired(_input(file), file), out)


def _input(file: Path) -> "PairingInput":
    """Return what the file asks to pair, or leave with the reason why it cannot be."""
    from rules.trf import TrfError, read, to_pairing_input  # noqa: PLC0415 - late, for the start-up time

    data = _read(file)
    if len(data) > BYTES_MAX:
        fail(ExitCode.TOO_BIG, f"{file}: more than {BYTES_MAX} bytes; no tournament file is that large")
    try:
        tournament = read(data)
        paired = to_pairing_input(tournament)
    except TrfError as error:
        fail(ExitCode.INVALID_REQUEST, f"{file}: {error}")
    except Exception as error:  # noqa: BLE001 - the door: users get a sentence and a code, never a traceback
        fail(ExitCode.UNEXPECTED, f"{file}: {type(error).__name__} while reading: {error}")
    for note in tournament.adjustments:
        typer.echo(f"tirage: {file}: {note}", err=True)
    return paired


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
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            _replace(out, text.encode())
    except OSError as error:
        fail(ExitCode.FILE_ACCESS, f"{out or 'standard output'}: {error.strerror or error}")


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
