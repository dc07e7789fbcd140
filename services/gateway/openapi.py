"""The description of the API, OpenAPI 3.1, made from the very structs that requests are read into.

Served as JSON; no page of it, so that nothing is fetched from elsewhere. A test holds it equal to the routes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from litestar import route
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Response

from events.codec import sha256_hex
from events.envelope import CommandId
from events.facts import AnyFact, Instant, PlayerId, Round, TournamentId
from projections import Told
from projections.cross_table import CrossRow
from projections.integrity import Departure
from projections.rounds import Boards
from projections.seals import Seal
from projections.standings import Standings
from projections.start_list import Entry
from projections.summary import Summary
from services.gateway import examples
from services.gateway.answers import AnyRequest, tagged
from services.gateway.commands import Answer
from services.gateway.incoming import BODY_BYTES_MAX, Incoming
from services.gateway.problems import KINDS, MEDIA_TYPE, Document, Kind, Problem
from services.gateway.view_routes import MESSAGES_MAX, NUMBER_MAX, READ

VERSION = "0.1.0"
REFERENCE = "#/components/schemas/{name}"

_of = msgspec.json.schema
_ASCII = {"type": "string", "pattern": r"^[\x21-\x7e]{1,200}$"}
_IF_MATCH = {"type": "string", "pattern": r'^(\*|"[0-9]{1,15}")$'}
_UNSAFE = (400, 401, 403, 404, 409, 412, 413, 415, 422, 500, 503)
_READING = (404, 500, 503)


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """What a command would bring about; nothing was appended."""

    would: tuple[AnyFact, ...]
    first: int
    last: int
    duplicate: bool  # it has been carried out
    effect: str  # in a sentence, empty when the command says it all


class HeadVersion(msgspec.Struct, frozen=True, kw_only=True):
    """The version of a tournament's log."""

    version: int


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How the service is; more is told to tokens with the scope `operate`."""

    status: str


# What stands in requests and answers: those of views under the names of the views.
_TYPES: dict[str, Any] = {
    "command": Incoming,
    "answer": Answer,
    "rehearsal": Rehearsal,
    "head": HeadVersion,
    "status": Status,
    "problem-document": Document,
    "problem": Kind,
    "problems": tuple[Kind, ...],
    "tournaments": tuple[Summary, ...],
    "summary": Summary,
    "start-list": tuple[Entry, ...],
    "names": dict[PlayerId, str],
    "standings": Standings,
    "cross-table": tuple[CrossRow, ...],
    "boards": Boards,
    "integrity": tuple[Departure, ...],
    "seal": tuple[Seal, ...],
    "public": tuple[Told, ...],
}


def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    references, schemas = msgspec.json.schema_components(_TYPES.values(), ref_template=REFERENCE)
    named = dict(zip(_TYPES, references, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Tirage",
            "version": VERSION,
            "summary": "Chess tournaments paired from an immutable log.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {**_command_paths(named), **_view_paths(named), **_other_paths(named)},
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def description_routes() -> Sequence[HTTPRouteHandler]:
    """Return the routes that tell of the API itself."""
    body = msgspec.json.encode(description())
    etag = f'"{sha256_hex(body)[:32]}"'

    @route("/openapi.json", http_method=READ)
    async def document(request: AnyRequest) -> Response[bytes]:
        return tagged(request, body, etag)

    @route("/problems", http_method=READ)
    async def problems(request: AnyRequest) -> Response[bytes]:
        listed = msgspec.json.encode(list(KINDS.values()))
        return tagged(request, listed, f'"{sha256_hex(listed)[:32]}"')

    @route("/problems/{kind:str}", http_method=READ)
    async def problem(request: AnyRequest, kind: FromPath[str]) -> Response[bytes]:
        if kind not in KINDS:
            raise Problem("not-found", "there is no such type of problem")
        found = msgspec.json.encode(KINDS[kind])
        return tagged(request, found, f'"{sha256_hex(found)[:32]}"')

    return document, problems, problem


def _command_paths(named: Mapping[str, Any]) -> dict[str, Any]:
    body = {
        "required": True,
        "description": f"One command, at most {BODY_BYTES_MAX} bytes.",
        "content": {
            "application/json": {
                "schema": named["command"],
                "examples": {kind: {"value": example} for kind, example in examples.COMMANDS.items()},
            }
        },
    }
    give = {
        "operationId": "give-command",
        "summary": "Give a command; it is carried out once, however often it is sent.",
        "description": "The actor is the name of the token. Sent again with the same Idempotency-Key, it is "
        "answered as then, with `duplicate` and without the facts. With `dry_run=1` nothing is appended.",
        "security": [{"token": []}],
        "parameters": [
            _header("Idempotency-Key", _of(CommandId), "The id of the command.", required=True),
            _header("If-Match", _IF_MATCH, 'The version that was seen, as "17".'),
            _header("Tirage-Reported-At", _of(Instant), "When an arbiter was told; without it, now."),
            _header("Tirage-Device", _ASCII, "The device it comes from."),
            _header("Tirage-Device-Time", _of(Instant), "The time that the device showed; decides nothing."),
            _header("Tirage-Venue", _ASCII, "The hall it comes from."),
            _query("dry_run", {"enum": ["0", "1"], "type": "string"}),
        ],
        "requestBody": body,
        "responses": {
            "201": _json("It was carried out, now or before.", named["answer"], examples.ANSWER),
            "200": _json("What it would do (`dry_run`).", named["rehearsal"], examples.REHEARSAL),
            **_problems(named, _UNSAFE),
        },
    }
    head = {
        "operationId": "head",
        "summary": "The version of the log, for If-Match. Not public.",
        "security": [{"token": []}],
        "responses": {
            "200": _json("The version.", named["head"]),
            **_problems(named, (401, 403, 404, 500, 503)),
        },
    }
    return {
        "/tournaments/{tournament}/commands": {"parameters": [_TOURNAMENT], "post": give},
        "/tournaments/{tournament}/head": {"parameters": [_TOURNAMENT], "get": head},
    }


def _view_paths(named: Mapping[str, Any]) -> dict[str, Any]:
    round_ = {"name": "round", "in": "path", "required": True, "schema": _of(Round)}
    public = {
        "after": _query("after", {"type": "integer", "minimum": 0, "maximum": NUMBER_MAX}),
        "limit": _query("limit", {"type": "integer", "minimum": 0, "maximum": MESSAGES_MAX}),
    }
    of_one = "/tournaments/{tournament}"
    paths: dict[str, Any] = {"/tournaments": _reading("tournaments", "Every tournament, by event.", named)}
    for name, path, words in (
        ("summary", of_one, "One tournament."),
        ("start-list", f"{of_one}/start-list", "Who takes part."),
        ("names", f"{of_one}/names", "The names behind the ids."),
        ("standings", f"{of_one}/standings", "Points and ranks."),
        ("cross-table", f"{of_one}/cross-table", "Who played whom, round by round."),
        ("integrity", f"{of_one}/integrity", "Every departure from the plain course of the rules."),
        ("boards", f"{of_one}/rounds/{{round}}", "The boards of a published round."),
        ("seal", f"{of_one}/seal", "The commitment to the next pairing, before anyone sees it."),
        ("public", f"{of_one}/public", "What became public, in order."),
    ):
        paths[path] = _reading(name, words, named)
        parameters = [_TOURNAMENT, *([round_] if name == "boards" else [])]
        paths[path]["parameters"] = parameters + (list(public.values()) if name == "public" else [])
    malformed = _problems(named, (400,))
    paths[f"{of_one}/public"]["get"]["responses"] |= malformed
    paths[f"{of_one}/public"]["head"]["responses"] |= _without_bodies(malformed)
    return paths


def _other_paths(named: Mapping[str, Any]) -> dict[str, Any]:
    kind = {"name": "kind", "in": "path", "required": True, "schema": {"enum": sorted(KINDS)}}
    text = {"text/plain": {"schema": {"type": "string"}}}
    return {
        "/openapi.json": _reading("openapi", "This document.", named, missing=False),
        "/problems": _reading("problems", "Every type of problem.", named, missing=False),
        "/problems/{kind}": {"parameters": [kind], **_reading("problem", "One type of problem.", named)},
        "/health/live": {"get": _plain("live", "Whether the process runs.", named, (500,))},
        "/health/ready": {
            "get": {
                **_plain("ready", "Whether commands can be taken.", named, (401, 403, 500)),
                "security": [{}, {"token": []}],
            }
        },
        "/metrics": {
            "get": {
                "operationId": "metrics",
                "summary": "Metrics in Prometheus' text format; scope `operate`.",
                "security": [{"token": []}],
                "responses": {
                    "200": {"description": "The metrics.", "content": text},
                    **_problems(named, (401, 403, 500)),
                },
            }
        },
    }


_TOURNAMENT = {
    "name": "tournament",
    "in": "path",
    "required": True,
    "schema": _of(TournamentId),
    "example": examples.TOURNAMENT,
}


def _reading(name: str, words: str, named: Mapping[str, Any], *, missing: bool = True) -> dict[str, Any]:
    unchanged = {"description": "It is as it was (If-None-Match)."}
    etag = {"ETag": {"required": True, "schema": {"type": "string"}, "description": "Strong entity tag."}}
    found = {
        "description": words,
        "headers": etag,
        "content": {"application/json": {"schema": named.get(name, {})}},
    }
    problems = _problems(named, _READING if missing else _READING[1:])
    get = {"operationId": name, "summary": words, "responses": {"200": found, "304": unchanged, **problems}}
    head = {
        "operationId": f"{name}-head",
        "summary": f"{words} Headers alone.",
        "responses": {
            "200": {"description": words, "headers": etag},
            "304": unchanged,
            **_without_bodies(problems),
        },
    }
    return {"get": get, "head": head}


def _without_bodies(answers: Mapping[str, Any]) -> dict[str, Any]:
    return {code: {"description": about["description"]} for code, about in answers.items()}


def _plain(name: str, words: str, named: Mapping[str, Any], statuses: Sequence[int]) -> dict[str, Any]:
    answers = {"200": _json(words, named["status"]), **_problems(named, statuses)}
    if name == "ready":
        answers["503"] = _json("Commands cannot be taken.", named["status"])
    return {"operationId": name, "summary": words, "responses": answers}


def _header(name: str, schema: Mapping[str, Any], words: str, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": required, "description": words, "schema": schema}


def _query(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": False, "schema": schema}


def _json(words: str, schema: Mapping[str, Any], example: object = None) -> dict[str, Any]:
    content = {"schema": schema, **({} if example is None else {"example": example})}
    return {"description": words, "content": {"application/json": content}}


def _problems(named: Mapping[str, Any], statuses: Sequence[int]) -> dict[str, Any]:
    """Return the answers that tell of problems, by status."""
    answers = {}
    for status in statuses:
        kinds = [kind.type for kind in KINDS.values() if kind.status == status]
        content: dict[str, Any] = {"schema": named["problem-document"]}
        if status == examples.PROBLEM["status"]:
            content["example"] = examples.PROBLEM
        words = ", ".join(sorted(kinds)) or "Refused."
        answers[str(status)] = {"description": words, "content": {MEDIA_TYPE: content}}
    return answers
