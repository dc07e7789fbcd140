"""`tirage play`: arguments, output and exit codes; the playing is in `runner`."""

import contextlib
import re
import secrets
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from rules.trf import NotOffered, TournamentFile, TrfError, read
from services.cli.connect import PAIRING, opened, run, store_url
from services.cli.exits import ExitCode, fail, report, say
from services.cli.pair_file import BYTES_MAX
from services.cli.play.hands import Hand, Refused, Unanswered
from services.cli.play.runner import NoPairingCame, NoPairingExists, Performance, SetAside
from services.cli.play.script import Script, Slip, script_of
from services.cli.show import absent_line, console, progress_bar, proof_lines, round_table
from services.doorbell.parking import Parking, set_aside
from services.store.errors import BadName, CommandClash
from services.store.keys import check_tournament
from services.store.port import EventStore

STREAM = Path("-")


def play(
    file: Annotated[
        Path, typer.Argument(help="Tournament report file, TRF16 or TRF26; - reads standard input.")
    ],
    tournament: Annotated[
        str | None,
        typer.Option(help="Id of the tournament to make; an interrupted play goes on under its id."),
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="Store: redis://, rediss:// or unix://; default: the running system.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="Data directory of the running system.")] = None,
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no tables, one line a round.")] = False,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Play on a server that may lose events.")
    ] = False,
) -> None:
    """Play a whole tournament file through a running system.

    Entries, byes and results become commands; the pairing worker pairs each round from the log. Each published
    pairing is compared with the file's, and its proof is recomputed.

    Exit codes: 0 every round agrees, 1 no complete pairing exists, 3 unusable file, 5 file not accessible,
    6 no store, 7 refused, 8 broken log, 9 a round differs or a proof does not recompute.

    Проигрывает файл турнира через работающую систему и сверяет каждый тур.
    """
    content = _content(file)
    try:
        name = check_tournament(tournament or _fresh_id(file))
        parsed = read(content)
        script = script_of(parsed, name)
    except BadName as error:
        fail(ExitCode.INVALID_REQUEST, str(error))
    except (TrfError, NotOffered) as error:
        fail(ExitCode.INVALID_REQUEST, f"{file}: {error}")

    async def work() -> ExitCode:
        where = store_url(url, data)
        async with (
            opened(where, allow_unsafe=allow_unsafe) as store,
            set_aside(where, store.partitions, PAIRING) as parking,
        ):
            return await perform(store, parking, script, parsed, quiet=quiet)

    code = run(work)
    if code is not ExitCode.OK:
        raise typer.Exit(int(code))


async def perform(
    store: EventStore,
    parking: Parking,
    script: Script,
    parsed: TournamentFile,
    *,
    quiet: bool = False,
    hand: Hand | None = None,
    slips: Sequence[Slip] = (),
) -> ExitCode:
    """Play `script` on `store`, print every round, and return what the exit code should be.

    Commands go through `hand`; None: to the log directly.
    """
    out = console()
    name = names(parsed)
    agreed = known = 0
    with progress_bar() as progress:
        performance = Performance(
            store,
            script,
            hand=hand,
            parking=parking,
            slips=slips,
            tell=lambda line: out.print(line, soft_wrap=True),
            progress=progress,
        )
        try:
            async for played in performance.rounds():
                if not quiet:
                    out.print(round_table(played, name))
                    out.print(*filter(None, [absent_line(played, name)]), *proof_lines(played), sep="\n")
                    out.print()
                known += played.expected is not None
                agreed += played.expected is not None and not played.differences
                if played.differences or played.faults:
                    _complain(played.published.round, (*played.differences, *played.faults))
                    return ExitCode.DIFFERENT
                if quiet:
                    verdict = "agrees" if played.expected is not None else "is not in the file"
                    out.print(
                        f"round {played.published.round}, {len(played.published.pairs)} boards: {verdict}"
                    )
        except NoPairingExists as error:
            return report(ExitCode.NO_VALID_PAIRING, str(error))
        except SetAside as error:
            return report(ExitCode.REFUSED, str(error))
        except Refused as error:
            return report(ExitCode.REFUSED, f"refused: {error}")
        except (NoPairingCame, Unanswered) as error:
            return report(ExitCode.NO_STORE, str(error))
        except CommandClash as error:
            return report(ExitCode.REFUSED, f"{error}: this tournament was not played from this file")
    out.print(
        f"{performance.tournament}: {agreed} of {known} rounds agree with the file; "
        f"see `tirage log {performance.tournament}`",
    )
    return ExitCode.OK


def names(parsed: TournamentFile) -> Callable[[str], str]:
    """Return a function that calls a player by the name in the file."""
    known = {f"p{player.tpn}": player.name for player in parsed.players}
    return lambda player: known.get(player) or player


def _complain(round_: int, lines: Iterable[str]) -> None:
    say(f"round {round_} differs:")
    for text in lines:
        say(f"  {text}")


def _content(file: Path) -> bytes:
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if file == STREAM else file.open("rb") as stream:
            content = stream.read(BYTES_MAX + 1)
    except OSError as error:
        fail(ExitCode.FILE_ACCESS, f"{file}: {error.strerror or error}")
    if len(content) > BYTES_MAX:
        fail(ExitCode.TOO_BIG, f"{file}: more than {BYTES_MAX // 2**20} MiB")
    return content


def _fresh_id(file: Path) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", file.stem.lower()).strip("-")[:50] or "tournament"
    return f"{stem}-{secrets.token_hex(3)}"
