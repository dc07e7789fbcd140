"""Worked examples of the articles, typed outcomes, and properties that every pairing has."""

from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.facts import Colour
from rules.swiss.dutch import pair
from rules.swiss.dutch.legality import assert_legal
from rules.swiss.pairing_input import (
    IllegalPairing,
    NoCompletePairing,
    PairingInput,
    PairingOutput,
    UnusableInput,
)
from tests.rules.swiss.dutch.scenes import name, played_out, shown, situation

EVENTS = settings(max_examples=60, deadline=None)


def fresh(players: int, **more: object) -> PairingInput:
    return situation(dict.fromkeys(range(1, players + 1), ""), **more)  # type: ignore[arg-type]  # as named


def opponents(output: PairingOutput) -> set[frozenset[str]]:
    return {frozenset(pair) for pair in output.pairs} | ({frozenset([output.pab])} if output.pab else set())


def test_e1_round_1_pairs_the_halves_and_gives_the_last_the_bye() -> None:
    assert shown(pair(fresh(7))) == "1-4 5-2 3-6 7-bye"


def test_e1_with_black_as_initial_colour() -> None:
    assert shown(pair(fresh(7, initial_colour=Colour.BLACK))) == "4-1 2-5 6-3 7-bye"


def test_e3_a_bracket_is_broken_where_the_rest_could_not_be_paired() -> None:
    histories = {1: "3w1 Z", 2: "4b1 Z", 3: "1b0 4w=", 4: "2w0 3b="}

    assert opponents(pair(situation(histories, 5))) == {frozenset({"p1", "p4"}), frozenset({"p2", "p3"})}


def test_e4_the_lowest_bye_comes_before_the_number_of_pairs() -> None:
    histories = {1: "U", 2: "5w1", 3: "4w=", 4: "3b=", 5: "2b0"}

    output = pair(situation(histories, 5))

    assert output.pab == "p5"
    assert opponents(output) == {frozenset({"p1", "p3"}), frozenset({"p2", "p4"}), frozenset({"p5"})}


def test_e9_whoever_floated_down_last_round_does_not_float_again() -> None:
    # Three leaders, the third by a forfeit: the natural pairing would float number 3 a second time.
    histories = {1: "4w1", 2: "5b1", 3: "6w+", 4: "1b0", 5: "2w0", 6: "3b-"}

    pairs = opponents(pair(situation(histories, 5)))

    assert frozenset({"p1", "p3"}) in pairs


def test_virtual_points_make_brackets() -> None:
    output = pair(fresh(8, virtual=dict.fromkeys(range(1, 5), (10,))))

    assert shown(output) == "1-3 4-2 5-7 8-6"


@pytest.mark.parametrize(("parity", "expected"), [("participants", "2-5 6-4"), ("tpn", "5-2 6-4")])
def test_parity_of_5_2_5_is_a_setting(parity: str, expected: str) -> None:
    # Numbers 1 and 3 never took part; by participants 2, 4, 5, 6 count as 1, 2, 3, 4.
    output = pair(fresh(6, absent=(1, 3), parity=parity))

    assert shown(output) == expected


def test_a_prohibited_pair_does_not_meet() -> None:
    assert shown(pair(fresh(4))) == "1-3 4-2"
    assert frozenset({"p1", "p3"}) not in opponents(pair(fresh(4, prohibited=[(1, 3)])))


def test_the_bye_goes_to_the_only_one_who_has_not_had_it() -> None:
    output = pair(situation({1: "2w1 U", 2: "1b0 3w1", 3: "U 2b0"}, 5))

    assert output.pab == "p2"


@pytest.mark.parametrize(("unplayed", "may"), [("U", False), ("F", False), ("H", True), ("Z", True)], ids=str)
def test_who_may_get_the_bye(unplayed: str, *, may: bool) -> None:
    histories = {1: "2w1", 2: "1b0", 3: unplayed}
    alone = situation(histories, 3, absent=(1, 2))

    if may:
        assert pair(alone).pab == "p3"
    else:
        with pytest.raises(NoCompletePairing):
            pair(alone)


@pytest.mark.parametrize(("result", "may"), [("+", False), ("-", True)])
def test_a_forfeit_win_bars_the_bye_and_a_forfeit_loss_does_not(result: str, *, may: bool) -> None:
    other = {"+": "-", "-": "+"}[result]
    alone = situation({1: f"2w{result}", 2: f"1b{other}"}, 3, absent=(2,))

    if may:
        assert pair(alone).pab == "p1"
    else:
        with pytest.raises(NoCompletePairing):
            pair(alone)


