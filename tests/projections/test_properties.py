"""What must hold of every history: rebuilding, embargo, and that messages and views say the same."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from events.codec import canonical_bytes
from events.envelope import Recorded
from events.facts import PairingPublished, ResultCorrected, ResultRecorded, TournamentAnnounced
from projections import Known, Told, messages, project, views
from rules.history import pairing_input
from rules.state import replay
from tests.projections.consumer import Consumer
from tests.projections.folding import folded, public, shown, told
from tests.projections.histories import histories, numbered, without_closing
from tests.support.ledger import PERSON

EXAMPLES = 60


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories(), st.data())
def test_a_view_rebuilt_from_zero_equals_the_view_that_grew(
    history: list[Recorded], data: st.DataObject
) -> None:
    prefix = data.draw(st.integers(0, len(history)))
    again = data.draw(st.integers(0, prefix))

    grown = folded(history[:prefix])
    views(grown)
    grown = folded(history[again:], grown)  # some come twice

    whole = folded(history)
    assert grown == whole
    assert shown(grown) == shown(whole)


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_nothing_public_depends_on_a_closed_window_or_a_sealed_pairing(history: list[Recorded]) -> None:
    for end in _openings(history):
        happened = history[:end]
        assert public(folded(happened)) == public(folded(without_closing(happened)))
        assert told(happened) == told(without_closing(happened))


def _openings(history: list[Recorded]) -> list[int]:
    """Return the lengths at which the next round may be sealed: before each publication, and at the end."""
    ends = [entry.v - 1 for entry in history if isinstance(entry.fact, PairingPublished)]
    announced = history[0].fact
    assert isinstance(announced, TournamentAnnounced)
    return ends if len(ends) == announced.rounds else [*ends, len(history)]


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_whoever_follows_the_public_stream_has_the_boards_and_standings_of_the_views(
    history: list[Recorded],
) -> None:
    consumer, known = Consumer(), Known()
    for entry in history:
        after = project(known, entry)
        for message in messages(known, after, entry):
            consumer.take(msgspec.json.decode(canonical_bytes(message)))
        known = after
        seen = {name: msgspec.json.decode(view) for name, view in shown(known).items()}
        assert consumer.boards() == [seen[f"boards:{number + 1}"] for number in range(len(known.rounds))]
        assert consumer.integrity == seen["integrity"]
        assert consumer.standings() == seen["standings"]


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_what_is_shown_changes_exactly_when_something_is_told(history: list[Recorded]) -> None:
    known = Known()
    for entry in history:
        after = project(known, entry)
        assert (public(after) != public(known)) == bool(messages(known, after, entry)), entry.fact
        known = after


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_cells_of_the_cross_table_make_the_points_of_the_standings(history: list[Recorded]) -> None:
    seen = {name: msgspec.json.decode(view) for name, view in shown(folded(history)).items()}

    rows = seen["cross-table"]
    ranked = [{key: row[key] for key in ("rank", "player", "points")} for row in rows]
    assert ranked == seen["standings"]["rows"]
    for row in rows:
        assert sum(cell.get("points", 0) for cell in row["cells"]) == row["points"]
        for number, cell in enumerate(row["cells"], start=1):
            if "opponent" in cell:
                theirs = rows[cell["opponent"] - 1]["cells"][number - 1]
                assert (theirs["opponent"], {cell["colour"], theirs["colour"]}) == (row["rank"], {"w", "b"})


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_messages_are_stored_and_read_as_they_are(history: list[Recorded]) -> None:
    stream = told(history)

    assert [one.n for one in stream] == list(range(1, len(stream) + 1))
    assert [msgspec.json.decode(canonical_bytes(one), type=Told) for one in stream] == stream
    for name, view in views(folded(history)).items():
        assert msgspec.json.decode(canonical_bytes(view)) == msgspec.json.decode(msgspec.json.encode(view)), (
            name
        )


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories(results_public="at_posting"))
def test_before_results_are_posted_it_is_as_if_none_had_come(history: list[Recorded]) -> None:
    for end in _openings(history):
        happened = history[:end]
        none_came = _without_unposted_results(happened)
        assert public(folded(happened)) == public(folded(none_came))
        assert told(happened) == told(none_came)


def _without_unposted_results(history: list[Recorded]) -> list[Recorded]:
    state = replay(history)
    running = state.published_rounds
    if state.round(running).appeals_close is not None:
        return history
    return numbered(
        [
            entry
            for entry in without_closing(history)
            if not isinstance(entry.fact, ResultRecorded | ResultCorrected) or entry.fact.round != running
        ]
    )


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_no_head_no_version_and_nothing_of_persons_is_public(history: list[Recorded]) -> None:
    everything = b"".join([*shown(folded(history)).values(), *map(canonical_bytes, told(history))])

    for internal in (
        PERSON,
        "fell ill",
        '"actor"',
        '"cause"',
        '"v"',
        '"cutoff"',
        *(e.prev for e in history[1:]),
    ):
        assert internal.encode() not in everything


@settings(max_examples=EXAMPLES, deadline=None)
@given(histories())
def test_points_before_a_round_are_those_that_its_pairing_saw(history: list[Recorded]) -> None:
    for boards in folded(history).rounds:
        published = next(
            entry.fact
            for entry in history
            if isinstance(entry.fact, PairingPublished) and entry.fact.round == boards.round
        )
        seen = pairing_input(history, boards.round, published.cutoff)
        points = {one.player: sum(record.points for record in one.history) for one in seen.entrants}
        numbers = {one.player: one.tpn for one in seen.entrants}
        for game in boards.boards:
            assert (game.white_points, game.black_points) == (points[game.white], points[game.black])
            assert (game.white_number, game.black_number) == (numbers[game.white], numbers[game.black])
