import asyncio

import pytest
from structlog.testing import capture_logs

from events.envelope import decode
from events.facts import (
    AnyFact,
    CutoffMoved,
    NoPairingFound,
    PairingDisputed,
    PairingPublished,
    PairingSealed,
)
from rules.commands import WithdrawPlayer
from rules.history import pairing_input
from rules.instants import milliseconds
from rules.proof import input_digest, output_digest, seal
from rules.swiss.pairing_input import NotConfirmed, PairingInput, PairingOutput
from services.gateway.commands import Commands, Order
from services.pairing.engine import InlineEngine, Read
from services.pairing.handler import PairingFailed, PairingWorker
from services.pairing.work import Verdict
from services.store import CommandClash, LogBroken
from tests.services.pairing.by_order import (
    ENGINE,
    by_order,
    mistaken,
    none_at_all,
    otherwise,
    unusable,
)
from tests.services.pairing.scene import FIRST_PUBLISHED, KEY, OTHER_KEY, Scene, all_facts, facts


@pytest.fixture
def scene() -> Scene:
    return Scene()


async def closed(scene: Scene, **entered: int) -> None:
    await scene.arbiter.enter(**entered)  # type: ignore[arg-type] # players and rounds
    await scene.arbiter.close_entries()


async def test_a_tournament_that_is_not_there_is_left_alone(scene: Scene) -> None:
    assert await scene.worker().catch_up("nobody-knows-it") is None


async def test_nothing_is_paired_before_the_list_of_entries_is_closed(scene: Scene) -> None:
    await scene.arbiter.enter()
    before = await scene.store.head("t")

    assert await scene.worker().catch_up("t") is None
    assert await scene.store.head("t") == before


async def test_a_closed_round_is_sealed_at_once_and_published_at_its_minute(scene: Scene) -> None:
    await closed(scene)
    worker = scene.worker()

    due = await worker.catch_up("t")

    assert due == milliseconds(FIRST_PUBLISHED)
    assert len(await facts(scene.store, PairingSealed)) == 1
    assert not await facts(scene.store, PairingPublished)

    scene.clock.now = due - 1
    assert await worker.catch_up("t") == due
    assert not await facts(scene.store, PairingPublished)

    scene.clock.now = due
    assert await worker.catch_up("t") is None
    [published] = await facts(scene.store, PairingPublished)
    assert published.pairs == (("p1", "p2"), ("p3", "p4"))


async def test_what_is_published_carries_its_proof(scene: Scene) -> None:
    await closed(scene, players=5)
    scene.clock.set(FIRST_PUBLISHED)

    await scene.worker().catch_up("t")

    entries = await scene.store.read("t")
    history = [decode(entry, version) for version, entry in enumerate(entries, start=1)]
    sealed, published = (recorded.fact for recorded in history[-2:])
    assert isinstance(sealed, PairingSealed)
    assert isinstance(published, PairingPublished)
    output = PairingOutput(pairs=published.pairs, pab="p5")
    assert published.cutoff == sealed.cutoff == len(entries) - 3
    assert published.head == sealed.head == history[sealed.cutoff].prev
    assert published.input == input_digest(pairing_input(history, 1, published.cutoff))
    assert published.output == output_digest(output)
    assert sealed.seal == seal(published.salt, output)
    assert (published.engine, published.system) == (ENGINE, "fide-dutch@2026")
    assert [r.actor for r in history[-2:]] == ["pairing-worker"] * 2
    assert [r.cause for r in history[-2:]] == [f"seal:1:{sealed.cutoff}", "publish:1"]


async def test_every_round_of_a_tournament_is_published_once(scene: Scene) -> None:
    await closed(scene)
    worker = scene.worker()

    for round_ in (1, 2, 3):
        due = await worker.catch_up("t")
        assert due is not None
        scene.clock.now = due
        assert await worker.catch_up("t") is None
        await scene.arbiter.end(round_)

    assert await worker.catch_up("t") is None  # the window of the last round closes, and no round follows
    assert [fact.round for fact in await facts(scene.store, PairingPublished)] == [1, 2, 3]


