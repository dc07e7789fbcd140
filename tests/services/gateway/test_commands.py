"""Carrying out commands: once each, whoever sends them how often, and whatever they race with."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest

from events.codec import NotCanonical
from events.facts import Colour
from events.persons import PersonRecord, commitment
from rules.commands import (
    ConfirmPresence,
    DrawLots,
    FixNumbers,
    RegisterPlayer,
)
from rules.instants import instant
from rules.refusals import (
    ContradictoryRegulations,
    NoSuchMoment,
    PlayerAlreadyRegistered,
    ReportInTheFuture,
    UnknownPlayer,
)
from services.gateway.commands import Commands, Order, Person
from services.store.errors import CommandClash, LogBroken
from services.store.memory import MemoryStore
from services.store.port import Appended, Head
from tests.support.ledger import PERSON, announce, timetable

NOW_MS = 1_791_187_200_000  # 2026-10-05T08:00:00Z


def order(name: str, **more: str) -> Order:
    return Order(id=name, actor="arbiter", **more)


async def announced(store: MemoryStore, now_ms: int = NOW_MS) -> Commands:
    commands = Commands(store, lambda: now_ms)
    await commands.carry_out("t", announce(), order("announce"))
    return commands


def new_store() -> MemoryStore:
    return MemoryStore(clock=lambda: NOW_MS, server_clock=lambda: NOW_MS)


async def test_a_command_sent_again_is_answered_as_then() -> None:
    commands = await announced(new_store())
    first = await commands.carry_out("t", DrawLots(initial_colour=Colour.WHITE), order("lots"))

    again = await commands.carry_out("t", DrawLots(initial_colour=Colour.WHITE), order("lots"))

    assert (again.first, again.last, again.duplicate) == (first.first, first.last, True)


async def test_the_same_id_for_another_request_is_refused() -> None:
    commands = await announced(new_store())
    await commands.carry_out("t", DrawLots(initial_colour=Colour.WHITE), order("lots"))

    with pytest.raises(CommandClash):
        await commands.carry_out("t", DrawLots(initial_colour=Colour.BLACK), order("lots"))
    with pytest.raises(CommandClash):
        await commands.carry_out(
            "t", DrawLots(initial_colour=Colour.WHITE), Order(id="lots", actor="somebody else")
        )


async def test_a_command_and_its_twin_at_once_are_carried_out_once() -> None:
    store = new_store()
    commands = await announced(store)
    twin = Commands(store, lambda: NOW_MS)
    lots = DrawLots(initial_colour=Colour.WHITE)

    answers = await asyncio.gather(
        *(each.carry_out("t", lots, order("lots")) for each in (commands, twin) * 5)
    )

    assert {(answer.first, answer.last) for answer in answers} == {(2, 2)}
    assert sum(not answer.duplicate for answer in answers) == 1


async def test_who_lost_the_race_decides_again() -> None:
    store = new_store()
    await announced(store)
    players = [f"p{number}" for number in range(8)]

    answers = await asyncio.gather(
        *(
            Commands(store, lambda: NOW_MS).carry_out(
                "t", RegisterPlayer(player=player, person=PERSON), order(player)
            )
            for player in players
        )
    )

    assert sorted(answer.first for answer in answers) == list(range(2, 10))


async def test_what_the_rules_refuse_leaves_nothing() -> None:
    store = new_store()
    commands = await announced(store)

    with pytest.raises(UnknownPlayer):
        await commands.carry_out("t", ConfirmPresence(player="p1"), order("c"))

    assert (await store.head("t")).version == 1
    assert await store.outcome("t", "c") is None


async def test_another_tournaments_announcement_is_refused() -> None:
    with pytest.raises(ContradictoryRegulations):
        await Commands(new_store(), lambda: NOW_MS).carry_out("other", announce(), order("a"))


async def test_the_recorded_time_never_runs_backwards() -> None:
    store = new_store()
    await announced(store, NOW_MS + 1500)
    slow = Commands(store, lambda: NOW_MS)

    await slow.carry_out("t", DrawLots(initial_colour=Colour.WHITE), order("lots"))

    assert (await slow.state("t")).state.at == instant(NOW_MS + 1500)


@pytest.mark.parametrize(
    ("reported_at", "refusal"),
    [("2026-02-30T08:00:00Z", NoSuchMoment), ("2026-10-05T08:00:01Z", ReportInTheFuture)],
)
async def test_an_impossible_time_of_report_is_refused(reported_at: str, refusal: type[Exception]) -> None:
    commands = await announced(new_store())

    with pytest.raises(refusal):
        await commands.carry_out(
            "t", DrawLots(initial_colour=Colour.WHITE), order("lots", reported_at=reported_at)
        )


async def test_text_that_cannot_be_stored_is_refused_by_its_place() -> None:
    commands = await announced(new_store())

    with pytest.raises(NotCanonical, match=r"command\.method"):
        await commands.carry_out("t", DrawLots(initial_colour=Colour.WHITE, method="\ud800"), order("lots"))


async def test_a_person_stands_in_the_register_and_only_his_commitment_in_the_log() -> None:
    store = new_store()
    commands = await announced(store)

    await commands.register(
        "t", RegisterPlayer(player="p1", person=PERSON), Person(name="Žižka, Ján"), order("r")
    )

    record = await store.person_get("t", "p1")
    state = (await commands.state("t")).state
    assert record is not None
    assert state.players["p1"].registered.person == commitment(record)
    assert not any("Žižka".encode() in entry for entry in await store.read("t"))


async def test_an_entry_sent_again_keeps_its_record() -> None:
    store = new_store()
    commands = await announced(store)
    entry, person = RegisterPlayer(player="p1", person=PERSON), Person(name="A")
    await commands.register("t", entry, person, order("r"))
    record = await store.person_get("t", "p1")

    again = await commands.register("t", entry, person, order("r"))

    assert again.duplicate
    assert await store.person_get("t", "p1") == record


async def test_a_refused_entry_leaves_no_record() -> None:
    store = new_store()
    commands = await announced(store)
    entry = RegisterPlayer(player="p1", person=PERSON, entered_for=1)
    await commands.register("t", entry, Person(name="A"), order("r"))
    record = await store.person_get("t", "p1")

    with pytest.raises(PlayerAlreadyRegistered):
        await commands.register("t", entry, Person(name="B"), order("other"))
    with pytest.raises(Exception, match="no round 9"):
        await commands.register(
            "t", RegisterPlayer(player="p2", person=PERSON, entered_for=9), Person(name="B"), order("x")
        )

    assert await store.person_get("t", "p1") == record
    assert await store.person_get("t", "p2") is None


async def test_a_record_left_by_an_entry_that_never_was_is_not_taken_for_another_person() -> None:
    store = new_store()
    commands = await announced(store)
    crashed = Commands(store, lambda: NOW_MS)
    await crashed.register("t", RegisterPlayer(player="p0", person=PERSON), Person(name="A"), order("r0"))
    left = await store.person_get("t", "p0")
    assert left is not None
    await store.person_put("t", "p1", left)  # as if the writer had died before the append

    await commands.register("t", RegisterPlayer(player="p1", person=PERSON), Person(name="B"), order("r1"))

    record = await store.person_get("t", "p1")
    assert record is not None
    assert record.name == "B"


async def test_a_log_that_no_decider_wrote_is_broken_and_says_where() -> None:
    store = new_store()
    commands = await announced(store)
    await commands.carry_out("t", timetable(3), order("time"))
    await commands.carry_out("t", RegisterPlayer(player="p1", person=PERSON), order("r"))
    await commands.carry_out("t", FixNumbers(for_round=1, players=("p1",)), order("n"))
    foreign = await _foreign_withdrawal(store)

    with pytest.raises(LogBroken, match="version 5"):
        await Commands(store, lambda: NOW_MS).state(foreign)


async def _foreign_withdrawal(store: MemoryStore) -> str:
    from events.facts import PlayerWithdrawn  # noqa: PLC0415 - what no command of this test would append
    from services.store.chain import link  # noqa: PLC0415 - same

    head = await store.head("t")
    entries = link(
        [PlayerWithdrawn(player="nobody", from_round=1)],
        head,
        at=instant(NOW_MS),
        actor="x",
        cause="x",
        request="00" * 32,
    )
    await store.append("t", entries, expected=head, cause="x", request="00" * 32)
    return "t"


async def test_the_same_entry_sent_twice_at_once_has_one_record() -> None:
    store = new_store()
    await announced(store)
    entry, person = RegisterPlayer(player="p1", person=PERSON), Person(name="A")

    answers = await asyncio.gather(
        *(Commands(store, lambda: NOW_MS).register("t", entry, person, order("r")) for _ in range(4))
    )

    record = await store.person_get("t", "p1")
    assert record is not None
    assert {(answer.first, answer.last) for answer in answers} == {(2, 2)}


class _Hesitating(MemoryStore):
    """A store in which `meanwhile` happens just before the first append."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def append(
        self, tournament: str, entries: Sequence[bytes], *, expected: Head, cause: str, request: str
    ) -> Appended:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return await super().append(tournament, entries, expected=expected, cause=cause, request=request)


