"""What comes in: strict, and the same JSON as everywhere but for the person and the revision."""

import msgspec
import pytest
from msgspec.structs import fields

from events.facts import GameResult
from rules.commands import AnyCommand, CorrectResult, RecordResult, RegisterPlayer
from services.gateway.incoming import (
    CorrectSeenResult,
    EnterPlayer,
    Incoming,
    check_content_type,
    kind_of,
    request,
)
from services.gateway.problems import Problem

HEADERS = {"idempotency-key": "k"}
LOTS = b'{"type":"draw-lots","initial_colour":"w"}'


def _kinds(union: object) -> set[str]:
    return {kind.__struct_config__.tag for kind in union.__args__}  # type: ignore[attr-defined] # of a union


def test_everything_can_be_commanded_but_what_the_worker_does() -> None:
    assert _kinds(AnyCommand) - _kinds(Incoming) == {
        "seal-pairing",
        "report-no-pairing",
        "report-dispute",
        "publish-pairing",
    }


def test_an_entry_has_the_fields_of_the_command_in_the_log() -> None:
    ours, theirs = fields(EnterPlayer), fields(RegisterPlayer)

    assert [field.name for field in ours] == [field.name for field in theirs]
    assert [f for f in ours if f.name != "person"] == [f for f in theirs if f.name != "person"]


def test_a_person_comes_apart_from_the_entry() -> None:
    body = b'{"type":"register-player","player":"p1","person":{"name":"N"},"rating":2000}'

    given = request(body, HEADERS, "hall")

    assert isinstance(given.command, RegisterPlayer)
    assert (given.command.rating, given.person and given.person.name) == (2000, "N")
    assert (given.kind, given.order.actor, given.order.id) == ("register-player", "hall", "k")


def test_the_revision_that_was_seen_is_no_part_of_the_command() -> None:
    incoming = CorrectSeenResult(
        round=1,
        board=1,
        white="p1",
        black="p2",
        was=GameResult.DRAW,
        result=GameResult.WHITE_WINS,
        reason="r",
        revision=2,
    )

    given = request(msgspec.json.encode(incoming), HEADERS, "hall")

    assert type(given.command) is CorrectResult
    assert given.seen.revision == 2
    assert msgspec.json.encode(given.command) == msgspec.json.encode(incoming).replace(b',"revision":2', b"")


@pytest.mark.parametrize(
    ("body", "kind", "path"),
    [
        (b"", "not-json", ""),
        (b"{", "not-json", ""),
        (b'{"type":"draw-lots","method":"\xff","initial_colour":"w"}', "not-json", ""),
        (b"[]", "not-understood", "$"),
        (b"{}", "not-understood", "$"),
        (b'{"type":"seal-pairing"}', "not-understood", "$.type"),
        (b'{"type":"no-such-command"}', "not-understood", "$.type"),
        (b'{"type":"draw-lots"}', "not-understood", "$"),
        (b'{"type":"draw-lots","initial_colour":"x"}', "not-understood", "$.initial_colour"),
        (b'{"type":"draw-lots","initial_colour":"w","actor":"me"}', "not-understood", "$"),
        (b'{"type":"post-results","round":"1"}', "not-understood", "$.round"),
        (b'{"type":"post-results","round":1.0}', "not-understood", "$.round"),
        (b'{"type":"post-results","round":100}', "not-understood", "$.round"),
        (b'{"type":"register-player","player":"p1","person":{"name":""}}', "not-understood", "$.person.name"),
    ],
)
def test_what_is_not_understood_is_refused_by_its_place(body: bytes, kind: str, path: str) -> None:
    with pytest.raises(Problem) as refused:
        request(body, HEADERS, "hall")

    assert (refused.value.kind, refused.value.document.path) == (kind, path)
    assert refused.value.status == 400


def test_what_is_said_about_a_command_stands_in_headers() -> None:
    given = request(
        LOTS,
        {
            "idempotency-key": '"a quoted key"'.replace(" ", "-"),
            "tirage-reported-at": "2026-10-05T08:00:00Z",
            "tirage-device": "tablet-7",
            "tirage-device-time": "2026-10-05T08:00:01Z",
            "tirage-venue": "main",
            "if-match": '"17", "18"',
        },
        "hall",
    )

    order = given.order
    assert (order.id, order.reported_at, order.venue) == ("a-quoted-key", "2026-10-05T08:00:00Z", "main")
    assert (order.device, order.device_time) == ("tablet-7", "2026-10-05T08:00:01Z")
    assert given.seen.versions == (17, 18)


@pytest.mark.parametrize(
    ("if_match", "versions"),
    [('"1"', (1,)), ("*", None), ('W/"1"', ()), ('"x"', ()), ('"9999999999999999999"', ())],
)
def test_a_tag_that_is_no_version_matches_nothing(if_match: str, versions: tuple[int, ...] | None) -> None:
    assert request(LOTS, {**HEADERS, "if-match": if_match}, "hall").seen.versions == versions


@pytest.mark.parametrize(
    "headers",
    [
        {"idempotency-key": ""},
        {"idempotency-key": '""'},
        {"idempotency-key": "a b"},
        {"idempotency-key": "x" * 201},
        {"idempotency-key": "ключ"},
        {"tirage-reported-at": "yesterday"},
        {"tirage-device": "caf\xe9"},
        {"tirage-venue": "x" * 201},
        {"if-match": "17"},
        {"if-match": ""},
    ],
)
def test_a_header_that_cannot_be_used_is_refused_by_its_name(headers: dict[str, str]) -> None:
    with pytest.raises(Problem) as refused:
        request(LOTS, HEADERS | headers, "hall")

    assert (refused.value.status, refused.value.document.path) == (400, next(iter(headers)))


@pytest.mark.parametrize(
    "said", ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"']
)
def test_json_is_taken(said: str) -> None:
    check_content_type(said)


@pytest.mark.parametrize(
    "said", [None, "", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
def test_anything_else_is_not(said: str | None) -> None:
    with pytest.raises(Problem) as refused:
        check_content_type(said)

    assert refused.value.status == 415


def test_a_command_is_named_by_its_tag() -> None:
    command = RecordResult(round=1, board=1, white="p1", black="p2", result=GameResult.DRAW)

    assert kind_of(command) == "record-result"