def test_a_forfeit_is_no_meeting_and_no_colour() -> None:
    output = pair(situation({1: "2w+", 2: "1b-"}, 3))

    assert shown(output) == "1-2", "they can meet again, and number 1 still has the initial colour"


def test_three_who_have_all_met_cannot_be_paired() -> None:
    with pytest.raises(NoCompletePairing):
        pair(situation({1: "2w1 3b1 U", 2: "1b0 U 3w=", 3: "U 1w0 2b="}, 5))


def test_nobody_and_one_player() -> None:
    with pytest.raises(NoCompletePairing):
        pair(fresh(2, absent=(1, 2)))
    assert shown(pair(fresh(1))) == "1-bye"


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (fresh(2), None),
        (msgspec.structs.replace(fresh(2), round=3, rounds=9), "p1"),
        (msgspec.structs.replace(fresh(2), round=10), "round 10"),
        (msgspec.structs.replace(fresh(2), entrants=fresh(2).entrants[:1] * 2), "p1"),
        (situation({1: "2w1", 2: "Z"}), "p1"),
        (situation({1: "2w1", 2: "1w0"}), "p1"),
        (situation({1: "1w1"}), "p1"),
        (situation({1: "9w1"}), "p1"),
    ],
)
def test_an_input_that_contradicts_itself_is_refused_by_name(broken: PairingInput, said: str | None) -> None:
    if said is None:
        pair(broken)
        return
    with pytest.raises(UnusableInput, match=said):
        pair(broken)


def test_an_illegal_pairing_is_an_error_and_never_a_pairing() -> None:
    met = situation({1: "2w1", 2: "1b0", 3: "4w1", 4: "3b0"})

    for pairs, pab in (
        ((("p1", "p2"), ("p3", "p4")), None),
        ((("p1", "p3"),), None),
        ((("p1", "p3"), ("p1", "p4")), None),
        ((("p1", "p3"), ("p2", "p4")), "p1"),
    ):
        with pytest.raises(IllegalPairing):
            assert_legal(met, PairingOutput(pairs=pairs, pab=pab))


@EVENTS
@given(st.integers(0, 10**9), st.integers(4, 30))
def test_every_pairing_of_an_event_is_legal_and_the_order_of_input_is_nothing(
    seed: int, players: int
) -> None:
    random = Random(seed)
    for scene in played_out(random, players, min(players, 7)):
        try:
            output = pair(scene)
        except NoCompletePairing:
            return
        assert_legal(scene, output)
        shuffled = list(scene.entrants)
        random.shuffle(shuffled)
        assert pair(msgspec.structs.replace(scene, entrants=tuple(shuffled))) == output


@EVENTS
@given(st.integers(0, 10**9), st.integers(4, 20))
def test_other_names_change_nothing(seed: int, players: int) -> None:
    renamed = {name(tpn): f"z{999 - tpn}" for tpn in range(1, players + 1)}
    for scene in played_out(Random(seed), players, 5):
        try:
            output = pair(scene)
        except NoCompletePairing:
            return
        swapped = msgspec.json.decode(_with_names(msgspec.json.encode(scene), renamed), type=PairingInput)
        expected = msgspec.json.decode(_with_names(msgspec.json.encode(output), renamed), type=PairingOutput)
        assert pair(swapped) == expected


def _with_names(text: bytes, renamed: dict[str, str]) -> bytes:
    for old, new in renamed.items():
        text = text.replace(f'"{old}"'.encode(), f'"{new}"'.encode())
    return text


@EVENTS
@given(st.integers(0, 10**9), st.integers(4, 20))
def test_swapping_all_colours_swaps_the_sides_and_nothing_else(seed: int, players: int) -> None:
    for scene in played_out(Random(seed), players, 5):
        try:
            output = pair(scene)
        except NoCompletePairing:
            return
        mirrored = pair(_mirrored(scene))
        assert mirrored.pab == output.pab
        assert mirrored.pairs == tuple((black, white) for white, black in output.pairs)


def _mirrored(scene: PairingInput) -> PairingInput:
    swap = {Colour.WHITE: Colour.BLACK, Colour.BLACK: Colour.WHITE, None: None}
    return msgspec.structs.replace(
        scene,
        initial_colour=swap[scene.initial_colour],
        entrants=tuple(
            msgspec.structs.replace(
                entrant,
                history=tuple(
                    msgspec.structs.replace(record, colour=swap[record.colour]) for record in entrant.history
                ),
            )
            for entrant in scene.entrants
        ),
    )
