"""The fold between stored entries and what is written: pieces do not matter, and no other history passes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.codec import canonical_bytes
from events.envelope import Recorded, encode
from projections import views
from services.projector.folding import NOTHING, Copy, as_written, base_of, check_history, make
from services.projector.shelf import Mark, Seen
from services.store import EMPTY, Head, LogBroken
from tests.projections.histories import histories
from tests.services.projector.scene import some_ledger

ENTRIES = some_ledger().entries
END = len(ENTRIES)


def head(version: int) -> Head:
    return EMPTY if version == 0 else Head(version - 1, "").after(ENTRIES[version - 1])


def copy_at(version: int) -> Copy:
    return make("t", NOTHING, ENTRIES[:version], Mark(), None)[0]


@given(histories(), st.lists(st.integers(0, 60), max_size=5))
def test_in_whatever_pieces_a_log_is_read_the_same_is_written(
    history: list[Recorded], cuts: list[int]
) -> None:
    entries = [encode(recorded) for recorded in history]
    _, at_once = make("t", NOTHING, entries, Mark(), None)

    copy, mark = NOTHING, Mark()
    stored: dict[str, bytes] = {}
    messages: list[bytes] = []
    bounds = sorted({0, len(entries), *(cut for cut in cuts if cut < len(entries))})
    for start, end in pairwise(bounds):
        copy, change = make("t", copy, entries[start:end], mark, copy if start else None)
        assert change.before == (len(stored) if start else None)
        stored = {name: body for name, body in stored.items() if name not in change.gone} | dict(change.views)
        messages += change.messages
        mark = change.mark

    assert stored == at_once.views
    assert messages == list(at_once.messages)
    assert mark == at_once.mark


@given(histories())
def test_the_fast_encoding_of_views_is_the_canonical_one(history: list[Recorded]) -> None:
    copy, _ = make("t", NOTHING, [encode(recorded) for recorded in history], Mark(), None)

    for view in views(copy.known).values():
        assert as_written(view) == canonical_bytes(view)


@pytest.mark.parametrize("told_upto", [0, 5, 15, END])
def test_what_was_told_is_not_told_again_and_the_numbers_go_on(told_upto: int) -> None:
    _, whole = make("t", NOTHING, ENTRIES, Mark(), None)
    _, first = make("t", NOTHING, ENTRIES[:told_upto], Mark(), None)

    _, rest = make("t", NOTHING, ENTRIES, first.mark, None)

    assert [*first.messages, *rest.messages] == list(whole.messages)
    assert rest.mark == whole.mark
    assert rest.views == whole.views


@pytest.mark.parametrize(
    ("at", "ours", "mark", "base"),
    [(15, 15, 15, 15), (15, 20, 22, 15), (20, 15, 20, 0), (20, 20, 15, 0), (20, 0, 20, 0)],
)
def test_reading_begins_where_nothing_is_left_out(at: int, ours: int, mark: int, base: int) -> None:
    seen = Seen("first", head(ours), head(ours), Mark(mark, 1))

    assert base_of(copy_at(at), seen).head.version == base


def test_the_log_that_was_shown_passes() -> None:
    for at in (0, 5, END):
        for shown in range(at, END + 1):
            seen = Seen("first", head(shown), head(shown), Mark(shown, 1))
            check_history("t", copy_at(at), ENTRIES[at:], seen)


OTHER = Head(15, "ab" * 32)


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (Seen("first", head(15), OTHER, Mark(15, 1)), "version 15: the entry is not the one"),
        (Seen("first", OTHER, EMPTY, Mark(15, 1)), "version 15: the entry is not the one"),
        (
            Seen("first", head(15), head(15), Mark(END + 1, 1)),
            "it ends here, and it is published up to version",
        ),
        (
            Seen("first", Head(END + 1, "ab" * 32), EMPTY, Mark()),
            "it ends here, and its views are made up to",
        ),
    ],
)
def test_another_log_than_the_one_that_was_shown_does_not_pass(seen: Seen, words: str) -> None:
    for at in (0, 10):
        with pytest.raises(LogBroken, match=words):
            check_history("t", copy_at(at), ENTRIES[at:], seen)