async def test_a_moved_cutoff_is_sealed_anew_and_only_the_last_is_published(scene: Scene) -> None:
    await closed(scene)
    worker = scene.worker()
    await worker.catch_up("t")
    await scene.arbiter.do("t", WithdrawPlayer(player="p4"))

    due = await worker.catch_up("t")
    assert due is not None
    scene.clock.now = due
    await worker.catch_up("t")

    first, second = await facts(scene.store, PairingSealed)
    [moved] = await facts(scene.store, CutoffMoved)
    [published] = await facts(scene.store, PairingPublished)
    assert (first.attempt, second.attempt, published.attempt) == (1, 2, 2)
    assert second.cutoff == published.cutoff == moved.cutoff
    assert (published.pairs, published.pab) == ((("p1", "p2"),), "p3")


async def test_a_restart_between_seal_and_publication_publishes_what_was_sealed(scene: Scene) -> None:
    await closed(scene)
    due = await scene.worker().catch_up("t")
    assert due is not None
    scene.clock.now = due

    await scene.worker().catch_up("t")

    assert len(await facts(scene.store, PairingSealed)) == 1
    assert len(await facts(scene.store, PairingPublished)) == 1


async def test_another_engine_or_another_key_does_not_publish_what_it_did_not_seal(scene: Scene) -> None:
    await closed(scene)
    await scene.worker().catch_up("t")
    scene.clock.set(FIRST_PUBLISHED)

    for worker in (
        scene.worker(otherwise, engine="other 1"),
        scene.worker(key=OTHER_KEY),
        scene.worker(none_at_all),
    ):
        with pytest.raises(PairingFailed, match=r"round 1: .*seal"):
            await worker.catch_up("t")

    assert not await facts(scene.store, PairingPublished)


async def test_workers_that_race_seal_and_publish_once(scene: Scene) -> None:
    await closed(scene)
    workers = [scene.worker() for _ in range(5)]

    assert len(set(await asyncio.gather(*(w.catch_up("t") for w in workers)))) == 1
    scene.clock.set(FIRST_PUBLISHED)
    assert set(await asyncio.gather(*(w.catch_up("t") for w in workers))) == {None}

    assert len(await facts(scene.store, PairingSealed)) == 1
    assert len(await facts(scene.store, PairingPublished)) == 1


async def test_workers_with_different_keys_that_race_seal_once(scene: Scene) -> None:
    await closed(scene)
    workers = [scene.worker(key=bytes([n]) * 32) for n in range(3)]

    await asyncio.gather(*(w.catch_up("t") for w in workers))

    assert len(await facts(scene.store, PairingSealed)) == 1


class Interrupted:
    """An engine during whose work something else happens, once."""

    name = ENGINE

    def __init__(self, *happenings: object) -> None:
        self.happenings = list(happenings)
        self.inner = InlineEngine(ENGINE, by_order)

    async def pair(self, read: Read, round_: int) -> Verdict:
        verdict = await self.inner.pair(read, round_)
        if self.happenings:
            await self.happenings.pop(0)  # type: ignore[misc] # a coroutine
        return verdict


async def test_a_cutoff_that_moves_while_the_engine_works_is_paired_again(scene: Scene) -> None:
    await closed(scene)
    engine = Interrupted(scene.arbiter.do("t", WithdrawPlayer(player="p4")))
    worker = PairingWorker(scene.store, Commands(scene.store, scene.clock), engine, KEY, scene.clock)

    with capture_logs() as logs:
        await worker.catch_up("t")

    [sealed] = await facts(scene.store, PairingSealed)
    assert sealed.attempt == 1
    assert [line["kind"] for line in logs if line["event"] == "command_refused"] == ["not-the-cutoff"]


async def test_a_round_published_by_another_while_the_engine_works_is_left(scene: Scene) -> None:
    await closed(scene)
    await scene.worker().catch_up("t")
    scene.clock.set(FIRST_PUBLISHED)
    engine = Interrupted(scene.worker().catch_up("t"))
    worker = PairingWorker(scene.store, Commands(scene.store, scene.clock), engine, KEY, scene.clock)

    assert await worker.catch_up("t") is None
    assert len(await facts(scene.store, PairingPublished)) == 1


async def test_an_impossible_pairing_is_said_once_and_left_to_the_arbiter(scene: Scene) -> None:
    await closed(scene)
    worker = scene.worker(none_at_all)

    assert await worker.catch_up("t") is None
    assert await worker.catch_up("t") is None

    [found] = await facts(scene.store, NoPairingFound)
    assert (found.round, found.attempt, found.detail) == (1, 1, "everybody has met")


