"""The store: tournaments' logs on one server or in memory, and what their facts name by digest.

Everybody else imports from here, except the reader (`services.store.reader`) and the keys that a worker's
subscriptions need (`services.store.keys`).
"""

from services.store.chain import link
from services.store.errors import (
    BadName,
    BadStoreUrl,
    BlobBroken,
    BlobMissing,
    BlobTooLarge,
    ClockSkew,
    CommandClash,
    LogBroken,
    NotAppendable,
    PersonClash,
    RegisterBroken,
    StoreError,
    StoreMismatch,
    StoreRefused,
    StoreUnreachable,
    UnsafeServer,
    UnsupportedServer,
    VersionConflict,
)
from services.store.memory import MemoryStore
from services.store.port import EMPTY, Appended, Erased, EventStore, Head, Outcome
from services.store.redis_store import RedisStore

__all__ = [
    "EMPTY",
    "Appended",
    "BadName",
    "BadStoreUrl",
    "BlobBroken",
    "BlobMissing",
    "BlobTooLarge",
    "ClockSkew",
    "CommandClash",
    "Erased",
    "EventStore",
    "Head",
    "LogBroken",
    "MemoryStore",
    "NotAppendable",
    "Outcome",
    "PersonClash",
    "RedisStore",
    "RegisterBroken",
    "StoreError",
    "StoreMismatch",
    "StoreRefused",
    "StoreUnreachable",
    "UnsafeServer",
    "UnsupportedServer",
    "VersionConflict",
    "link",
]
