"""Where views and public streams are kept, in the partition of their tournament.

Views live in a generation: a rebuild makes the next one beside the present one and then moves the pointer to it.
The public stream belongs to no generation; it is never written anew.
"""

import re

import msgspec

from services.store.keys import check_tournament, partition_of

FIRST_GENERATION = "first"  # while no pointer says otherwise; apply.lua knows it, too
ETAG_LENGTH = 32  # of what stands before the body of a stored view
VIEW_KEYS = "es:{p*}:view:*"  # glob of all keys here but the public streams

_OF_GENERATION = re.compile(r"es:\{p(?P<partition>\d+)\}:view:(?P<generation>[a-z0-9-]+)([:.].*)?")
_OF_NO_GENERATION = {"current", "published", "hold"}


class ViewKeys(msgspec.Struct, frozen=True):
    """The keys of the views of one tournament in one generation."""

    current: str  # string: the generation that is shown
    views: str  # hash: name → etag and body; v, h: version and hash of the entry that they are made up to
    summaries: str  # hash: tournament → summary, for the list of all
    versions: str  # hash: tournament → version that its views are made up to
    public: str  # stream, ids `<n>-0`, one field `e`: a public message
    published: str  # hash: tournament → `v:n`: up to version v of the log, n public messages were written
    hold: str  # string that expires: while it is there, nobody writes to the generation that is shown


def view_keys(tournament: str, partitions: int, generation: str) -> ViewKeys:
    """Return the keys of `tournament` in a store of so many partitions; raise `BadName`.

    >>> view_keys("open-2026", 16, "first").views
    'es:{p09}:view:first:open-2026'
    """
    partition = partition_of(check_tournament(tournament), partitions)
    summaries = summaries_key(partition, generation)
    return ViewKeys(
        current=current_key(partition),
        views=f"{summaries}:{tournament}",
        summaries=summaries,
        versions=versions_key(partition, generation),
        public=f"es:{{p{partition:02d}}}:pub:{tournament}",
        published=published_key(partition),
        hold=hold_key(partition),
    )


def current_key(partition: int) -> str:
    """Return the string that names the generation shown."""
    return f"es:{{p{partition:02d}}}:view:current"


def published_key(partition: int) -> str:
    """Return the hash that says up to which version each log of a partition is published."""
    return f"es:{{p{partition:02d}}}:view:published"


def hold_key(partition: int) -> str:
    """Return the string that has the writers of a partition wait while its pointer is moved."""
    return f"es:{{p{partition:02d}}}:view:hold"


def versions_key(partition: int, generation: str) -> str:
    """Return the hash of the versions that the views of a partition are made up to."""
    return f"{summaries_key(partition, generation)}.versions"  # no id of a tournament begins with a dot


def summaries_key(partition: int, generation: str) -> str:
    """Return the hash of a partition's summaries; the keys of its views begin with it."""
    return f"es:{{p{partition:02d}}}:view:{generation}"


def generation_of(key: str) -> tuple[int, str] | None:
    """Return the partition and the generation that `key` belongs to; None for any other key.

    >>> generation_of("es:{p07}:view:2-ab:open"), generation_of("es:{p07}:view:2-ab.versions")
    ((7, '2-ab'), (7, '2-ab'))
    >>> generation_of("es:{p07}:view:current"), generation_of("es:{p07}:t:open")
    (None, None)
    """
    found = _OF_GENERATION.fullmatch(key)
    if found is None or found["generation"] in _OF_NO_GENERATION:
        return None
    return int(found["partition"]), found["generation"]
