"""Giving commands by hand: the same answers from the log directly and from a gateway over HTTP."""

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from events.envelope import decode
from rules.commands import CloseAppealWindow, ConfirmPresence, RegisterPlayer
from rules.refusals import RuleViolation
from services.cli.play.hands import Hand, LogHand, Refused
from services.cli.play.over_http import HttpHand
from services.gateway.commands import Commands, Person
from services.server import Server
from services.store import RedisStore
from services.store.errors import CommandClash
from tests.services.gateway.scene import Process
from tests.support.ledger import PERSON, announce, timetable

Taking = Callable[[Server, RedisStore, Path], AbstractAsyncContextManager[Hand]]


@contextlib.asynccontextmanager
async def direct(_server: Server, store: RedisStore, _folder: Path) -> AsyncIterator[Hand]:
    yield LogHand(Commands(store), "t", "arbiter")


@contextlib.asynccontextmanager
async def over_http(server: Server, _store: RedisStore, folder: Path) -> AsyncIterator[Hand]:
    with Process(server.url, folder) as gateway:
        await gateway.ready()
        async with HttpHand(gateway.address, gateway.arbiter, "t") as hand:
            yield hand
        await gateway.stop()


@pytest.mark.parametrize("taking", [direct, over_http])
async def test_commands_are_carried_out_once_refused_and_foretold(
    server: Server, store: RedisStore, tmp_path: Path, taking: Taking
) -> None:
    async with taking(server, store, tmp_path) as hand:
        await hand.give(announce(2), "a")
        await hand.give(announce(2), "a")
        with pytest.raises(CommandClash):
            await hand.give(announce(3), "a")
        await hand.give(timetable(2), "t")
        await hand.enter(RegisterPlayer(player="p1", person=PERSON), Person(name="Ada"), "r")
        with pytest.raises((RuleViolation, Refused), match="the initial colour is not drawn"):
            await hand.give(CloseAppealWindow(round=0), "c")
        with pytest.raises((RuleViolation, Refused), match="'p2'"):
            await hand.give(ConfirmPresence(player="p2"), "p")
        assert await hand.foretell(ConfirmPresence(player="p1"), "q") == ""
        with pytest.raises((RuleViolation, Refused), match="time of recording"):
            await hand.give(ConfirmPresence(player="p1"), "s", "2999-01-01T00:00:00Z")

    entries = [decode(stored, version) for version, stored in enumerate(await store.read("t"), start=1)]
    assert [entry.cause for entry in entries] == ["a", "t", "r"]
    assert {entry.actor for entry in entries} == {"arbiter"}
    record = await store.person_get("t", "p1")
    assert record is not None
    assert record.name == "Ada"
