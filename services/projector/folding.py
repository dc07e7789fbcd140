"""From stored entries to what is shown: a fold, encoded. Pure, so that it may run in any thread.

The same log gives the same bytes, in however many pieces it is read.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from events.codec import canonical_bytes, sha256_hex
from events.envelope import Recorded
from projections import AnyView, Known, Told, messages, project, views
from rules.state import ImpossibleHistory
from services.projector.shelf import Change, Mark, Seen
from services.projector.views import stored_form
from services.store.errors import LogBroken
from services.store.port import EMPTY, Head
from services.store.reader import decoded

_encoder = msgspec.json.Encoder(order="sorted")


class Copy(msgspec.Struct, frozen=True):
    """A tournament as the projections know it after the entries up to `head`."""

    head: Head = EMPTY
    known: Known = Known()
    digests: Mapping[str, bytes] = {}  # of its views, by name


NOTHING = Copy()


def base_of(copy: Copy, seen: Seen) -> Copy:
    """Return where reading must begin: at `copy`, unless something before it is still to be told or checked."""
    needed = min(seen.ours.version, seen.mark.version)
    return copy if copy.head.version <= needed else NOTHING


def check_history(tournament: str, base: Copy, entries: Sequence[bytes], seen: Seen) -> None:
    """Raise `LogBroken` unless the log, `base` and the `entries` after it, holds all that was shown of it."""
    end = base.head.version + len(entries)
    if seen.mark.version > end:
        raise LogBroken(
            tournament, end, f"it ends here, and it is published up to version {seen.mark.version}"
        )
    for made in (seen.shown, seen.ours):
        if made.version > end:
            raise LogBroken(
                tournament, end, f"it ends here, and its views are made up to version {made.version}"
            )
        if made.version >= base.head.version and made != _head_at(base, entries, made.version):
            raise LogBroken(
                tournament, made.version, "the entry is not the one that its views are made up to"
            )


def make(
    tournament: str, base: Copy, entries: Sequence[bytes], mark: Mark, there: Copy | None
) -> tuple[Copy, Change]:
    """Fold `entries`, which follow `base`, and return what is to be shown, and told after `mark`.

    `there`: what the views that stand in the server were made of; None when that is not known, and they are to be
    replaced. Raises `LogBroken` for a log that no decider wrote.
    """
    known = base.known
    lines: list[bytes] = []
    for recorded in decoded(tournament, entries, base.head):
        before, known = known, _projected(tournament, known, recorded)
        if recorded.v > mark.version:
            lines += _lines(before, known, recorded, mark.told + len(lines))
    head = _head_at(base, entries, base.head.version + len(entries))
    digests, changed = _encoded(known, there)
    change = Change(
        head=head,
        mark=Mark(max(head.version, mark.version), mark.told + len(lines)),
        views=changed,
        gone=sorted((there or NOTHING).digests.keys() - digests.keys()),
        before=None if there is None else len(there.digests),
        messages=lines,
    )
    return Copy(head, known, digests), change


def as_written(view: AnyView) -> bytes:
    """Return the JSON of a view: keys in order, so that equal views have equal bytes."""
    return _encoder.encode(view)


def _encoded(known: Known, there: Copy | None) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the digests of all views, and those that differ from what is `there`, as they are stored."""
    same = {} if there is None else {f"boards:{boards.round}": boards for boards in there.known.rounds}
    digests, changed = {}, {}
    for name, view in views(known).items():
        if there is not None and same.get(name) is view:
            digests[name] = there.digests[
                name
            ]  # a round in which nothing new is to be seen is not encoded again
            continue
        stored, digests[name] = stored_form(as_written(view))
        if there is None or there.digests.get(name) != digests[name]:
            changed[name] = stored
    return digests, changed


def _head_at(base: Copy, entries: Sequence[bytes], version: int) -> Head:
    if version == base.head.version:
        return base.head
    return Head(version, sha256_hex(entries[version - base.head.version - 1]))


def _projected(tournament: str, known: Known, recorded: Recorded) -> Known:
    try:
        return project(known, recorded)
    except ImpossibleHistory as error:
        raise LogBroken(tournament, error.version, error.reason) from error


def _lines(before: Known, after: Known, recorded: Recorded, told: int) -> Iterator[bytes]:
    for n, message in enumerate(messages(before, after, recorded), start=told + 1):
        yield canonical_bytes(Told(n=n, at=recorded.at, message=message))
