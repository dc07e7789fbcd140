"""What must hold after any fault, read off the server alone: logs, pairings, views, public streams."""

from collections import Counter
from collections.abc import Collection
from typing import Any

from events.envelope import Recorded
from events.facts import PairingPublished
from rules.state import replay
from rules.swiss.dutch import pair
from rules.verification import proof_faults, publications
from services.projector.keys import view_keys
from services.store import EMPTY
from services.store.reader import decoded
from tests.faults.system import Ack, System, connected, opened, quiet
from tests.services.pairing.live import until
from tests.services.projector.scene import Hash, Stage

Shown = dict[str, tuple[Hash, list[Any]]]  # views and public stream by tournament


async def check(system: System, *, broken: Collection[str] = ()) -> None:
    """Check that every acknowledged event is there once, each round published once, views and streams as made anew.

    Ends the services. `broken`: tournaments whose log is, which nobody can make anew.
    """
    async with opened(system.url) as store, connected(system.url) as connection:
        stage = Stage(store, connection)
        names = sorted({*await store.tournaments()} - {*broken})
        assert {ack.tournament for ack in system.acks} == {*names, *broken}
        for name in names:
            history = list(decoded(name, await store.read(name), EMPTY))
            check_acks([ack for ack in system.acks if ack.tournament == name], history)
            check_rounds(history)
            await shown(stage, name)
        await quiet(connection)
        grown = await _shown(stage, names)
        rebuilt = await stage.rebuild()
        assert {*rebuilt.taken_over} == {*broken}
        assert await _shown(stage, names) == grown
        await system.stop()
        assert await _shown(stage, names) == grown
        for name in names:
            await _from_zero(stage, name)
        assert await _shown(stage, names) == grown


async def shown(stage: Stage, tournament: str) -> None:
    """Wait until a tournament is shown to the end of its log."""

    async def there() -> bool:
        head = await stage.store.head(tournament)
        return (await stage.stored(tournament)).get(b"v") == str(head.version).encode()

    await until(there, f"{tournament} is shown to its end")


def check_acks(acks: list[Ack], history: list[Recorded]) -> None:
    """Check that every acknowledged event is in the log once, at the versions that were answered."""
    places: dict[str, list[int]] = {}
    for recorded in history:
        places.setdefault(recorded.cause, []).append(recorded.v)
    for ack in acks:
        assert places.get(ack.cause) == list(range(ack.first, ack.last + 1)), ack


def check_rounds(history: list[Recorded]) -> None:
    """Check that every round is published once with a proof that recomputes, and the tournament is closed."""
    state = replay(history)
    assert state.announced is not None
    published = Counter(entry.fact.round for entry in history if isinstance(entry.fact, PairingPublished))
    assert published == dict.fromkeys(range(1, state.announced.rounds + 1), 1)
    assert state.closed
    for _, fact in publications(history):
        assert proof_faults(history, fact, pair) == ()


async def _shown(stage: Stage, names: Collection[str]) -> Shown:
    return {name: (await stage.stored(name), await stage.told(name)) for name in names}


async def _from_zero(stage: Stage, tournament: str) -> None:
    """Forget what is shown and told, which a rebuild does not, and have one undisturbed visit make it anew."""
    keys = view_keys(tournament, stage.store.partitions, await stage.generation(tournament))
    await stage.connection.command("", "DEL", keys.public, keys.views)
    await stage.connection.command("", "HDEL", keys.published, tournament)
    await stage.projector().catch_up(tournament)
