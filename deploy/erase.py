# ruff: noqa: INP001 - a script, imported by nobody
"""Erases who a player is from the register and from the server's files: README, "Erasure and backups".

Usage: erase.py TOURNAMENT PLAYER, with the operator's TIRAGE_STORE_URL in the environment. Ends with 0 when nothing
is left on the server, 1 when its files may still hold the record.
"""

import asyncio
import os
import sys

from services.store import RedisStore


async def erase(tournament: str, player: str) -> int:
    """Erase, say what became of it, and return the exit code."""
    store = await RedisStore.open(os.environ["TIRAGE_STORE_URL"])
    try:
        erased = await store.person_erase(tournament, player)
    finally:
        await store.close()
    found = "erased" if erased.found else "no record was there"
    files = "the server's files are clean" if erased.from_disk else "the server's files may still hold it"
    print(f"{tournament}, {player}: {found}; {files}")  # noqa: T201 - a script's voice
    return 0 if erased.from_disk else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(erase(*sys.argv[1:])))
