"""What the gateway reads of the views: names out of the register, and nothing that a foreign hand wrote."""

import msgspec
import pytest
from structlog.testing import capture_logs

from events.persons import PersonRecord
from services.projector.keys import FIRST_GENERATION, view_keys
from services.projector.views import etag_of
from services.store import BadName
from services.store.keys import tournament_keys
from tests.services.projector.scene import Stage

KEYS = view_keys("t", 1, FIRST_GENERATION)
OTHER = view_keys("other", 1, FIRST_GENERATION)


@pytest.fixture
async def shown(stage: Stage) -> Stage:
    """Two tournaments are shown."""
    projector = stage.projector()
    for name in ("t", "other"):
        await stage.begin(name)
        await projector.catch_up(name)
    return stage


async def names(stage: Stage) -> object:
    view = await stage.views.get("t", "names")
    assert view is not None
    assert view.etag == etag_of(view.body)
    return msgspec.json.decode(view.body)


async def test_names_come_from_the_register_and_go_with_it(shown: Stage) -> None:
    assert await names(shown) == {}
    await shown.store.person_put("t", "p2", PersonRecord(name="Vera Menchik", salt="ab" * 32))
    await shown.store.person_put("t", "p1", PersonRecord(name="Paul Keres", salt="cd" * 32))
    await shown.store.person_put("t", "stranger", PersonRecord(name="Not Entered", salt="ef" * 32))
    assert await names(shown) == {"p1": "Paul Keres", "p2": "Vera Menchik"}

    await shown.store.person_erase("t", "p2")
    await shown.connection.command("", "HSET", tournament_keys("t", 1).persons, "p1", "not a record")

    assert await names(shown) == {}
    assert b"Keres" not in b"".join((await shown.stored()).values())


async def test_there_is_nothing_of_a_tournament_that_is_not_shown(stage: Stage) -> None:
    await stage.begin()

    assert await stage.views.get("t", "summary") is None
    assert await stage.views.get("t", "names") is None
    assert (await stage.views.tournaments()).body == b"[]"
    assert await stage.views.public("t", 0, 10) == []
    with pytest.raises(BadName):
        await stage.views.get("No such id", "summary")


async def test_etags_are_those_of_the_bodies(shown: Stage) -> None:
    for name in ("summary", "boards:1", "seal"):
        view = await shown.views.get("t", name)
        assert view is not None
        assert view.etag == etag_of(view.body)


async def test_public_messages_are_read_on_from_any_number(shown: Stage) -> None:
    view = await shown.views.get("t", "summary")
    everything = await shown.views.public("t", 0, 1000)
    assert view is not None
    assert everything is not None

    read: list[bytes] = []
    while page := await shown.views.public("t", len(read), 4):
        read += page

    assert read == list(everything)
    assert view.n == len(read)
    assert await shown.views.public("t", view.n, 10) == []
    assert await shown.views.public("t", 0, 0) == []


async def test_a_view_that_a_foreign_hand_wrote_is_not_shown_and_the_others_are(shown: Stage) -> None:
    standings = (await shown.stored())[b"standings"]
    await shown.connection.command("", "HSET", KEYS.views, "standings", standings.replace(b"p1", b"p4"))
    await shown.connection.command("", "HSET", KEYS.views, "start-list", "[]")
    await shown.connection.command("", "HSET", OTHER.summaries, "other", "{}", "neither-fish", b"\xff")

    with capture_logs() as said:
        assert await shown.views.get("t", "standings") is None
        assert await shown.views.get("t", "start-list") is None
        assert await shown.views.get("t", "names") is None
        assert await shown.views.get("t", "boards:1") is not None
        listed = msgspec.json.decode((await shown.views.tournaments()).body)

    assert [one["tournament"] for one in listed] == ["t"]
    assert {line["tournament"] for line in said if line["event"] == "view_is_not_ours"} >= {"t", "other"}
    await shown.rebuild()
    assert await shown.views.get("t", "standings") is not None
    assert len(msgspec.json.decode((await shown.views.tournaments()).body)) == 2


async def test_a_pointer_that_moves_between_two_questions_is_followed(shown: Stage) -> None:
    before = await shown.views.get("t", "summary")
    listed = await shown.views.tournaments()
    for _ in range(3):
        await shown.rebuild()

        after = await shown.views.get("t", "summary")
        assert after == before
        assert await shown.views.tournaments() == listed
