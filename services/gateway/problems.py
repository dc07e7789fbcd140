"""Problem documents (RFC 9457): what every refusal and failure looks like over HTTP. No internals ever show.

A refusal by the rules is a conflict with the state of the tournament (409), whatever the rule; its fields stand
under `fields`, its article, where one is behind it, under `article`. The types are listed at `/problems`.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import structlog
from litestar.exceptions import HTTPException

from events.codec import NotCanonical
from rules.refusals import NotAnnounced, RuleViolation
from services.gateway.commands import TooManyWaiting, VersionHasMoved
from services.store.errors import (
    BadName,
    ClockSkew,
    CommandClash,
    LogBroken,
    PersonClash,
    StoreRefused,
    StoreUnreachable,
    VersionConflict,
)

MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_S = 2

_STATUS_OF_REFUSAL: dict[type[RuleViolation], int] = {NotAnnounced: 404, VersionHasMoved: 412}

log = structlog.get_logger(__name__)


class Kind(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One type of problem. `type` is a reference relative to the service's own address."""

    type: str
    title: str
    status: int
    article: str = ""


class Document(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer that tells of a problem."""

    type: str
    title: str
    status: int
    detail: str
    article: str = ""  # of the rule behind it
    path: str = ""  # where in the request, e.g. `$.player` or a header's name
    fields: dict[str, Any] = {}  # what the reason is about


class Problem(Exception):
    """An answer that tells of a problem, on its way out."""

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        path: str = "",
        fields: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.headers = dict(headers or {})
        about = KINDS[kind]
        self.document = Document(
            type=about.type,
            title=about.title,
            status=about.status,
            detail=detail,
            article=about.article,
            path=path,
            fields=dict(fields or {}),
        )

    @property
    def status(self) -> int:
        """The status code of the answer."""
        return self.document.status


def problem_of(error: Exception) -> Problem:
    """Return the problem that `error` is to whoever asked."""
    match error:
        case Problem():
            return error
        case RuleViolation():
            return Problem(error.kind(), error.text.format(**error.fields()), fields=error.fields())
        case msgspec.ValidationError():
            return Problem("not-understood", _without_path(error), path=_path(error))
        case msgspec.DecodeError() | UnicodeDecodeError():
            return Problem("not-json", "the body is not JSON in UTF-8")
        case NotCanonical():
            return Problem("not-storable", error.reason, path=error.path)
        case HTTPException():
            return _of_http(error)
        case _:
            return _of_store(error)


def _of_store(error: Exception) -> Problem:
    later = {"Retry-After": str(RETRY_AFTER_S)}
    match error:
        case CommandClash():
            return Problem(
                "command-id-taken",
                "this Idempotency-Key was used for another request",
                fields={"first": error.first, "last": error.last},
            )
        case VersionConflict():
            return Problem("version-conflict", "other writers were faster every time", headers=later)
        case TooManyWaiting():
            return Problem(
                "too-many-waiting", "the commands before this one take too long; send it again", headers=later
            )
        case StoreUnreachable():
            return Problem(
                "store-unreachable",
                "the store does not answer; send the command again with the same Idempotency-Key",
                headers=later,
            )
        case StoreRefused():
            return Problem("store-refuses", "the store takes nothing at present", headers=later)
        case ClockSkew():
            return Problem(
                "clock-skew",
                "this server's clock and the store's differ too much to record anything",
                fields={"skew_ms": error.skew_ms},
                headers=later,
            )
        case LogBroken():
            return Problem("log-broken", "the log of this tournament is not as it was written")
        case PersonClash():
            return Problem("person-clash", "the player is registered with another personal record")
        case BadName():
            return Problem("no-such-tournament", "there is no such tournament")
        case _:
            return Problem("internal", "our mistake; it is in the log of the service")


def _of_http(error: HTTPException) -> Problem:
    kind = _KIND_OF_STATUS.get(error.status_code, "bad-request")
    headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    return Problem(kind, KINDS[kind].title.lower(), headers=headers)


def _path(error: msgspec.ValidationError) -> str:
    found = re.search(r" - at `(?:key in )?(.+)`$", str(error))
    return found[1] if found else "$"


def _without_path(error: msgspec.ValidationError) -> str:
    return re.sub(r" - at `.+`$", "", str(error))


def _title(kind: type[RuleViolation]) -> str:
    return (kind.__doc__ or "").partition("\n")[0].rstrip(".")


def _refusals(base: type[RuleViolation]) -> list[type[RuleViolation]]:
    return [found for kind in base.__subclasses__() for found in (kind, *_refusals(kind))]


_OTHERS = (
    ("bad-request", 400, "The request is malformed"),
    ("not-json", 400, "The body is not JSON"),
    ("not-understood", 400, "The request says something else than it may"),
    ("not-storable", 400, "The text cannot be stored"),
    ("not-authenticated", 401, "No valid token came with the request"),
    ("not-authorised", 403, "The token does not extend to this"),
    ("not-found", 404, "There is nothing here"),
    ("no-such-tournament", 404, "There is no such tournament"),
    ("no-such-view", 404, "There is no such view, or not yet"),
    ("method-not-allowed", 405, "The method is not offered here"),
    ("version-conflict", 409, "Other writers were faster"),
    ("person-clash", 409, "The player is registered with another personal record"),
    ("too-large", 413, "The body is too large"),
    ("not-json-type", 415, "The body must be application/json"),
    ("command-id-taken", 422, "The Idempotency-Key was used for another request"),
    ("internal", 500, "The service made a mistake"),
    ("log-broken", 500, "The log of the tournament is broken"),
    ("stopping", 503, "The service is being stopped"),
    ("too-many-waiting", 503, "Too many commands wait"),
    ("store-unreachable", 503, "The store does not answer"),
    ("store-refuses", 503, "The store takes nothing at present"),
    ("clock-skew", 503, "The clocks differ too much"),
)
_KIND_OF_STATUS = {404: "not-found", 405: "method-not-allowed", 413: "too-large", 500: "internal"}

KINDS: dict[str, Kind] = {
    name: Kind(type=f"/problems/{name}", title=title, status=status) for name, status, title in _OTHERS
} | {
    kind.kind(): Kind(
        type=f"/problems/{kind.kind()}",
        title=_title(kind),
        status=_STATUS_OF_REFUSAL.get(kind, 409),
        article=kind.article,
    )
    for kind in _refusals(RuleViolation)
}
