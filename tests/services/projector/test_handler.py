"""What one visit does, on a real server: everything new, once, whoever else is at work and whatever was there."""

import asyncio
import random
from collections.abc import Sequence

import msgspec
import pytest

from events.facts import GameResult
from rules.commands import CloseTournament, RecordResult
from services.projector.keys import FIRST_GENERATION, view_keys
from services.projector.shelf import ViewsBroken
from services.store import LogBroken
from services.store.keys import tournament_keys
from tests.services.projector.scene import FIXED, Stage, some_ledger
from tests.support.ledger import started

KEYS = view_keys("t", 1, FIRST_GENERATION)
LOG = tournament_keys("t", 1)


async def test_views_and_public_stream_tell_what_happened(stage: Stage) -> None:
    projector = stage.projector()
    await stage.begin()
    await projector.catch_up("t")
    await stage.go_on(1)
    await projector.catch_up("t")

    summary = await stage.views.get("t", "summary")
    second = await stage.views.get("t", "boards:2")
    assert summary is not None
    assert second is not None
    assert msgspec.json.decode(summary.body)["published_rounds"] == 2
    assert [board["white"] for board in msgspec.json.decode(second.body)["boards"]] == ["p2", "p4"]
    told = await stage.told()
    assert second.n == len(told)
    assert [m["message"]["type"] for m in told].count("round-published") == 2
    assert all([await stage.views.get("t", name) for name in FIXED])
    assert await stage.views.get("t", "boards:3") is None


async def test_a_log_taken_in_at_once_and_one_taken_in_piece_by_piece_give_the_same_bytes(
    stage: Stage,
) -> None:
    ledger, projector = some_ledger(), stage.projector()
    for version in range(1, len(ledger.history) + 1):
        await stage.put(ledger, "grown", upto=version)
        await projector.catch_up("grown")
    await stage.put(ledger, "t")
    await stage.projector().catch_up("t")

    grown, at_once = await stage.stored("grown"), await stage.stored("t")
    for different in (b"h", b"v", b"summary"):  # the chain and the id differ
        del grown[different], at_once[different]
    assert grown == at_once
    assert without_id(await stage.told("grown")) == without_id(await stage.told("t"))


def without_id(told: Sequence[object]) -> bytes:
    return msgspec.json.encode(told).replace(b'"grown"', b'"t"')


async def test_doorbells_that_ring_twice_or_out_of_order_change_nothing(stage: Stage) -> None:
    ledger, luck = some_ledger(), random.Random(7)
    names, version, projector = (
        [f"t{number}" for number in range(5)],
        dict.fromkeys(range(5), 0),
        stage.projector(),
    )
    for _ in range(60):
        number = luck.randrange(5)
        version[number] = min(version[number] + luck.randint(0, 3), len(ledger.history))
        if version[number] > (await stage.store.head(names[number])).version:
            await stage.put(ledger, names[number], upto=version[number])
        for ring in luck.choices(names, k=luck.randint(0, 4)):
            await projector.catch_up(ring)
    for name in names:
        await projector.catch_up(name)
        before = await stage.stored(name), await stage.told(name)
        await projector.catch_up(name)
        await stage.projector().catch_up(name)

        assert (await stage.stored(name), await stage.told(name)) == before
        assert int(before[0][b"v"]) == (await stage.store.head(name)).version


async def test_two_projectors_at_once_tell_each_thing_once(stage: Stage) -> None:
    ledger = some_ledger()
    twins = [stage.projector() for _ in range(2)]
    for version in range(4, len(ledger.history) + 1):
        await stage.put(ledger, upto=version)
        await asyncio.gather(*(twin.catch_up("t") for twin in twins[: 1 + version % 3]))

    await asyncio.gather(*(twin.catch_up("t") for twin in twins))
    grown, told = await stage.stored(), await stage.told()
    await stage.rebuild()
    assert await stage.stored() == grown
    assert await stage.told() == told
    assert int(grown[b"v"]) == len(ledger.history)


