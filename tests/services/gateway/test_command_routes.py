"""Commands over HTTP: answered once for ever, refused with a reason, and by whom they may be given."""

import json
from typing import Any

import pytest

from events.facts import Colour, GameResult
from rules.commands import AnnounceTournament, ConfirmPresence, CorrectResult, DrawLots, RecordResult
from services.gateway.tokens import new_token
from services.store import ClockSkew, CommandClash, LogBroken, StoreRefused, StoreUnreachable, VersionConflict
from services.store.port import EMPTY
from tests.services.gateway.scene import House, problem
from tests.services.pairing.scene import FIRST_PUBLISHED
from tests.support.ledger import announce

LOTS = DrawLots(initial_colour=Colour.WHITE)
ENTRY = {"type": "register-player", "player": "p1", "person": {"name": "Žižka, Ján", "birth_date": "1360"}}


async def played(house: House) -> None:
    """Publish round 1 of four players and record the result of board 1."""
    scene = house.scene
    await scene.arbiter.enter()
    await scene.arbiter.close_entries()
    worker = scene.worker()
    await worker.catch_up("t")
    scene.clock.set(FIRST_PUBLISHED)
    await worker.catch_up("t")
    await house.give(_record(1), "r1")


def _record(board: int, result: str = "1-0") -> RecordResult:
    white, black = {1: ("p1", "p2"), 2: ("p3", "p4")}[board]
    return RecordResult(round=1, board=board, white=white, black=black, result=GameResult(result))


def _correct(**more: Any) -> dict[str, Any]:
    return {
        "type": "correct-result",
        "round": 1,
        "board": 1,
        "white": "p1",
        "black": "p2",
        "was": "1-0",
        "result": "0-1",
        "reason": "misread",
        **more,
    }


async def test_a_command_is_answered_with_its_facts_and_again_without_them(house: House) -> None:
    first = await house.give(announce())
    again = await house.give(announce())

    assert (first.status_code, again.status_code) == (201, 201)
    assert [fact["type"] for fact in first.json()["facts"]] == ["tournament-announced"]
    assert again.json() == {"first": 1, "last": 1, "duplicate": True, "facts": []}


async def test_the_same_key_for_another_command_is_refused(house: House) -> None:
    await house.give(announce())

    answer = await house.give(announce(rounds=5))

    assert (answer.status_code, problem(answer)["type"]) == (422, "/problems/command-id-taken")


async def test_what_the_rules_refuse_is_a_conflict_with_its_fields_and_article(house: House) -> None:
    await played(house)

    board = problem(await house.give(_record(1), "x"))
    bye = problem(await house.give({"type": "request-bye", "player": "p1", "round": 1, "kind": "half"}, "y"))

    assert (board["status"], board["type"]) == (409, "/problems/result-already-recorded")
    assert board["fields"] == {"round": 1, "board": 1, "result": "1-0"}
    assert (bye["type"], bye["article"]) == ("/problems/round-already-published", "C.04.2 4.4")


async def test_the_actor_is_the_token_and_nothing_in_the_request_says_otherwise(house: House) -> None:
    hall = new_token(house.file, {"name": "hall-a", "scopes": ["command:*"]})
    house.tokens.reload()

    await house.give(announce(), token=hall, Tirage_Actor="the-president", Tirage_Device="tablet-7")

    entry = json.loads((await house.scene.store.read("t"))[0])
    assert (entry["actor"], entry["device"]) == ("hall-a", "tablet-7")


@pytest.mark.parametrize(
    ("grant", "status"),
    [
        ({"scopes": ["command:draw-lots"]}, 201),
        ({"scopes": ["command:*"], "tournaments": ["t*"]}, 201),
        ({"scopes": ["command:confirm-presence"]}, 403),
        ({"scopes": ["operate"]}, 403),
        ({"scopes": []}, 403),
        ({"scopes": ["command:*"], "tournaments": ["u*", "v"]}, 403),
        ({"scopes": ["command:*"], "tournaments": []}, 403),
        ({"scopes": ["command:*"], "expires": "2020-01-01T00:00:00Z"}, 401),
    ],
)
async def test_a_token_extends_to_what_its_scopes_name(
    house: House, grant: dict[str, object], status: int
) -> None:
    await house.give(announce())
    token = new_token(house.file, {"name": "other", **grant})
    house.tokens.reload()

    answer = await house.give(LOTS, "lots", token=token)

    assert answer.status_code == status
    assert (await house.scene.store.head("t")).version == (2 if status == 201 else 1)


