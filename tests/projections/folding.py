"""Folding logs into views and public messages, and what is stored of them."""

from collections.abc import Iterable, Mapping

import msgspec

from events.envelope import Recorded
from projections import Known, Told, messages, project, views

_canonical = msgspec.json.Encoder(order="sorted")


def folded(history: Iterable[Recorded], known: Known | None = None) -> Known:
    """Return what the projections know after `history`, oldest first."""
    known = known or Known()
    for entry in history:
        known = project(known, entry)
    return known


def shown(known: Known) -> dict[str, bytes]:
    """Return the bytes of every view."""
    return {name: _canonical.encode(view) for name, view in views(known).items()}


def public(known: Known) -> dict[str, bytes]:
    """Return the bytes of every view but the one of the seals."""
    return without_seals(shown(known))


def without_seals(views_: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: view for name, view in views_.items() if name != "seal"}


def told(history: Iterable[Recorded]) -> list[Told]:
    """Return the public stream of `history`."""
    known, stream = Known(), list[Told]()
    for entry in history:
        after = project(known, entry)
        for message in messages(known, after, entry):
            stream.append(Told(n=len(stream) + 1, at=entry.at, message=message))
        known = after
    return stream
