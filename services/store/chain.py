"""The hash chain as a store handles it: making the next entries, and checking those that come or were kept.

Shared by both stores and by everybody who appends; does no I/O.
"""

from collections.abc import Sequence
from typing import NotRequired, TypedDict, Unpack

import msgspec

from events.codec import NotCanonical
from events.envelope import Recorded, Unreadable, decode, encode
from events.facts import AnyFact
from services.store.errors import LogBroken, NotAppendable, VersionConflict
from services.store.keys import check_cause, check_digest
from services.store.port import BATCH_MAX, Head, Outcome


class Circumstances(TypedDict):
    """What the envelopes of one command's entries have in common; see `Recorded`."""

    at: str
    actor: str
    cause: str
    request: str
    reported_at: NotRequired[str | None]
    device: NotRequired[str | None]
    device_time: NotRequired[str | None]
    venue: NotRequired[str | None]


class _Link(msgspec.Struct, frozen=True):
    """As much of a stored entry as its place in the chain needs."""

    v: int
    prev: str
    cause: str
    request: str


_link = msgspec.json.Decoder(_Link)


def link(facts: Sequence[AnyFact], onto: Head, **circumstances: Unpack[Circumstances]) -> list[bytes]:
    """Return the entries that record `facts` after `onto`, in that order, chained.

    Raises `NotCanonical` for a fact that is too large or has no canonical bytes.
    """
    entries: list[bytes] = []
    for fact in facts:
        entries.append(encode(Recorded(v=onto.version + 1, prev=onto.hash, fact=fact, **circumstances)))
        onto = onto.after(entries[-1])
    return entries


def check_batch(tournament: str, entries: Sequence[bytes], expected: Head, cause: str, request: str) -> Head:
    """Return the head of the log after `entries`; raise `NotAppendable` unless they are the next of a chain.

    Also checked: canonical bytes, the limits of an entry and of a batch, and that each entry names this command.
    """
    check_cause(cause)
    check_digest(request)
    if not 1 <= len(entries) <= BATCH_MAX:
        raise NotAppendable(tournament, f"{len(entries)} entries; a command appends 1 to {BATCH_MAX}")
    head = expected
    for entry in entries:
        version = head.version + 1
        try:
            recorded = decode(entry, version)
            canonical = encode(recorded) == entry
        except (Unreadable, NotCanonical) as error:
            raise NotAppendable(tournament, f"entry {version}: {error}") from error
        if not canonical:
            raise NotAppendable(tournament, f"entry {version} is not in canonical form")
        if recorded.prev != head.hash:
            raise NotAppendable(tournament, f"entry {version} does not follow the entry before it")
        if (recorded.cause, recorded.request) != (cause, request):
            raise NotAppendable(tournament, f"entry {version} names another command")
        head = head.after(entry)
    return head


def check_chain(tournament: str, entries: Sequence[bytes], onto: Head | None, after: int = 0) -> Head | None:
    """Return the head after `entries`, which follow `onto`, or version `after` of unknown hash when that is None.

    Raises `LogBroken` for the first entry that does not say its own version or not the hash of the one before.
    None comes back only when there are neither entries nor `onto`.
    """
    head = onto
    for version, entry in enumerate(entries, start=(onto.version if onto else after) + 1):
        found = read_link(tournament, entry, version)
        if head is not None and found.prev != head.hash:
            raise LogBroken(
                tournament, version, "it does not follow the entry before it: one of them was changed"
            )
        head = Head(version - 1, found.prev).after(entry)
    return head


def outrun(tournament: str, expected: Head, found: Head) -> VersionConflict | LogBroken:
    """Return why a writer that decided from `expected` may not append to a log whose head is `found`."""
    if found.version > expected.version:
        return VersionConflict(tournament, expected, found)
    if found.version < expected.version:
        reason = f"it ends here, but it was read up to version {expected.version} before"
    else:
        reason = "its last entry is not the one that was read before"
    return LogBroken(tournament, found.version, reason)


def read_link(tournament: str, entry: bytes, version: int) -> _Link:
    """Return the place in the chain that `entry`, stored as `version`, names; raise `LogBroken`."""
    try:
        found = _link.decode(entry)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LogBroken(tournament, version, f"the entry is not one of ours: {error}") from error
    if found.v != version:
        raise LogBroken(tournament, version, f"the entry says that it is entry {found.v}")
    return found


def outcomes_in(tournament: str, entries: Sequence[bytes]) -> dict[str, Outcome]:
    """Return what each command brought about, by command id, from the whole log: the idempotency table rebuilt.

    Raises `LogBroken` when a command stands at two places or with two requests, which no append writes.
    """
    outcomes: dict[str, Outcome] = {}
    for version, entry in enumerate(entries, start=1):
        found = read_link(tournament, entry, version)
        known = outcomes.get(found.cause)
        if known is None:
            outcomes[found.cause] = Outcome(version, version, found.request)
        elif known.last == version - 1 and known.request == found.request:
            outcomes[found.cause] = Outcome(known.first, version, known.request)
        else:
            raise LogBroken(tournament, version, f"command {found.cause!r} stands in the log twice")
    return outcomes
