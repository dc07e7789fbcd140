"""Bearer tokens: who may give which commands to which tournaments, from a file that holds only their digests.

The file is TOML, one `[[token]]` a token. It is read again when it changes; while it cannot be read, the tokens
read last stand. The name of a token is the `actor` of what is done with it.
"""

import hmac
import os
import secrets
import tomllib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

import msgspec
import structlog
from msgspec import Meta

from events.codec import sha256_hex
from events.facts import Digest, Instant
from rules.instants import NoSuchInstant, milliseconds
from services.gateway.problems import Problem
from services.wallclock import Clock, wall_clock

LOOK_EVERY_MS = 1_000  # at the file
TOKEN_BYTES = 32
PREFIX = "tirage_"  # so that a token that leaked is recognised as one
OPERATE = "operate"  # the scope of metrics and of health in detail

Name = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$(?!\n)")]
Scope = Annotated[str, Meta(pattern=r"^(command:(\*|[a-z-]+)|operate)$(?!\n)")]

log = structlog.get_logger(__name__)


class Grant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What somebody may do."""

    name: Name
    scopes: tuple[Scope, ...] = ()
    tournaments: tuple[str, ...] = ("*",)  # patterns of ids, as in a shell
    expires: Instant | None = None

    def may_command(self, kind: str) -> bool:
        """Return whether commands of the kind may be given."""
        return "command:*" in self.scopes or f"command:{kind}" in self.scopes

    def covers(self, tournament: str) -> bool:
        """Return whether the token is for `tournament`."""
        return any(fnmatchcase(tournament, pattern) for pattern in self.tournaments)


class Token(Grant, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A grant, and the digest of the token that it is given for; the token itself is nowhere."""

    sha256: Digest


class _File(msgspec.Struct, forbid_unknown_fields=True):
    token: tuple[Token, ...] = ()


class TokensUnusable(Exception):
    """The file of tokens cannot be read or understood."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"tokens in {path}: {reason}")
        self.reason = reason


class Tokens:
    """The tokens of a file."""

    def __init__(self, path: Path, clock: Clock = wall_clock) -> None:
        self._path = path
        self._clock = clock
        self._mark = _mark(path)
        self._tokens = read(path)
        self._looked_at = clock()

    def token(self, authorization: str | None) -> Token:
        """Return the token that an `Authorization` header presents; raise `Problem` (401)."""
        self._look()
        if authorization is None:
            raise _not_authenticated("a bearer token is needed")
        scheme, _, presented = authorization.partition(" ")
        if scheme.lower() != "bearer":
            raise _not_authenticated("a bearer token is needed")
        found = self._find(sha256_hex(presented.strip().encode(errors="replace")))
        if found is None or (found.expires and milliseconds(found.expires) <= self._clock()):
            raise _not_authenticated("the token is unknown or expired", error="invalid_token")
        return found

    def reload(self) -> None:
        """Read the file again, now; keep what there was when that fails."""
        self._mark = _mark(self._path)
        try:
            self._tokens = read(self._path)
        except TokensUnusable as error:
            log.error("tokens_not_read", reason=error.reason, kept=len(self._tokens))  # noqa: TRY400 - the reason says it
            return
        log.info("tokens_read", tokens=len(self._tokens))

    def _look(self) -> None:
        now = self._clock()
        if abs(now - self._looked_at) < LOOK_EVERY_MS:
            return
        self._looked_at = now
        if _mark(self._path) != self._mark:
            self.reload()

    def _find(self, digest: str) -> Token | None:
        found = None
        for token in self._tokens:  # to the end, so that the time says nothing about where it stands
            if hmac.compare_digest(token.sha256, digest):
                found = token
        return found


def read(path: Path) -> tuple[Token, ...]:
    """Return the tokens in the file; raise `TokensUnusable`."""
    try:
        content = tomllib.loads(path.read_text())
        tokens = msgspec.convert(content, _File).token
        for token in tokens:
            milliseconds(token.expires or "1970-01-01T00:00:00Z")
    except OSError as error:
        raise TokensUnusable(path, error.strerror or "not readable") from error
    except (ValueError, NoSuchInstant) as error:  # of TOML, of text encoding, of msgspec
        raise TokensUnusable(path, str(error)) from None
    names = [token.name for token in tokens]
    if twice := {name for name in names if names.count(name) > 1}:
        raise TokensUnusable(path, f"{', '.join(sorted(twice))} stands there twice")
    return tokens


def new_token(path: Path, grant: Mapping[str, object]) -> str:
    """Add a token to the file, which is made when it is not there, and return it: it cannot be seen again.

    `grant` has the fields of `Grant`. Raises `TokensUnusable`.
    """
    known = read(path) if path.exists() else ()
    presented = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    try:
        token = msgspec.convert({**grant, "sha256": sha256_hex(presented.encode())}, Token)
        milliseconds(token.expires or "1970-01-01T00:00:00Z")
    except ValueError as error:
        raise TokensUnusable(path, str(error)) from None
    if any(other.name == token.name for other in known):
        raise TokensUnusable(path, f"{token.name} is there already")
    _append(path, token)
    return presented


def _append(path: Path, token: Token) -> None:
    lines = [
        f"{key} = {msgspec.json.encode(value).decode()}" for key, value in msgspec.to_builtins(token).items()
    ]
    block = "\n".join(["[[token]]", *lines, ""])
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        with os.fdopen(descriptor, "a") as file:
            file.write(block if not path.stat().st_size else "\n" + block)
    except OSError as error:
        raise TokensUnusable(path, error.strerror or "not writable") from error


def _mark(path: Path) -> tuple[int, int, int] | None:
    """Return what changes when the file does."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _not_authenticated(detail: str, error: str = "") -> Problem:
    challenge = 'Bearer realm="tirage"' + (f', error="{error}"' if error else "")
    return Problem("not-authenticated", detail, headers={"WWW-Authenticate": challenge})
