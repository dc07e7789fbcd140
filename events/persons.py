"""Personal records and their commitments: the log holds only the digest, the register beside it the record.

Erasing the record with its salt leaves every proof valid and the person gone (design section 4).
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from events.codec import canonical_bytes, sha256_hex

SALT_BYTES = 32


class PersonRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who a player is. The salt keeps the commitment from being guessed."""

    name: Annotated[str, Meta(min_length=1, max_length=200)]
    salt: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
    birth_date: Annotated[str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$(?!\n)")] | None = None
    contact: Annotated[str, Meta(max_length=500)] | None = None


def commitment(record: PersonRecord) -> str:
    """Return the salted SHA-256 that stands for `record` in the log; the salt is one of its fields."""
    return sha256_hex(canonical_bytes(record))
