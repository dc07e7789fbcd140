"""Copies of tournaments in memory, each a fold of a log up to some version, caught up by range reads.

The only module that folds what a store holds; how events are taken in is the caller's `fold`.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

import msgspec

from events.envelope import Recorded, Unreadable, decode
from services.store.errors import LogBroken
from services.store.port import EMPTY, EventStore, Head

COPIES_MAX = 256

S = TypeVar("S")


class Copy(msgspec.Struct, Generic[S], frozen=True):
    """The state of a tournament after the entries up to `head`; never changed, only followed by another copy."""

    head: Head
    state: S


class Reader(Generic[S]):
    """Keeps the states of the tournaments read last, at most `copies_max` of them.

    `fold` returns the state after more entries and leaves the one it is given as it is. The state of a version is the
    same whether it was reached in one reading or in many.
    """

    def __init__(
        self,
        store: EventStore,
        initial: S,
        fold: Callable[[Iterable[Recorded], S], S],
        *,
        copies_max: int = COPIES_MAX,
    ) -> None:
        self._store = store
        self._nothing = Copy(EMPTY, initial)
        self._fold = fold
        self._copies_max = copies_max
        self._copies: OrderedDict[str, Copy[S]] = OrderedDict()
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def catch_up(self, tournament: str) -> Copy[S]:
        """Return the state at the present head; raise `LogBroken` when the log no longer continues our copy."""
        lock = self._reading.setdefault(tournament, asyncio.Lock())
        async with lock:  # who reads at the same time waits, and need not fold the same entries again
            return await self._catch_up(tournament)

    def known(self, tournament: str) -> Copy[S] | None:
        """Return the copy at hand without asking the store: it may lag behind the log. None when there is none."""
        copy = self._copies.get(tournament)
        if copy is not None:
            self._copies.move_to_end(tournament)
        return copy

    def follow(self, tournament: str, onto: Copy[S], appended: Sequence[bytes]) -> None:
        """Take in entries that were just appended after `onto`, so that they need not be read back."""
        self._keep(tournament, self._followed(tournament, onto, appended))

    async def at(self, tournament: str, version: int) -> Copy[S]:
        """Return the state after the first `version` entries; raise `LogBroken` when there are fewer."""
        known = self._copies.get(tournament, self._nothing)
        if known.head.version > version:
            known = self._nothing
        entries = await self._store.read(tournament, known.head.version, version)
        copy = self._followed(tournament, known, entries)
        if copy.head.version != version:
            raise LogBroken(
                tournament, copy.head.version, f"it ends here, and version {version} was asked for"
            )
        return copy

    def forget(self, tournament: str) -> None:
        """Drop the copy of `tournament`; the next one is read from the beginning."""
        self._copies.pop(tournament, None)

    async def _catch_up(self, tournament: str) -> Copy[S]:
        known = self._copies.get(tournament, self._nothing)
        copy = self._followed(tournament, known, await self._store.since(tournament, known.head))
        if copy.head != EMPTY:
            self._keep(tournament, copy)
        return copy

    def _keep(self, tournament: str, copy: Copy[S]) -> None:
        if copy.head.version < self._copies.get(tournament, self._nothing).head.version:
            return  # it was overtaken while it was read
        self._copies[tournament] = copy
        self._copies.move_to_end(tournament)
        while len(self._copies) > self._copies_max:
            self._copies.popitem(last=False)

    def _followed(self, tournament: str, onto: Copy[S], entries: Sequence[bytes]) -> Copy[S]:
        """Fold `entries`, of which the store has verified that each follows the one before; the first is ours to check."""
        if not entries:
            return onto
        history = _recorded(tournament, entries, onto.head.version)
        _check_link(tournament, history[0], onto.head.hash)
        head = Head(onto.head.version + len(entries), EMPTY.after(entries[-1]).hash)
        return Copy(head, self._fold(history, onto.state))


def decoded(tournament: str, entries: Sequence[bytes], onto: Head) -> Iterator[Recorded]:
    """Yield `entries`, which follow `onto`, decoded; raise `LogBroken` for one that we cannot read or that does not."""
    previous = onto.hash
    for entry, recorded in zip(entries, _recorded(tournament, entries, onto.version), strict=True):
        _check_link(tournament, recorded, previous)
        previous = EMPTY.after(entry).hash
        yield recorded


def _recorded(tournament: str, entries: Sequence[bytes], after: int) -> list[Recorded]:
    try:
        return [decode(entry, version) for version, entry in enumerate(entries, start=after + 1)]
    except Unreadable as error:
        raise LogBroken(tournament, error.version, error.reason) from error


def _check_link(tournament: str, recorded: Recorded, previous: str) -> None:
    if recorded.prev != previous:
        raise LogBroken(
            tournament, recorded.v, "it does not follow the entry before it: one of them was changed"
        )