async def test_without_a_token_nothing_is_told_about_the_command(house: House) -> None:
    answer = await house.client.post("/tournaments/t/commands", content=b"{")

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="tirage"'
    assert problem(answer)["type"] == "/problems/not-authenticated"


async def test_a_version_that_was_seen_must_still_be_there(house: House) -> None:
    await house.give(announce())

    stale = await house.give(LOTS, "lots", If_Match='"7"')
    fresh = await house.give(LOTS, "lots", If_Match='"1"')
    again = await house.give(LOTS, "lots", If_Match='"1"')

    assert (stale.status_code, problem(stale)["fields"]) == (412, {"seen": "7", "version": 1})
    assert (fresh.status_code, again.status_code) == (201, 201)
    assert again.json()["duplicate"]


async def test_a_version_is_not_taken_for_current_because_this_process_knows_no_later(house: House) -> None:
    await house.give(announce())
    await house.scene.arbiter.do("t", LOTS)  # behind the gateway's back

    behind = await house.give(ConfirmPresence(player="p1"), "c", If_Match='"1"')
    ahead = await house.give(ENTRY, "e", If_Match='"2"')

    assert (behind.status_code, ahead.status_code) == (412, 201)


async def test_a_correction_of_a_board_that_was_revised_is_refused_with_both_revisions(house: House) -> None:
    await played(house)
    await house.give(_correct(revision=1), "c1")
    await house.give(_correct(revision=2, was="0-1", result="1-0"), "c2")

    answer = await house.give(_correct(revision=1), "c3")

    assert answer.status_code == 409
    assert problem(answer)["fields"] == {"round": 1, "board": 1, "seen": 1, "revision": 3, "result": "1-0"}


async def test_a_dry_run_says_what_would_happen_and_appends_nothing(house: House) -> None:
    await played(house)
    before = await house.scene.store.read("t")

    answers = [
        await house.client.post(
            "/tournaments/t/commands?dry_run=1",
            json=command,
            headers={"Authorization": f"Bearer {house.arbiter}", "Idempotency-Key": f"dry{number}"},
        )
        for number, command in enumerate(
            (_correct(), {**ENTRY, "player": "p9", "entered_for": 2}, _correct(was="0-1"))
        )
    ]

    correction, entry, refused = answers
    assert (correction.status_code, entry.status_code, refused.status_code) == (200, 200, 409)
    assert correction.json()["effect"] == "The standings count it from round 1, pairings from round 2."
    assert [fact["type"] for fact in correction.json()["would"]] == ["result-corrected"]
    assert [fact["type"] for fact in entry.json()["would"]] == ["player-registered"]
    assert problem(refused)["type"] == "/problems/result-has-changed"
    assert await house.scene.store.read("t") == before
    assert await house.scene.store.person_get("t", "p9") is None
    for number in range(3):
        assert await house.scene.store.outcome("t", f"dry{number}") is None


async def test_a_person_goes_into_the_register_and_a_commitment_into_the_log(house: House) -> None:
    await house.give(announce())

    first = await house.give(ENTRY, "e")
    again = await house.give(ENTRY, "e")
    other = await house.give({**ENTRY, "person": {"name": "Somebody Else"}}, "e")

    record = await house.scene.store.person_get("t", "p1")
    assert record is not None
    assert (record.name, record.birth_date) == ("Žižka, Ján", "1360")
    assert "ižka" not in first.text
    assert (again.json()["duplicate"], other.status_code) == (True, 422)


