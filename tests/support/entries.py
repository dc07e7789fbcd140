"""Entries for a store that does not mind what they say: presence confirmed, as often as needed."""

from events.codec import sha256_hex
from events.facts import PresenceConfirmed
from services.store import EMPTY, Appended, EventStore, Head, link

T = "open-2026"
REQUEST = sha256_hex(b"a request")
OTHER_REQUEST = sha256_hex(b"another request")


def batch(onto: Head = EMPTY, cause: str = "c1", count: int = 1, request: str = REQUEST) -> list[bytes]:
    """Return `count` entries after `onto` that command `cause` brought about."""
    facts = [PresenceConfirmed(player=f"p{onto.version + i}") for i in range(1, count + 1)]
    return link(facts, onto, at="2026-10-05T08:00:00Z", actor="arbiter", cause=cause, request=request)


async def put(
    store: EventStore, cause: str = "c1", count: int = 1, request: str = REQUEST, tournament: str = T
) -> Appended:
    """Append `count` entries at the present head of `tournament`."""
    head = await store.head(tournament)
    entries = batch(head, cause, count, request)
    return await store.append(tournament, entries, expected=head, cause=cause, request=request)
