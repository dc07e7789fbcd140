"""`tirage log` and `tirage rehash`: reading a tournament's log, and checking it."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from events.codec import sha256_hex
from events.envelope import Recorded
from rules.state import ImpossibleHistory, replay
from rules.swiss.dutch import pair
from rules.verification import proof_faults, publications
from services.cli.connect import opened, run, store_url
from services.cli.exits import ExitCode, fail, say
from services.cli.show import console
from services.cli.words import SENTENCES, line
from services.store.errors import LogBroken
from services.store.port import EMPTY, EventStore
from services.store.reader import decoded

Url = Annotated[
    str | None, typer.Option(help="Store: redis://, rediss:// or unix://; default: the running system.")
]
Data = Annotated[Path | None, typer.Option(help="Data directory of the running system.")]
Unsafe = Annotated[bool, typer.Option("--allow-unsafe", help="Read from a server that may lose events.")]


def log(
    tournament: Annotated[
        str | None, typer.Argument(help="Id of a tournament; without it, all are listed.")
    ] = None,
    url: Url = None,
    data: Data = None,
    language: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
    *,
    raw: Annotated[bool, typer.Option("--json", help="Print the stored bytes, one event a line.")] = False,
    names: Annotated[bool, typer.Option(help="Join names from the register beside the log.")] = True,
    allow_unsafe: Unsafe = False,
) -> None:
    """Tell a tournament's events in words, oldest first.

    Exit codes: 0 told, 3 no such tournament, 6 no store, 8 broken log.

    События турнира словами.
    """
    if language not in SENTENCES:
        fail(ExitCode.INVALID_REQUEST, f"--lang {language} is not offered; en and ru are")

    async def work() -> None:
        async with opened(store_url(url, data), allow_unsafe=allow_unsafe) as store:
            if tournament is None:
                await _list(store)
            elif raw:
                for entry in await _entries(store, tournament):
                    sys.stdout.buffer.write(entry + b"\n")
            else:
                await _tell(store, tournament, language, names=names)

    run(work)


def rehash(
    tournament: Annotated[
        str | None, typer.Argument(help="Id of a tournament; without it, all are checked.")
    ] = None,
    url: Url = None,
    data: Data = None,
    *,
    recompute: Annotated[
        bool, typer.Option("--recompute", help="Also make every published pairing again.")
    ] = False,
    allow_unsafe: Unsafe = False,
) -> None:
    """Verify the chain of hashes over a log's stored bytes, and the proof of every published pairing.

    Exit codes: 0 everything holds, 3 no such tournament, 6 no store, 8 broken log, 9 a proof does not recompute.

    Проверяет цепочку хешей журнала и доказательства жеребьёвок.
    """

    async def work() -> ExitCode:
        async with opened(store_url(url, data), allow_unsafe=allow_unsafe) as store:
            chosen = [tournament] if tournament else await store.tournaments()
            codes = [await _check(store, name, recompute=recompute) for name in chosen]
            return max(codes, default=ExitCode.OK)

    code = run(work)
    if code is not ExitCode.OK:
        raise typer.Exit(int(code))


async def _list(store: EventStore) -> None:
    for name in await store.tournaments():
        console().print(f"{name}  {await in_words(store, name)}", soft_wrap=True)


async def in_words(store: EventStore, tournament: str) -> str:
    """Return what a tournament is and how far it got, or that its log is broken: one must not hide the others."""
    try:
        history = list(decoded(tournament, await store.read(tournament), EMPTY))
        state = replay(history)
    except (LogBroken, ImpossibleHistory) as error:
        return f"BROKEN: {error}"
    if not history:
        return "BROKEN: its entries are gone"
    title = state.announced.name if state.announced else ""
    rounds = state.announced.rounds if state.announced else 0
    end = "closed" if state.closed else f"round {state.published_rounds} of {rounds} published"
    return f"{title!r}, {len(state.players)} players, {end}, {len(history)} events"


async def _tell(store: EventStore, tournament: str, language: str, *, names: bool) -> None:
    history = await _history(store, tournament)
    name = await _names(store, tournament, history) if names else str
    for recorded in history:
        sys.stdout.write(line(recorded, language, name) + "\n")


async def _check(store: EventStore, tournament: str, *, recompute: bool) -> ExitCode:
    try:
        entries = await _entries(store, tournament)
        history = list(decoded(tournament, entries, EMPTY))
        replay(history)
    except LogBroken as error:
        say(str(error))
        return ExitCode.BROKEN_LOG
    except ImpossibleHistory as error:
        say(f"{tournament}: {error}")
        return ExitCode.BROKEN_LOG
    code = ExitCode.OK
    for version, published in publications(history):
        for fault in proof_faults(history, published, pair if recompute else None):
            say(f"{tournament}, version {version}, round {published.round}: {fault}")
            code = ExitCode.DIFFERENT
    pairings = len(publications(history))
    verdict = "hold" if code is ExitCode.OK else "DO NOT HOLD"
    console().print(
        f"{tournament}: {len(history)} events, {pairings} published pairings {verdict}; head {sha256_hex(entries[-1])}",
        soft_wrap=True,
    )
    return code


async def _entries(store: EventStore, tournament: str) -> list[bytes]:
    entries = await store.read(tournament)
    if not entries:
        fail(ExitCode.INVALID_REQUEST, f"no tournament {tournament!r}; `tirage log` lists them")
    return entries


async def _history(store: EventStore, tournament: str) -> list[Recorded]:
    return list(decoded(tournament, await _entries(store, tournament), EMPTY))


async def _names(store: EventStore, tournament: str, history: list[Recorded]) -> Callable[[str], str]:
    known: dict[str, str] = {}
    for player in replay(history).players:
        record = await store.person_get(tournament, player)
        if record is not None:
            known[player] = f"{record.name} [{player}]"
    return lambda player: known.get(player, player)
