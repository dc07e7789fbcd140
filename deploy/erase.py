# ruff: noqa: INP001 - a script, imported by nobody
"""Erases who a player is from the register and from the server's files: README, "Erasure and backups".

Usage: erase.py TOURNAMENT PLAYER, with the operator's TIRAGE_STORE_URL in the environment. Ends with 0 when nothing
is left on the server, 1 when its files may still hold the record, 3 when there was no such record or the call is
wrong, 6 when there is no store.
"""

import asyncio
import os
import sys

from services.store import BadName, RedisStore, StoreError

STORE, CALL, NOBODY = 6, 3, 3


async def erase(url: str, tournament: str, player: str) -> int:
    """Erase, say what became of it, and return the exit code."""
    store = await RedisStore.open(url)
    try:
        erased = await store.person_erase(tournament, player)
    finally:
        await store.close()
    found = "erased" if erased.found else "no record was there"
    files = "the server's files are clean" if erased.from_disk else "the server's files may still hold it"
    say(f"{tournament}, {player}: {found}; {files}")
    if not erased.from_disk:
        return 1
    return 0 if erased.found else NOBODY


def say(words: str) -> None:
    """Tell the operator."""
    print(words)  # noqa: T201 - a script's voice


def main(arguments: list[str]) -> int:
    """Erase as called, and return the exit code."""
    url = os.environ.get("TIRAGE_STORE_URL")
    if len(arguments) != 2 or url is None:  # noqa: PLR2004 - tournament and player
        say("usage: TIRAGE_STORE_URL=… erase.py TOURNAMENT PLAYER")
        return CALL
    try:
        return asyncio.run(erase(url, *arguments))
    except BadName as error:
        say(str(error))
        return CALL
    except StoreError as error:
        say(str(error))
        return STORE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
