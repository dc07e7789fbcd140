"""A process that plays a made-up tournament and says what was acknowledged; made to be killed and started again.

Each line of its output is one answer of the store: tournament, command, first and last version.
"""

import asyncio
import json
import logging
import sys
from collections.abc import Sequence

import structlog

from services.cli.play.runner import Performance
from services.cli.play.script import script_of
from services.store import Appended, Head, RedisStore, StoreUnreachable
from tests.support.simulation import field, simulate


class Telling(RedisStore):
    """A store that tells each answer as soon as it has it."""

    async def append(
        self, tournament: str, entries: Sequence[bytes], *, expected: Head, cause: str, request: str
    ) -> Appended:
        answer = await super().append(tournament, entries, expected=expected, cause=cause, request=request)
        told = {"tournament": tournament, "cause": cause, "first": answer.first, "last": answer.last}
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()
        return answer


async def play(url: str, tournament: str, players: int, rounds: int) -> None:
    file = simulate(field(players, seed=players), rounds, seed=rounds)
    store = await _opened(url)
    async for played in Performance(store, script_of(file, tournament)).rounds():
        assert not played.differences, played.differences
        assert not played.faults, played.faults
    await store.close()


async def _opened(url: str) -> Telling:
    """Open the store, waiting for a server that has just been killed to be back."""
    while True:
        try:
            return await Telling.open(url)
        except StoreUnreachable:
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    _, the_url, the_tournament, player_count, round_count = sys.argv
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    asyncio.run(play(the_url, the_tournament, int(player_count), int(round_count)))
