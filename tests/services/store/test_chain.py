"""The chain by itself: making entries, and what a table of commands is rebuilt from."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.envelope import decode
from services.store import EMPTY, LogBroken, Outcome
from services.store.chain import check_chain, outcomes_in
from services.store.port import Head
from tests.support.entries import REQUEST, T, batch


def log_of(*causes: str) -> list[bytes]:
    entries: list[bytes] = []
    head = EMPTY
    for cause in causes:
        (entry,) = batch(head, cause)
        head = head.after(entry)
        entries.append(entry)
    return entries


def test_entries_name_their_version_and_the_hash_before() -> None:
    first, second = (decode(entry, v) for v, entry in enumerate(batch(count=2), start=1))

    assert (first.v, first.prev) == (1, EMPTY.hash)
    assert (second.v, second.prev) == (2, EMPTY.after(batch()[0]).hash)


@given(st.integers(0, 5), st.integers(0, 5))
def test_a_chain_checked_in_two_parts_has_the_head_of_the_whole(first: int, second: int) -> None:
    entries = batch(count=first + second)

    part = check_chain(T, entries[:first], EMPTY)

    assert check_chain(T, entries[first:], part) == check_chain(T, entries, EMPTY)
    assert check_chain(T, entries[first:], None, first) == (part if second else None) or second > 0


@given(st.integers(1, 6), st.data())
def test_no_change_of_any_byte_goes_unnoticed(count: int, data: st.DataObject) -> None:
    entries = batch(count=count)
    head = check_chain(T, entries, EMPTY)
    victim = data.draw(st.integers(0, count - 1))
    place = data.draw(st.integers(0, len(entries[victim]) - 1))
    forged = bytearray(entries[victim])
    forged[place] ^= data.draw(st.integers(1, 255))
    entries[victim] = bytes(forged)

    try:
        forged_head: Head | None = check_chain(T, entries, EMPTY)
    except LogBroken as broken:
        found_at = broken.version
    else:
        found_at = count if forged_head != head else 0  # in the last entry, by who holds the head
    assert found_at in {victim + 1, victim + 2}


def test_the_table_of_commands_names_first_and_last_version_of_each() -> None:
    log = log_of("a", "b", "b", "b", "c")

    assert outcomes_in(T, log) == {
        "a": Outcome(1, 1, REQUEST),
        "b": Outcome(2, 4, REQUEST),
        "c": Outcome(5, 5, REQUEST),
    }


@pytest.mark.parametrize("causes", [("a", "b", "a"), ("a", "a", "b", "b", "a")])
def test_a_command_at_two_places_of_a_log_breaks_it(causes: tuple[str, ...]) -> None:
    with pytest.raises(LogBroken, match="twice") as refusal:
        outcomes_in(T, log_of(*causes))
    assert refusal.value.version == len(causes)


def test_circumstances_go_into_every_envelope() -> None:
    for version, entry in enumerate(batch(count=3), start=1):
        recorded: Any = decode(entry, version)
        assert (recorded.actor, recorded.cause, recorded.request) == ("arbiter", "c1", REQUEST)