async def test_the_register_holds_whom_the_log_names_when_two_persons_race_for_one_id() -> None:
    store = _Hesitating(clock=lambda: NOW_MS, server_clock=lambda: NOW_MS)
    slow, quick = await announced(store), Commands(store, lambda: NOW_MS)
    entry = RegisterPlayer(player="p1", person=PERSON)
    store.meanwhile = lambda: quick.register("t", entry, Person(name="Quick"), order("quick"))

    with pytest.raises(PlayerAlreadyRegistered):
        await slow.register("t", entry, Person(name="Slow"), order("slow"))

    record = await store.person_get("t", "p1")
    assert record is not None
    assert record.name == "Quick"
    assert commitment(record) == (await quick.state("t")).state.players["p1"].registered.person


async def test_the_register_holds_whom_the_log_names_when_the_one_who_lost_comes_last() -> None:
    store = _Hesitating(clock=lambda: NOW_MS, server_clock=lambda: NOW_MS)
    commands = await announced(store)
    other = PersonRecord(name="Other", salt="00" * 16)

    async def replace_record() -> None:  # the other one had looked before we were entered
        await store.person_erase("t", "p1")
        await store.person_put("t", "p1", other)

    store.meanwhile = replace_record
    await commands.register("t", RegisterPlayer(player="p1", person=PERSON), Person(name="A"), order("r"))

    record = await store.person_get("t", "p1")
    assert record is not None
    assert record.name == "A"


async def test_an_entry_sent_again_does_not_bring_back_an_erased_person() -> None:
    store = new_store()
    commands = await announced(store)
    entry = RegisterPlayer(player="p1", person=PERSON)
    first = await commands.register("t", entry, Person(name="A"), order("r"))
    await store.person_erase("t", "p1")

    with pytest.raises(CommandClash):  # a new salt makes another request of it
        await commands.register("t", entry, Person(name="A"), order("r"))

    assert first.first == 2
    assert await store.person_get("t", "p1") is None