async def test_a_report_is_judged_by_when_it_was_made(house: House) -> None:
    await house.give(announce())

    answer = await house.give(LOTS, "lots", Tirage_Reported_At="2026-10-05T09:00:00Z")

    assert problem(answer)["type"] == "/problems/report-in-the-future"


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/nothing", "GET", 404),
        ("/tournaments/t/commands", "GET", 405),
        ("/tournaments/t/commands/", "PUT", 405),
        ("/tournaments/T%20T/commands", "POST", 404),
        ("/tournaments/t/commands?dry_run=perhaps", "POST", 400),
        ("/tournaments/t/commands?dry_run=1&dry_run=0", "POST", 400),
        ("/tournaments/t/head", "GET", 404),
    ],
)
async def test_whatever_is_asked_wrongly_is_answered_by_a_problem(
    house: House, path: str, method: str, status: int
) -> None:
    answer = await house.client.request(method, path, headers={"Authorization": f"Bearer {house.arbiter}"})

    assert (answer.status_code, problem(answer)["status"]) == (status, status)


async def test_a_body_that_is_too_large_or_no_json_is_not_read(house: House) -> None:
    large = await house.give(b" " * 200_000 + b"{}")
    text = await house.give(LOTS, Content_Type="text/plain")
    broken = await house.give(b"{")

    assert [answer.status_code for answer in (large, text, broken)] == [413, 415, 400]
    assert [problem(answer)["type"].rpartition("/")[2] for answer in (large, text, broken)] == [
        "too-large",
        "not-json-type",
        "not-json",
    ]


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (StoreUnreachable("redis://secret-host:1", "refused"), 503, "store-unreachable"),
        (StoreRefused("redis://secret-host:1", "disk full"), 503, "store-refuses"),
        (ClockSkew(3000, 2000), 503, "clock-skew"),
        (LogBroken("t", 3, "the entry is gone: secret-host"), 500, "log-broken"),
        (VersionConflict("t", EMPTY, EMPTY), 409, "version-conflict"),
        (CommandClash("t", "k", 1, 2), 422, "command-id-taken"),
        (AssertionError("secret-host"), 500, "internal"),
        (KeyError("secret-host"), 500, "internal"),
    ],
)
async def test_what_fails_behind_us_is_a_problem_without_internals(
    house: House, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, kind: str
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(house.scene.store, "append", fail)

    answer = await house.give(announce())

    document = problem(answer)
    assert (answer.status_code, document["type"]) == (status, f"/problems/{kind}")
    assert "secret-host" not in answer.text
    assert "Traceback" not in answer.text
    assert ("retry-after" in answer.headers) == (status == 503 or kind == "version-conflict")


async def test_the_version_of_the_log_is_told_to_those_who_may_command(house: House) -> None:
    await house.give(announce())

    told = await house.client.get("/tournaments/t/head", headers={"Authorization": f"Bearer {house.arbiter}"})
    refused = await house.client.get("/tournaments/t/head")

    assert (told.json(), told.headers["etag"]) == ({"version": 1}, '"1"')
    assert refused.status_code == 401


async def test_an_announcement_belongs_into_its_own_log(house: House) -> None:
    command = AnnounceTournament(tournament="other", name="X", rounds=3)

    wrong = await house.give(command)
    right = await house.give(command, tournament="other")

    assert problem(wrong)["type"] == "/problems/contradictory-regulations"
    assert right.status_code == 201


def test_a_correction_names_the_board_as_the_log_does() -> None:
    assert set(_correct()) - {"type"} <= set(CorrectResult.__struct_fields__)


async def test_a_dry_run_of_an_entry_that_was_made_says_so(house: House) -> None:
    await house.give(announce(), "a")
    await house.give(ENTRY, "e")

    rehearsed = await house.client.post(
        "/tournaments/t/commands?dry_run=1",
        json=ENTRY,
        headers={"Authorization": f"Bearer {house.arbiter}", "Idempotency-Key": "e"},
    )

    assert rehearsed.status_code == 200
    assert rehearsed.json()["duplicate"] is True
