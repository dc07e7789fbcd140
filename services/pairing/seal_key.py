"""The key that makes the salts of seals: in a file that only its owner can read, made when there is none.

Whoever has it can open seals before their time; without it no sealed pairing can be published. The store remembers
the key's digest, so that a worker with another one says so at its start, and not when a round cannot be opened.
"""

import os
import secrets
from pathlib import Path

import structlog

from events.codec import sha256_hex
from services.store.connection import Connection
from services.store.keys import STORE_KEY

KEY_BYTES = 32
FIELD = "seal_key"  # of the store's layout: which key its seals are made with
FOR_OTHERS = 0o077

log = structlog.get_logger(__name__)


class SealKeyUnusable(Exception):
    """The key cannot be read, or made, or is not a key."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"seal key {path}: {reason}")
        self.path = path
        self.reason = reason


def seal_key(path: Path) -> bytes:
    """Return the key in the file `path`, which is made, with its directory, when it is not there.

    Raises `SealKeyUnusable`.
    """
    try:
        if not path.exists():
            _make(path)
        key = path.read_bytes()
        mode = path.stat().st_mode
    except OSError as error:
        raise SealKeyUnusable(path, error.strerror or str(error)) from error
    if len(key) != KEY_BYTES:
        raise SealKeyUnusable(path, f"it must hold {KEY_BYTES} bytes, it holds {len(key)}")
    if mode & FOR_OTHERS:
        log.warning("seal_key_readable_by_others", path=str(path), mode=f"{mode & 0o777:04o}")
    return key


async def claim(connection: Connection, path: Path, key: bytes) -> None:
    """Note in the store that its seals are made with `key`; raise `SealKeyUnusable` when they are with another."""
    digest = sha256_hex(b"tirage seal key " + key)  # of 32 random bytes: it tells nobody the key
    _, noted = await connection.transaction(
        FIELD, ("HSETNX", STORE_KEY, FIELD, digest), ("HGET", STORE_KEY, FIELD)
    )
    if noted != digest.encode():
        raise SealKeyUnusable(
            path,
            f"the store at {connection.address} is sealed with another key: give its file with --seal-key. "
            f"Only if that is lost for good, delete the field {FIELD} of {STORE_KEY}; rounds sealed with it cannot "
            "be published then, only be paired anew once their cutoff moves",
        )


def _make(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)  # whole or not at all, and never over a key that another start has just made
        except FileExistsError:
            return
    finally:
        draft.unlink()
    _sync_directory(path.parent)
    log.info("seal_key_made", path=str(path))


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
