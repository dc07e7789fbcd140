"""How often the store is asked for a command, who waits for whom, and that a lagging copy misleads nobody."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from events.facts import Colour
from rules.commands import ConfirmPresence, DrawLots, RegisterPlayer
from rules.refusals import AlreadyDone, UnknownPlayer
from services.gateway import commands as module
from services.gateway.commands import Commands, Order, Seen, TooManyWaiting, VersionHasMoved
from services.store import Appended, Head, MemoryStore, Outcome
from tests.support.ledger import PERSON, announce

LOTS = DrawLots(initial_colour=Colour.WHITE)


class Counted(MemoryStore):
    """Counts what it is asked, and can be made to wait before an append."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()
        self.slow: dict[str, asyncio.Event] = {}

    async def since(self, tournament: str, known: Head) -> list[bytes]:
        self.asked["since"] += 1
        return await super().since(tournament, known)

    async def outcome(self, tournament: str, cause: str) -> Outcome | None:
        self.asked["outcome"] += 1
        return await super().outcome(tournament, cause)

    async def append(self, tournament: str, entries: Sequence[bytes], **more: Any) -> Appended:
        self.asked["append"] += 1
        if tournament in self.slow:
            await self.slow[tournament].wait()
        return await super().append(tournament, entries, **more)


def order(name: str) -> Order:
    return Order(id=name, actor="arbiter")


def entry(player: str) -> RegisterPlayer:
    return RegisterPlayer(player=player, person=PERSON)


async def begun(store: Counted) -> Commands:
    commands = Commands(store)
    await commands.carry_out("t", announce(), order("announce"))
    store.asked.clear()
    return commands


async def test_in_the_common_case_the_store_is_asked_once() -> None:
    store = Counted()
    commands = await begun(store)

    for number in range(5):
        await commands.carry_out("t", entry(f"p{number}"), order(f"e{number}"))

    assert store.asked == {"append": 5}


async def test_a_repeated_command_is_answered_by_the_append_script_alone_when_it_can_be_decided_again() -> (
    None
):
    store = Counted()
    commands = await begun(store)
    await commands.carry_out("t", LOTS, order("lots"))
    other = Commands(store)
    await other.state("t")
    store.asked.clear()

    with pytest.raises(AlreadyDone):
        await other.carry_out("t", LOTS, order("other"))
    again = await other.carry_out("t", LOTS, order("lots"))

    assert again.duplicate
    assert store.asked["append"] == 0


async def test_a_refusal_is_only_believed_from_the_present_log() -> None:
    store = Counted()
    behind = await begun(store)
    await Commands(store).carry_out("t", entry("p1"), order("e"))

    confirmed = await behind.carry_out("t", ConfirmPresence(player="p1"), order("c"))

    assert confirmed.first == 3
    with pytest.raises(UnknownPlayer):
        await behind.carry_out("t", ConfirmPresence(player="p2"), order("d"))


async def test_a_decision_from_a_copy_that_lags_is_made_again() -> None:
    store = Counted()
    behind = await begun(store)
    await Commands(store).carry_out("t", entry("p1"), order("e"))
    store.asked.clear()

    answer = await behind.carry_out("t", LOTS, order("lots"))

    assert answer.first == 3
    assert store.asked == {"append": 2, "since": 1}


async def test_commands_of_one_tournament_take_turns_and_others_do_not_wait() -> None:
    store = Counted()
    commands = await begun(store)
    store.slow["t"] = asyncio.Event()
    waiting = [asyncio.create_task(commands.carry_out("t", entry(f"p{n}"), order(f"e{n}"))) for n in range(3)]
    elsewhere = announce()
    await asyncio.sleep(0)

    await commands.carry_out("u", type(elsewhere)(tournament="u", name="U", rounds=3), order("announce"))

    assert store.asked["append"] == 2  # one of the three is at the store
    store.slow["t"].set()
    answers = await asyncio.gather(*waiting)
    assert [answer.first for answer in answers] == [2, 3, 4]
    assert store.asked == {"append": 4, "since": 1}  # nobody lost a race


async def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TURN_S_MAX", 0.01)
    store = Counted()
    commands = await begun(store)
    store.slow["t"] = asyncio.Event()
    first = asyncio.create_task(commands.carry_out("t", entry("p1"), order("e1")))
    await asyncio.sleep(0)

    with pytest.raises(TooManyWaiting):
        await commands.carry_out("t", entry("p2"), order("e2"))

    store.slow["t"].set()
    assert (await first).first == 2
    assert (await commands.carry_out("t", entry("p2"), order("e2"))).first == 3


async def test_a_version_that_was_seen_holds_against_a_race() -> None:
    store = Counted()
    commands = await begun(store)
    rival = Commands(store)
    await rival.state("t")

    answers = await asyncio.gather(
        commands.carry_out("t", entry("p1"), order("e1"), Seen(versions=(1,))),
        rival.carry_out("t", entry("p2"), order("e2"), Seen(versions=(1,))),
        return_exceptions=True,
    )

    assert sorted(type(answer).__name__ for answer in answers) == ["Answer", "VersionHasMoved"]
    assert (await store.head("t")).version == 2
    with pytest.raises(VersionHasMoved):
        await commands.rehearse("t", LOTS, order("lots"), Seen(versions=(1,)))
