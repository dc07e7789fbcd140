"""The hash chain as a store handles it: making the next entries, and checking those that come or were kept.

Shared by both stores and by everybody who appends; does no I/O.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import NotRequired, TypedDict, TypeVar, Unpack

import msgspec

from events.codec import NotCanonical
from events.envelope import Recorded, Unreadable, admitted, encode
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


class _Place(msgspec.Struct, frozen=True):
    """As much of a stored entry as its place in the chain needs."""

    v: int
    prev: str


class _Origin(_Place, frozen=True):
    """That, and the command that it came from."""

    cause: str
    request: str


P = TypeVar("P", bound=_Place)

_place = msgspec.json.Decoder(_Place)
_origin = msgspec.json.Decoder(_Origin)


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
            recorded = admitted(entry, version)
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
    if not entries:
        return onto
    before = onto.version if onto else after
    previous = onto.hash if onto else _read(_place, tournament, entries[0], before + 1).prev
    version, decode = before, _place.decode
    for entry in entries:
        version += 1
        try:
            found = decode(entry)
        except (msgspec.DecodeError, UnicodeDecodeError):
            found = _read(_place, tournament, entry, version)  # says what is wrong
        if found.v != version or found.prev != previous:
            raise _out_of_place(tournament, version, found)
        previous = sha256(entry).hexdigest()
    return Head(version, previous)


def _out_of_place(tournament: str, version: int, found: _Place) -> LogBroken:
    if found.v != version:
        return LogBroken(tournament, version, f"the entry says that it is entry {found.v}")
    return LogBroken(tournament, version, "it does not follow the entry before it: one of them was changed")


def outrun(tournament: str, expected: Head, found: Head) -> VersionConflict | LogBroken:
    """Return why a writer that decided from `expected` may not append to a log whose head is `found`."""
    if found.version > expected.version:
        return VersionConflict(tournament, expected, found)
    if found.version < expected.version:
        reason = f"it ends here, but it was read up to version {expected.version} before"
    else:
        reason = "its last entry is not the one that was read before"
    return LogBroken(tournament, found.version, reason)


def outcomes_in(tournament: str, entries: Sequence[bytes]) -> dict[str, Outcome]:
    """Return what each command brought about, by command id, from the whole log: the idempotency table rebuilt.

    Raises `LogBroken` when a command stands at two places or with two requests, which no append writes.
    """
    outcomes: dict[str, Outcome] = {}
    for version, entry in enumerate(entries, start=1):
        found = _read(_origin, tournament, entry, version)
        known = outcomes.get(found.cause)
        if known is None:
            outcomes[found.cause] = Outcome(version, version, found.request)
        elif known.last == version - 1 and known.request == found.request:
            outcomes[found.cause] = Outcome(known.first, version, known.request)
        else:
            raise LogBroken(tournament, version, f"command {found.cause!r} stands in the log twice")
    return outcomes


def _read(decoder: msgspec.json.Decoder[P], tournament: str, entry: bytes, version: int) -> P:
    """Return what `entry`, stored as `version`, says of itself; raise `LogBroken`."""
    try:
        found = decoder.decode(entry)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LogBroken(tournament, version, f"the entry is not one of ours: {error}") from error
    if found.v != version:
        raise _out_of_place(tournament, version, found)
    return found
