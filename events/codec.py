"""Canonical bytes of events: what is stored, hashed and, years later, verified.

The form is JSON as RFC 8785 writes it, reached by staying inside a subset where sorting ASCII keys and writing
integers is all there is to do: ASCII snake_case keys, no floats, integers below 2^53, absent rather than null.
The stored bytes are the truth; nothing is ever re-serialised to verify them.
"""

import hashlib
import re
from functools import cache

import msgspec

ENTRY_BYTES_MAX = 60_000  # below the 65,535 of a transparency-log entry (C2SP tlog-tiles), with room to spare
INTEGER_MAX = 2**53 - 1  # the largest integer that every JSON reader keeps exact (RFC 8785, section 3.2.2.3)

_encoder = msgspec.json.Encoder(order="sorted")
_KEY = re.compile(r"[a-z][a-z0-9_]*\Z")


class NotCanonical(ValueError):
    """A value that has no canonical bytes; `path` says where in the value it stands."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path or 'the value'}: {reason}")
        self.path = path
        self.reason = reason


def canonical_bytes(value: object) -> bytes:
    """Return the canonical JSON of `value`, a struct or plain JSON data.

    A field that equals its default is left out, where the struct says so. Raises `NotCanonical` for what the form
    excludes (floats, nulls, large integers, odd keys, lone surrogates).
    """
    return _encoder.encode(_plain(value, ""))


def sha256_hex(content: bytes) -> str:
    """Return the SHA-256 of `content`, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _plain(value: object, path: str) -> object:
    match value:
        case bool():
            return value
        case str():
            if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
                raise NotCanonical(path, "text holds a lone surrogate, which UTF-8 cannot carry")
            return value
        case int():
            if abs(value) > INTEGER_MAX:
                raise NotCanonical(path, f"{value} is outside the integers that JSON keeps exact")
            return value
        case list() | tuple():
            return [_plain(item, f"{path}[{index}]") for index, item in enumerate(value)]
        case dict():
            return _plain_fields(value, path)
        case msgspec.Struct():
            return _plain_fields(_fields(value), path)
        case None:
            raise NotCanonical(path, "null is not stored; leave the field out")
        case _:
            raise NotCanonical(path, f"{type(value).__name__} is not stored")


def _plain_fields(fields: dict[str, object], path: str) -> dict[str, object]:
    for key in fields:
        if not isinstance(key, str) or not _KEY.match(key):
            raise NotCanonical(path, f"key {key!r} is not ASCII snake_case")
    return {key: _plain(item, f"{path}.{key}" if path else key) for key, item in fields.items()}


def _fields(struct: msgspec.Struct) -> dict[str, object]:
    """Return tag and fields of a struct, without those that equal their default.

    msgspec's own `omit_defaults` compares by identity, so that equal facts could have different bytes.
    """
    tag, names, defaults = _shape(type(struct))
    fields = {name: getattr(struct, name) for name in names}
    return tag | {
        name: item for name, item in fields.items() if name not in defaults or item != defaults[name]
    }


@cache
def _shape(kind: type[msgspec.Struct]) -> tuple[dict[str, object], tuple[str, ...], dict[str, object]]:
    """Return the tag, the field names and the defaults to be left out of one kind of struct."""
    config = kind.__struct_config__
    tag: dict[str, object] = {config.tag_field: config.tag} if config.tag_field else {}
    defaults: dict[str, object] = {}
    for field in msgspec.structs.fields(kind) if config.omit_defaults else ():
        if field.default is not msgspec.NODEFAULT:
            defaults[field.name] = field.default
        elif field.default_factory is not msgspec.NODEFAULT:
            defaults[field.name] = field.default_factory()
    return tag, kind.__struct_fields__, defaults
