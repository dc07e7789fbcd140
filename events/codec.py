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

    def below(self, place: str) -> "NotCanonical":
        """Return the same for a value in which this one stands at `place`, a key or `[index]`."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        return NotCanonical(f"{place}{joint}{self.path}", self.reason)


def canonical_bytes(value: object) -> bytes:
    """Return the canonical JSON of `value`, a struct or plain JSON data.

    A field that equals its default is left out, where the struct says so. Raises `NotCanonical` for what the form
    excludes (floats, nulls, large integers, odd keys, lone surrogates).
    """
    return _encoder.encode(_plain(value))


def sha256_hex(content: bytes) -> str:
    """Return the SHA-256 of `content`, 64 lower-case hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def _plain(value: object) -> object:
    """Return `value` as JSON data; every event passes here, so the common kinds come first."""
    match value:
        case str():
            if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
                raise NotCanonical("", "text holds a lone surrogate, which UTF-8 cannot carry")
            return value
        case bool():
            return value
        case int():
            if not -INTEGER_MAX <= value <= INTEGER_MAX:
                raise NotCanonical("", f"{value} is outside the integers that JSON keeps exact")
            return value
        case msgspec.Struct():
            return _plain_struct(value)
        case list() | tuple():
            return _plain_items(value)
        case dict():
            return _plain_fields(value)
        case None:
            raise NotCanonical("", "null is not stored; leave the field out")
        case _:
            raise NotCanonical("", f"{type(value).__name__} is not stored")


def _plain_struct(struct: msgspec.Struct) -> dict[str, object]:
    """Return tag and fields of a struct, without those that equal their default.

    msgspec's own `omit_defaults` compares by identity, so that equal facts could have different bytes.
    """
    tag, names, defaults = _shape(type(struct))
    plain = tag.copy()
    for name in names:
        item = getattr(struct, name)
        if name in defaults and item == defaults[name]:
            continue
        try:
            plain[name] = _plain(item)
        except NotCanonical as error:
            raise error.below(name) from None
    return plain


def _plain_fields(fields: dict[str, object]) -> dict[str, object]:
    plain = {}
    for key, item in fields.items():
        if not isinstance(key, str) or not _KEY.match(key):
            raise NotCanonical("", f"key {key!r} is not ASCII snake_case")
        try:
            plain[key] = _plain(item)
        except NotCanonical as error:
            raise error.below(key) from None
    return plain


def _plain_items(items: list[object] | tuple[object, ...]) -> list[object]:
    plain = []
    for index, item in enumerate(items):
        try:
            plain.append(_plain(item))
        except NotCanonical as error:
            raise error.below(f"[{index}]") from None
    return plain


@cache
def _shape(kind: type[msgspec.Struct]) -> tuple[dict[str, object], tuple[str, ...], dict[str, object]]:
    """Return the tag, the field names and the defaults to be left out of one kind of struct."""
    config = kind.__struct_config__
    tag: dict[str, object] = {config.tag_field: config.tag} if config.tag_field else {}
    for name in (*tag, *kind.__struct_fields__):
        if not _KEY.match(name):
            raise NotCanonical("", f"key {name!r} is not ASCII snake_case")
    defaults: dict[str, object] = {}
    for field in msgspec.structs.fields(kind) if config.omit_defaults else ():
        if field.default is not msgspec.NODEFAULT:
            defaults[field.name] = field.default
        elif field.default_factory is not msgspec.NODEFAULT:
            defaults[field.name] = field.default_factory()
    return tag, kind.__struct_fields__, defaults