async def test_a_projector_that_was_overtaken_goes_on_where_the_other_is(stage: Stage) -> None:
    ledger = some_ledger()
    slow, fast = stage.projector(), stage.projector()
    await stage.put(ledger, upto=20)
    await slow.catch_up("t")
    await stage.put(ledger, upto=22)
    await fast.catch_up("t")
    await stage.put(ledger)

    await slow.catch_up("t")

    told = await stage.told()
    assert int((await stage.stored())[b"v"]) == len(ledger.history)
    await stage.rebuild()
    assert len(told) == len(await stage.told())


async def test_what_is_shown_to_its_end_is_not_read_again_at_a_start(stage: Stage) -> None:
    await stage.begin()
    await stage.projector().catch_up("t")
    await stage.connection.command("", "CONFIG", "RESETSTAT")

    projector = stage.projector()
    await projector.catch_up("t")

    assert projector.kept == {}
    asked = await stage.connection.command("", "INFO", "commandstats")
    assert b"cmdstat_hmget" in asked
    assert b"cmdstat_xrange:" not in asked


async def test_only_what_changed_is_written(stage: Stage) -> None:
    projector = stage.projector()
    await stage.begin()
    await stage.go_on(1)
    await projector.catch_up("t")
    before = await stage.stored()
    await stage.arbiter.do(
        "t", RecordResult(round=2, board=1, white="p2", black="p3", result=GameResult.WHITE_WINS)
    )
    await stage.connection.command("", "CONFIG", "RESETSTAT")

    await projector.catch_up("t")

    after = await stage.stored()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {b"v", b"h", b"boards:2", b"standings", b"cross-table"}
    asked = await stage.connection.command("", "INFO", "commandstats")
    assert b"cmdstat_hset:calls=6," in asked  # three views, checkpoint, version and mark


async def test_memory_is_bounded_and_nothing_is_lost_by_it(stage: Stage) -> None:
    ledger, projector = some_ledger(), stage.projector(entries_max=60)
    names = [f"t{number}" for number in range(6)]
    for upto in (15, 20, None):
        for name in names:
            await stage.put(ledger, name, upto=upto)
            await projector.catch_up(name)
            assert sum(projector.kept.values()) <= 60

    assert projector.kept == {"t4": len(ledger.history), "t5": len(ledger.history)}
    for name in names:
        assert int((await stage.stored(name))[b"v"]) == len(ledger.history)
        assert len(await stage.told(name)) == len(await stage.told(names[0]))


async def test_a_long_log_is_folded_while_others_are_heard(stage: Stage) -> None:
    """The fold of one runs in a thread: the loop turns meanwhile."""
    ledger = started(60, *[(f"p{n}", f"p{n + 30}") for n in range(1, 31)], rounds=1)
    ledger.record(1, *["1-0"] * 30)
    await stage.put(ledger)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await stage.projector().catch_up("t")
    counting.cancel()

    assert len(ledger.history) > 150
    assert turns > 50


async def test_a_log_that_is_shorter_than_what_was_shown_is_not_shown(stage: Stage) -> None:
    await stage.begin()
    await stage.projector().catch_up("t")
    shown, told = await stage.stored(), await stage.told()
    await stage.connection.command("", "DEL", LOG.stream, LOG.head, LOG.commands, LOG.index)

    with pytest.raises(LogBroken, match=r"version 0: it ends here, and it is published up to version 15"):
        await stage.projector().catch_up("t")

    await stage.put(some_ledger(), upto=4)
    with pytest.raises(LogBroken, match=r"version 4: it ends here, and it is published up to version 15"):
        await stage.projector().catch_up("t")
    assert (await stage.stored(), await stage.told()) == (shown, told)


async def test_a_log_with_another_history_than_the_one_shown_is_not_shown(stage: Stage) -> None:
    projector = stage.projector()
    await stage.begin()
    await projector.catch_up("t")
    shown, told = await stage.stored(), await stage.told()
    await stage.connection.command("", "DEL", LOG.stream, LOG.head, LOG.commands, LOG.index)
    await stage.put(some_ledger())

    with pytest.raises(LogBroken):  # by what it has in memory
        await projector.catch_up("t")
    with pytest.raises(LogBroken, match="version 15: the entry is not the one that its views are made up to"):
        await stage.projector().catch_up("t")

    assert (await stage.stored(), await stage.told()) == (shown, told)


