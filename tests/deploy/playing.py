"""A small tournament that a gateway plays, to give worker and store something to do."""

from rules.trf import read
from services.cli.play.runner import Performance
from services.cli.play.script import script_of
from services.store import RedisStore
from tests.corpus.loading import corpus


async def play(store: RedisStore, tournament: str) -> int:
    """Play a small tournament through a running system; return how many rounds were published as expected."""
    case = next(case for case in corpus() if case.players == 10 and case.round == 4)
    rounds = 0
    async for played in Performance(store, script_of(read(case.trf.encode()), tournament)).rounds():
        assert played.differences == ()
        assert played.faults == ()
        rounds += 1
    return rounds