async def test_after_an_impossible_pairing_a_moved_cutoff_is_tried_as_the_next_attempt(scene: Scene) -> None:
    await closed(scene)
    await scene.worker(none_at_all).catch_up("t")
    await scene.arbiter.do("t", WithdrawPlayer(player="p4"))

    await scene.worker().catch_up("t")

    [sealed] = await facts(scene.store, PairingSealed)
    assert sealed.attempt == 2


def disputed(_: PairingInput) -> PairingOutput:
    raise NotConfirmed("board 2: 3 against 4, and not against 2")


async def test_a_pairing_that_is_not_confirmed_is_said_once_never_sealed_and_set_aside(scene: Scene) -> None:
    await closed(scene)
    worker = scene.worker(disputed)

    for _ in range(2):
        with pytest.raises(PairingFailed, match="3 against 4"):
            await worker.catch_up("t")

    [found] = await facts(scene.store, PairingDisputed)
    assert (found.round, found.attempt, found.engine) == (1, 1, ENGINE)
    assert not await facts(scene.store, PairingSealed)


async def test_another_version_of_the_engine_tries_a_disputed_round_again(scene: Scene) -> None:
    await closed(scene)
    with pytest.raises(PairingFailed):
        await scene.worker(disputed).catch_up("t")

    await scene.worker(engine="mended/2").catch_up("t")

    [sealed] = await facts(scene.store, PairingSealed)
    assert (sealed.attempt, sealed.engine) == (2, "mended/2")
    assert (await scene.arbiter.commands.state("t")).state.round(1).disputed is None


@pytest.mark.parametrize(("pair", "reason"), [(unusable, "UnusableInput"), (mistaken, "KeyError")])
async def test_an_engine_that_fails_appends_nothing(scene: Scene, pair: object, reason: str) -> None:
    await closed(scene)
    before = await scene.store.head("t")

    with pytest.raises(PairingFailed, match=reason) as failed:
        await scene.worker(pair).catch_up("t")  # type: ignore[arg-type]
    assert "Traceback" in failed.value.trace
    assert await scene.store.head("t") == before


async def test_a_pairing_that_leaves_somebody_out_is_not_even_sealed(scene: Scene) -> None:
    await closed(scene)
    scene.clock.set(FIRST_PUBLISHED)

    def forgetful(seen: PairingInput) -> PairingOutput:
        return PairingOutput(pairs=by_order(seen).pairs[:1])

    with pytest.raises(PairingFailed, match="p3, p4"):
        await scene.worker(forgetful).catch_up("t")

    assert not await facts(scene.store, PairingSealed)


async def test_a_command_id_taken_by_a_foreign_hand_is_an_error_and_no_endless_loop(scene: Scene) -> None:
    await closed(scene)
    cutoff = (await scene.arbiter.commands.state("t")).state.round(1).cutoff
    order = Order(id=f"seal:1:{cutoff}", actor="arbiter")
    await scene.arbiter.commands.carry_out("t", WithdrawPlayer(player="p4", from_round=3), order)

    with pytest.raises(CommandClash):
        await scene.worker().catch_up("t")


async def test_a_broken_log_is_told_apart(scene: Scene) -> None:
    await closed(scene)
    scene.store._logs["t"].entries[3] = scene.store._logs["t"].entries[4]

    with pytest.raises(LogBroken):
        await scene.worker().catch_up("t")


async def test_log_lines_name_no_person_and_hold_one_line_for_each_thing_done(scene: Scene) -> None:
    await closed(scene)
    scene.clock.set(FIRST_PUBLISHED)

    with capture_logs() as logs:
        await scene.worker().catch_up("t")

    own = [line for line in logs if line["event"].startswith("pairing_")]
    assert [line["event"] for line in own] == ["pairing_sealed", "pairing_published"]
    assert {**own[1], "version": 0} == {
        "event": "pairing_published",
        "round": 1,
        "boards": 2,
        "version": 0,
        "log_level": "info",
    }


async def test_salt_and_output_are_nowhere_in_the_log_before_publication(scene: Scene) -> None:
    await closed(scene)
    await scene.worker().catch_up("t")
    before: list[AnyFact] = await all_facts(scene.store)
    entries = await scene.store.read("t")
    scene.clock.set(FIRST_PUBLISHED)

    await scene.worker().catch_up("t")

    [published] = await facts(scene.store, PairingPublished)
    assert isinstance(before[-1], PairingSealed)
    assert not any(
        secret.encode() in entry for entry in entries for secret in (published.salt, published.output)
    )
