"""Answers of the gateway: bytes as they are, with entity tags, and problem documents."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException

from services.gateway.problems import MEDIA_TYPE, Problem, problem_of

JSON = "application/json"
SAFE = {"X-Content-Type-Options": "nosniff"}

SERVER_ERRORS = 500  # statuses from here on are the service's fault, or the store's

AnyRequest: TypeAlias = Request[Any, Any, Any]  # no user, no auth, no state of the framework's is used

log = structlog.get_logger(__name__)


def json_answer(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response[bytes]:
    """Return `value` as JSON."""
    return Response(
        msgspec.json.encode(value),
        status_code=status,
        media_type=JSON,
        headers={**SAFE, "Cache-Control": "no-store", **(headers or {})},
    )


def tagged(
    request: AnyRequest,
    body: bytes,
    etag: str,
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """Return `body` under its entity tag, or 304 when whoever asks has it; to HEAD, the headers alone."""
    about = {**SAFE, "Cache-Control": "no-cache", **(headers or {}), "ETag": etag}
    if holds(request.headers.get("if-none-match"), etag):
        return Response(b"", status_code=304, headers=about)
    about["Content-Type"] = media_type  # as it is: the framework would add to it
    if request.method == "HEAD":
        return Response(b"", headers={**about, "Content-Length": str(len(body))})
    return Response(body, headers=about)


def holds(if_none_match: str | None, etag: str) -> bool:
    """Return whether an `If-None-Match` names `etag` (weak comparison, RFC 9110 13.1.2).

    >>> holds('"a", W/"b"', '"b"'), holds('"a"', '"b"'), holds(None, '"b"')
    (True, False, False)
    """
    if if_none_match is None:
        return False
    tags = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return "*" in tags or etag in tags


def problem_answer(problem: Problem) -> Response[bytes]:
    """Return the problem document."""
    return Response(
        msgspec.json.encode(problem.document),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers={**SAFE, "Cache-Control": "no-store", **problem.headers},
    )


def on_error(request: AnyRequest, error: Exception) -> Response[bytes]:
    """Answer whatever was raised; what is our mistake or the store's is logged, never shown."""
    problem = problem_of(error)
    if problem.kind == "internal":
        log.error("request_failed", method=request.method, problem=problem.kind, exc_info=error)
    elif problem.status >= SERVER_ERRORS and not isinstance(error, HTTPException):
        log.error("request_failed", method=request.method, problem=problem.kind, reason=str(error))
    if request.method == "HEAD":
        return Response(b"", status_code=problem.status, media_type=MEDIA_TYPE, headers=problem.headers)
    return problem_answer(problem)
