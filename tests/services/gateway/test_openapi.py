"""The description of the API: it has every route and no other, and its examples are what happens."""

import json
from typing import Any

from litestar.handlers import HTTPRouteHandler

from rules.swiss.dutch import ENGINE, pair
from services.gateway import examples
from services.gateway.openapi import description
from tests.services.gateway.scene import House, problem


def _described() -> set[tuple[str, str]]:
    return {
        (method.upper(), path)
        for path, item in description()["paths"].items()
        for method in item
        if method != "parameters"
    }


def _offered(house: House) -> set[tuple[str, str]]:
    offered = set()
    for route in house.app.routes:
        for handler in route.route_handlers if hasattr(route, "route_handlers") else []:
            assert isinstance(handler, HTTPRouteHandler)
            path = route.path_format.replace("round_", "round")
            offered |= {(str(method), path) for method in handler.http_methods if method != "OPTIONS"}
    return offered


def test_it_has_every_route_and_no_other(house: House) -> None:
    pages = {(method, path) for method, path in _offered(house) if _is_page(path)}

    assert _described() == _offered(house) - pages


def _is_page(path: str) -> bool:
    return path == "/" or path.startswith(("/t/", "/static/"))


async def test_it_is_served_as_it_is(house: House) -> None:
    answer = await house.client.get("/openapi.json")

    assert answer.json() == json.loads(json.dumps(description()))
    assert answer.json()["openapi"].startswith("3.1")
    assert "http" not in answer.text.replace('"type":"http"', "")  # it fetches nothing from elsewhere


async def test_the_examples_make_a_tournament(house: House) -> None:
    answers = {}
    for step, (kind, example) in enumerate(examples.COMMANDS.items()):
        await _before(house, kind)
        answers[kind] = await house.give(example, f"step{step}", tournament=examples.TOURNAMENT)
        if kind == "confirm-presence":
            await _others_enter(house)

    refused = {kind: problem(answer) for kind, answer in answers.items() if answer.status_code != 201}
    assert refused.keys() == {"close-tournament"}, refused
    assert refused["close-tournament"]["type"] == "/problems/too-early"


async def _before(house: House, kind: str) -> None:
    """Have happen what the clock and the pairing worker do."""
    if kind in {"close-appeal-window", "record-result"}:
        worker = house.scene.worker(pair, engine=ENGINE)
        await worker.catch_up(examples.TOURNAMENT)
        house.scene.clock.set("2026-10-05T09:00:00Z")
        await worker.catch_up(examples.TOURNAMENT)
    if kind == "post-results":
        await house.give(
            {**examples.COMMANDS["record-result"], "board": 2, "white": "p4", "black": "p2"},
            "second",
            tournament=examples.TOURNAMENT,
        )


async def _others_enter(house: House) -> None:
    for number in (2, 3, 4):
        entry = {**examples.COMMANDS["register-player"], "player": f"p{number}", "fide_id": ""}
        await house.give(entry, f"e{number}", tournament=examples.TOURNAMENT)
        presence = {**examples.COMMANDS["confirm-presence"], "player": f"p{number}"}
        await house.give(presence, f"c{number}", tournament=examples.TOURNAMENT)


def test_every_command_has_an_example_and_every_example_its_own_kind() -> None:
    document = description()
    body = document["paths"]["/tournaments/{tournament}/commands"]["post"]["requestBody"]
    known = body["content"]["application/json"]["schema"]["discriminator"]["mapping"]

    assert set(examples.COMMANDS) == set(known)
    assert all(example["type"] == kind for kind, example in examples.COMMANDS.items())


async def test_the_example_answers_are_what_is_answered(house: House) -> None:
    await test_the_examples_make_a_tournament(house)
    entries = await house.scene.store.read(examples.TOURNAMENT)
    record, correction = examples.COMMANDS["record-result"], examples.COMMANDS["correct-result"]

    document = await _rehearsed(house, {**correction, "was": "1/2-1/2", "result": "1-0", "revision": 2})
    wrong_board = problem(await house.give({**record, "board": 9}, "wrong", tournament=examples.TOURNAMENT))

    assert document.keys() == examples.REHEARSAL.keys()
    assert document["would"][0].keys() == examples.REHEARSAL["would"][0].keys()  # type: ignore[index] # it is a list
    assert wrong_board == examples.PROBLEM
    assert len(await house.scene.store.read(examples.TOURNAMENT)) == len(entries)


async def _rehearsed(house: House, command: dict[str, Any]) -> dict[str, Any]:
    answer = await house.client.post(
        f"/tournaments/{examples.TOURNAMENT}/commands?dry_run=1",
        json=command,
        headers={"Authorization": f"Bearer {house.arbiter}", "Idempotency-Key": "dry"},
    )
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.json()
    return document
