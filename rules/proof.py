"""Seals and digests of pairings: what fixes a pairing before anyone may see it (design section 5).

The seal commits to the output with a secret salt: publishing both opens it. It proves that the pairing was fixed
when it was sealed, not that nobody could guess it.
"""

from events.codec import canonical_bytes, sha256_hex
from rules.swiss.pairing_input import PairingInput, PairingOutput

SALT_DOMAIN = b"tirage seal salt 1\n"  # what the seal key is asked to authenticate begins with this
SEAL_DOMAIN = b"tirage pairing seal 1\n"


def input_digest(pairing_input: PairingInput) -> str:
    """Return the SHA-256 of the canonical bytes of what the engine saw."""
    return sha256_hex(canonical_bytes(pairing_input))


def output_digest(output: PairingOutput) -> str:
    """Return the SHA-256 of the canonical bytes of a pairing."""
    return sha256_hex(canonical_bytes(output))


def seal(salt: str, output: PairingOutput) -> str:
    """Return the commitment to `output`: SHA-256 of domain, salt (32 bytes, given in hexadecimal) and output."""
    return sha256_hex(SEAL_DOMAIN + bytes.fromhex(salt) + canonical_bytes(output))


def salt_message(tournament: str, round_: int, attempt: int) -> bytes:
    """Return what the seal key authenticates (HMAC-SHA-256) to make the salt of one attempt at one round."""
    return SALT_DOMAIN + f"{tournament}\n{round_}\n{attempt}\n".encode()
