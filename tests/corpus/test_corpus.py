"""The reference's pairings against ours: the worked cases, 300 of the corpus in every run, all of it in `full`."""

from collections.abc import Sequence

import pytest

from rules.swiss.dutch import pair
from rules.swiss.pairing_input import NoCompletePairing, PairingOutput
from rules.swiss.systems import DUTCH_2017, DUTCH_2026
from rules.trf import TrfError, read, to_pairing_input, write
from rules.trf.writer import Dialect
from tests.corpus.loading import HERE, Case, Worked, chunks, corpus, sample, worked

Pairs = tuple[tuple[int, int], ...]

SAMPLE = 300
WHOLE = 3000
WHOLE_2017 = 800
DIALECTS: tuple[Dialect, ...] = ("trf26", "trf16")


def paired(trf: bytes, system: str = DUTCH_2026) -> Pairs | None:
    """Return our pairs in board order, 0 for the bye; None where there is no complete pairing."""
    try:
        return _numbers(pair(to_pairing_input(read(trf), system=system)))
    except NoCompletePairing:
        return None


def _numbers(output: PairingOutput) -> Pairs:
    pairs = [(int(white[1:]), int(black[1:])) for white, black in output.pairs]
    return (*pairs, (int(output.pab[1:]), 0)) if output.pab else tuple(pairs)


def differing(
    cases: Sequence[Case], system: str = DUTCH_2026
) -> dict[str, list[tuple[Pairs | None, Pairs | None]]]:
    """Return (expected, ours), each without what both have, for every case that differs in a pair or a colour."""
    found = {}
    for case in cases:
        ours = paired(case.trf.encode(), system)
        if (None if ours is None else set(ours)) != (None if case.expected is None else set(case.expected)):
            found[case.id] = [(case.expected, ours)]
    return found


@pytest.mark.parametrize("case", tuple(worked()), ids=lambda case: case.name)
def test_the_worked_cases_agree_in_pairs_colours_and_boards(case: Worked) -> None:
    if case.name == "T08-bad":
        with pytest.raises(TrfError, match="line 2, columns 92-99"):
            read(case.trf)
    else:
        assert paired(case.trf) == case.expected


@pytest.mark.parametrize("chosen", chunks(SAMPLE, 15), ids=str)
def test_the_sample_agrees_with_the_reference(chosen: range) -> None:
    assert differing([sample(SAMPLE)[index] for index in chosen]) == {}


@pytest.mark.parametrize("chosen", chunks(WHOLE_2017, 50), ids=str)
def test_the_corpus_of_2017_agrees_with_the_reference(chosen: range) -> None:
    assert differing([corpus("2017")[index] for index in chosen], DUTCH_2017) == {}


def test_the_editions_differ_where_their_articles_do() -> None:
    trf = (HERE / "cases" / "T14-c5.trf").read_bytes()

    assert paired(trf) == ((1, 5), (3, 2), (6, 0))
    assert paired(trf, DUTCH_2017) == ((1, 3), (6, 2), (5, 0))


@pytest.mark.parametrize("chosen", chunks(SAMPLE, 100), ids=str)
def test_the_sample_is_read_and_written_without_loss(chosen: range) -> None:
    for index in chosen:
        check_round_trip(sample(SAMPLE)[index])


@pytest.mark.full
@pytest.mark.parametrize("chosen", chunks(WHOLE, 50), ids=str)
def test_the_whole_corpus_agrees_with_the_reference(chosen: range) -> None:
    assert differing([corpus()[index] for index in chosen]) == {}


@pytest.mark.full
@pytest.mark.parametrize("chosen", chunks(WHOLE, 500), ids=str)
def test_the_whole_corpus_is_read_and_written_without_loss(chosen: range) -> None:
    for index in chosen:
        check_round_trip(corpus()[index])


def check_round_trip(case: Case) -> None:
    file = read(case.trf.encode())
    seen = to_pairing_input(file)
    present = {entrant.tpn for entrant in seen.entrants if entrant.present}

    assert (seen.round, seen.rounds, len(seen.entrants)) == (case.round, case.rounds, case.players)
    if case.expected is not None:
        assert present == {tpn for pair_ in case.expected for tpn in pair_ if tpn}
    for dialect in DIALECTS:
        again = read(write(file, dialect).encode())
        assert again == file
        assert to_pairing_input(again) == seen


def test_what_was_paired_before_is_seen_as_it_was_in_every_earlier_file() -> None:
    """The state before round k, taken out of a later file, is the state that the earlier file tells."""
    by_tournament: dict[str, dict[int, Case]] = {}
    for case in corpus():
        by_tournament.setdefault(case.id.rpartition("-r")[0], {})[case.round] = case
    for cases in list(by_tournament.values())[:60]:
        last = read(cases[max(cases)].trf.encode())
        for round_, case in cases.items():
            earlier = to_pairing_input(read(case.trf.encode()))
            assert to_pairing_input(last, round_) == earlier, case.id


def test_the_sample_holds_every_style_size_and_tag() -> None:
    tags = {tag for case in sample(SAMPLE) for tag in case.tags}

    assert len(sample(SAMPLE)) == SAMPLE == len({case.id for case in sample(SAMPLE)})
    assert tags == {tag for case in corpus() for tag in case.tags}
    assert sum(case.expected is None for case in sample(SAMPLE)) >= 5
    assert len(corpus()) == WHOLE
    assert len(corpus("2017")) == WHOLE_2017
