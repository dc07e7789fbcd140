"""The envelope of every stored entry, and the hash chain through them.

An entry's bytes are canonical JSON of `Recorded`; `prev` holds the SHA-256 of the bytes before it, so whoever
holds the last hash holds the whole log.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from events.codec import ENTRY_BYTES_MAX, NotCanonical, canonical_bytes
from events.facts import AnyFact, Digest, Instant, Label, Version

GENESIS = "0" * 64  # `prev` of the first entry

CommandId = Annotated[str, Meta(min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$(?!\n)")]
AsStored = Annotated[str, Meta(min_length=1, max_length=200)]  # its form was checked when it came in


class Recorded(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One stored event: what happened, and when, by whom, as which version it was recorded.

    What an entry that comes in must look like besides, see `admitted`: patterns take most of the time of decoding, and a
    log is read far more often than it grows.
    """

    v: Version
    prev: AsStored  # Digest: SHA-256 of the previous entry's bytes; GENESIS for the first
    at: AsStored  # Instant, time of recording: never before the previous event's
    actor: Label
    cause: AsStored  # CommandId: the command that brought it about
    request: (
        AsStored  # Digest: of the command's canonical bytes, so that idempotency can be rebuilt from the log
    )
    fact: AnyFact
    reported_at: Instant | None = None  # when a human told an arbiter; what the appeal rule looks at
    device: Label | None = None
    device_time: Instant | None = None  # as the device said; never decides anything
    venue: str | None = None


class _Incoming(Recorded, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """An entry at the door of the log."""

    prev: Digest
    at: Instant
    cause: CommandId
    request: Digest


class Unreadable(ValueError):
    """Stored bytes that are not one of our events; `version` says where they stand."""

    def __init__(self, version: int, reason: str) -> None:
        super().__init__(f"entry {version} is not readable: {reason}")
        self.version = version
        self.reason = reason


_decoder = msgspec.json.Decoder(Recorded)
_incoming: msgspec.json.Decoder[Recorded] = msgspec.json.Decoder(_Incoming)


def encode(recorded: Recorded) -> bytes:
    """Return the canonical bytes of an entry; raise `NotCanonical` when it is too large or has no such form."""
    stored = canonical_bytes(recorded)
    if len(stored) > ENTRY_BYTES_MAX:
        raise NotCanonical("", f"{len(stored)} bytes, but an entry holds at most {ENTRY_BYTES_MAX}")
    return stored


def decode(stored: bytes, version: int, decoder: msgspec.json.Decoder[Recorded] = _decoder) -> Recorded:
    """Return the entry in `stored`; raise `Unreadable` unless it is whole and says that it is `version`."""
    try:
        recorded = decoder.decode(stored)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(version, str(error)) from error
    if recorded.v != version:
        raise Unreadable(version, f"it says that it is entry {recorded.v}")
    return recorded


def admitted(stored: bytes, version: int) -> Recorded:
    """Return the entry in `stored`, which is to become `version` of a log; raise `Unreadable` unless it may.

    That it is in canonical form is left to the caller.
    """
    return decode(stored, version, _incoming)
