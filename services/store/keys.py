"""Names of keys: where a store keeps what, and which partition a tournament belongs to.

All keys of a partition share its hash tag, `{p07}`, so that they live in one slot of a cluster and one script
may touch them together (design section 6). Only checked ids become part of a key.
"""

import hashlib
import re

import msgspec

from services.store.errors import BadName

STORE_KEY = "es:store"  # the layout: format and number of partitions, fixed when the store is created
LOG_KEYS = "es:{p*"  # glob of every other key
FORMAT = 1
PARTITIONS_MAX = 1024

_TOURNAMENT = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")  # events.facts.TournamentId
_PLAYER = re.compile(r"[a-z0-9][a-z0-9-]{0,15}")  # events.facts.PlayerId
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CAUSE = re.compile(r"[\x21-\x7e]{1,200}")  # events.envelope.CommandId


class TournamentKeys(msgspec.Struct, frozen=True):
    """The keys of one tournament, and the two of its partition that an append also writes."""

    stream: str  # the log: ids `<version>-0`, one field `e`, the entry's bytes
    head: str  # hash: v version, h hash of the last entry, n number of commands carried out
    commands: str  # hash: command id → `first:last:request`; can be rebuilt from the log
    persons: str  # hash: player → personal record
    feed: str  # stream, the doorbell: fields `tournament` and `v`, for each append one
    index: str  # sorted set: tournament → version, for sweeps


def partition_of(tournament: str, partitions: int) -> int:
    """Return the partition of `tournament`, 0-based: the same for ever, on every machine.

    >>> partition_of("open-2026", 1), partition_of("open-2026", 16)
    (0, 9)
    """
    digest = hashlib.sha256(check_tournament(tournament).encode()).digest()
    return int.from_bytes(digest[:8], "big") % partitions


def tournament_keys(tournament: str, partitions: int) -> TournamentKeys:
    """Return the keys of `tournament` in a store of so many partitions; raise `BadName`."""
    partition = partition_of(tournament, partitions)
    tag = _tag(partition)
    return TournamentKeys(
        stream=f"{tag}:t:{tournament}",
        head=f"{tag}:h:{tournament}",
        commands=f"{tag}:i:{tournament}",
        persons=f"{tag}:r:{tournament}",
        feed=feed_key(partition),
        index=index_key(partition),
    )


def feed_key(partition: int) -> str:
    """Return the stream on which the appends of a partition are announced.

    >>> feed_key(7)
    'es:{p07}:feed'
    """
    return f"{_tag(partition)}:feed"


def index_key(partition: int) -> str:
    """Return the sorted set that names the tournaments of a partition."""
    return f"{_tag(partition)}:index"


def blob_key(tournament: str, digest: str, partitions: int) -> str:
    """Return where the blob with `digest` is kept; a partition's tournaments share equal blobs."""
    return f"{_tag(partition_of(tournament, partitions))}:blob:{check_digest(digest)}"


def check_tournament(tournament: str) -> str:
    """Return `tournament` when it is the id of one; raise `BadName`."""
    return _check(_TOURNAMENT, tournament, "a tournament id")


def check_player(player: str) -> str:
    """Return `player` when it is the id of one; raise `BadName`."""
    return _check(_PLAYER, player, "a player id")


def check_digest(digest: str) -> str:
    """Return `digest` when it is a SHA-256 in lower-case hexadecimal; raise `BadName`."""
    return _check(_DIGEST, digest, "a SHA-256 digest")


def check_cause(cause: str) -> str:
    """Return `cause` when it is a command id; raise `BadName`."""
    return _check(_CAUSE, cause, "a command id")


def _check(pattern: re.Pattern[str], value: str, what: str) -> str:
    if not pattern.fullmatch(value):
        raise BadName(what, value)
    return value


def _tag(partition: int) -> str:
    return f"es:{{p{partition:02d}}}"
