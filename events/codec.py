"""Canonical bytes of events: what is stored, hashed and, years later, verified.

The form is JSON as RFC 8785 writes it, reached by staying inside a subset where sorting ASCII keys and writing
integers is all there is to do: ASCII snake_case keys, no floats, integers below 2^53, absent rather than null.
The stored bytes are the truth; nothing is ever re-serialised to verify them.
"""

import hashlib
import re
from typing import TypeVar

import msgspec

ENTRY_BYTES_MAX = 60_000  # below the 65,535 of a transparency-log entry (C2SP tlog-tiles), with room to spare
INTEGER_MAX = 2**53 - 1  # the largest integer that every JSON reader keeps exact (RFC 8785, section 3.2.2.3)

_encoder = msgspec.json.Encoder(order="sorted")
_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")

T = TypeVar("T")


class NotCanonical(ValueError):
    """A value that has no canonical bytes; `path` says where in the value it stands."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path or 'the value'}: {reason}")
        self.path = path
        self.reason = reason


def canonical_bytes(value: object) -> bytes:
    """Return the canonical JSON of `value`, a struct or plain JSON data.

    Raises `NotCanonical` for what the form excludes (floats, nulls, large integers, odd keys, lone surrogates).
    """
    _assert_canonical(msgspec.to_builtins(value), "")
    return _encoder.encode(value)


def sha256_hex(content: bytes) -> str:
    """Return the SHA-256 of `content`, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _assert_canonical(value: object, path: str) -> None:
    match value:
        case bool():
            pass
        case str():
            if any("\ud800" <= char <= "\udfff" for char in value):
                raise NotCanonical(path, "text holds a lone surrogate, which UTF-8 cannot carry")
        case int():
            if abs(value) > INTEGER_MAX:
                raise NotCanonical(path, f"{value} is outside the integers that JSON keeps exact")
        case list() | tuple():
            for index, item in enumerate(value):
                _assert_canonical(item, f"{path}[{index}]")
        case dict():
            for key, item in value.items():
                if not isinstance(key, str) or not _KEY.match(key):
                    raise NotCanonical(path, f"key {key!r} is not ASCII snake_case")
                _assert_canonical(item, f"{path}.{key}" if path else key)
        case None:
            raise NotCanonical(path, "null is not stored; leave the field out")
        case _:
            raise NotCanonical(path, f"{type(value).__name__} is not stored")
