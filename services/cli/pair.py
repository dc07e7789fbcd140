"""`tirage pair` as the command line offers it; what it does is in `pair_file`."""

from pathlib import Path
from typing import Annotated

import typer

from services.cli.pair_file import Request, run


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
        str | None,
        typer.Option(
            "--edition",
            help="Edition of the rules, 2026 or 2017; by default what the file names (record 192), or 2026.",
        ),
    ] = None,
) -> None:
    """Pair the next round of a tournament file.

    The answer is the number of pairs, then one pair a line, White first, 0 for the bye; the numbers
    are the starting ranks of the file. Nothing is written unless the pairing is complete.

    Exit codes: 0 paired, 1 no valid pairing exists, 2 unexpected error, 3 invalid request or file,
    4 file too big, 5 file not accessible.

    Жеребьёвка следующего тура по файлу турнира.
    """
    run(Request(file=file, out=out, dutch=dutch, edition=edition))