async def test_entries_that_nobody_decided_are_a_broken_log(stage: Stage) -> None:
    ledger = some_ledger()
    await stage.put(ledger, upto=5)
    await stage.projector().catch_up("t")
    ledger.history[5] = ledger.history[-1]  # a result of a game that nobody has published
    await stage.put(ledger, upto=6)

    with pytest.raises(LogBroken, match="version 6"):
        await stage.projector().catch_up("t")
    assert int((await stage.stored())[b"v"]) == 5


LOSSES: dict[str, list[tuple[str | int, ...]]] = {
    "all views": [("DEL", KEYS.views)],
    "one view": [("HDEL", KEYS.views, "standings")],
    "a view more": [("HSET", KEYS.views, "boards:9", "x")],
    "the checkpoint": [("HDEL", KEYS.views, "v")],
    "a checkpoint that says nothing": [("HSET", KEYS.views, "v", "many")],
    "a hash that is none": [("HSET", KEYS.views, "h", "ab")],
    "the summary": [("HDEL", KEYS.summaries, "t")],
    "another summary": [("HSET", KEYS.summaries, "t", "{}")],
    "the versions": [("DEL", KEYS.versions)],
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("started_anew", [False, True])
async def test_views_that_a_foreign_hand_changed_are_made_good_with_the_next_entry(
    stage: Stage,
    loss: str,
    started_anew: bool,  # noqa: FBT001
) -> None:
    projector = stage.projector()
    await stage.begin()
    await projector.catch_up("t")
    for command in LOSSES[loss]:
        await stage.connection.command("", *command)
    await stage.go_on(1)

    await (stage.projector() if started_anew else projector).catch_up("t")

    healed, told = await stage.stored(), await stage.told()
    await stage.rebuild()
    assert await stage.stored() == healed
    assert await stage.told() == told
    listed = msgspec.json.decode((await stage.views.tournaments()).body)
    assert [one["tournament"] for one in listed] == ["t"]
    assert listed[0]["published_rounds"] == 2


BREAKS: dict[str, list[tuple[str | int, ...]]] = {
    "a foreign message": [("XADD", KEYS.public, "*", "e", "x")],
    "a lost message": [("XDEL", KEYS.public, "3-0")],
    "the last message": [("XTRIM", KEYS.public, "MAXLEN", 2)],
    "the whole stream": [("DEL", KEYS.public)],
    "a mark that says nothing": [("HSET", KEYS.published, "t", "15")],
    "no mark": [("DEL", KEYS.published)],
    "another type": [("DEL", KEYS.views), ("SET", KEYS.views, "x")],
}


@pytest.mark.parametrize("harm", BREAKS)
async def test_a_public_stream_that_is_not_as_it_was_told_is_left_alone(stage: Stage, harm: str) -> None:
    projector = stage.projector()
    await stage.begin()
    await projector.catch_up("t")
    for command in BREAKS[harm]:
        await stage.connection.command("", *command)
    await stage.go_on(1)
    before = await stage.connection.command("", "XRANGE", KEYS.public, "-", "+")

    for one in (projector, stage.projector()):
        with pytest.raises((ViewsBroken, LogBroken)):
            await one.catch_up("t")

    assert await stage.connection.command("", "XRANGE", KEYS.public, "-", "+") == before


async def test_a_closed_tournament_can_still_be_corrected_and_is_shown(stage: Stage) -> None:
    projector = stage.projector()
    await stage.begin()
    for round_ in (1, 2, 3):
        await stage.go_on(round_)
    await stage.arbiter.do("t", CloseTournament())
    await projector.catch_up("t")

    summary = await stage.views.get("t", "summary")
    assert summary is not None
    assert msgspec.json.decode(summary.body)["closed"] is True
    assert (await stage.told())[-1]["message"]["type"] == "tournament-closed"
