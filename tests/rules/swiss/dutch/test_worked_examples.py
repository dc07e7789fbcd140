"""Small rounds worked out by hand from the articles, on fields that need no history. Scores are tenths."""

from rules.swiss.dutch.floats import Float
from tests.rules.swiss.dutch.fields import Changes, field, paired, wish


def test_who_floats_is_chosen_for_the_next_bracket() -> None:
    assert paired(field([20, 20, 20, 10, 10, 0], barred=[(3, 4), (3, 5)])) == "1-3 2-4 5-6"


def test_the_first_mdp_set_is_paired_and_the_other_mdp_waits_in_the_limbo() -> None:
    assert paired(field([20, 20, 10, 0, 0, 0], barred=[(1, 2)])) == "1-3 2-4 5-6"


def test_an_mdp_who_can_meet_no_resident_stays_in_the_limbo_whatever_the_score() -> None:
    barred = [(2, 1), (2, 3), (2, 4), (2, 5)]

    assert paired(field([20, 15, 10, 10, 10, 0], barred)) == "1-3 2-6 4-5"


WISHES: Changes = {number: {"preference": wish("mw" if number % 2 else "mb")} for number in range(1, 5)}


def test_a_transposition_grants_all_colours() -> None:
    assert paired(field([10] * 4, changes=WISHES)) == "1-4 2-3"


def test_an_exchange_grants_all_colours_when_no_transposition_can() -> None:
    assert paired(field([10] * 4, barred=[(1, 4)], changes=WISHES)) == "1-2 3-4"


def test_of_equally_many_disappointed_the_strong_ones_are_spared() -> None:
    wishes: Changes = {number: {"preference": wish("sw" if number % 2 else "mw")} for number in range(1, 5)}

    assert paired(field([10] * 4, changes=wishes)) == "1-4 2-3"


def test_the_bye_goes_to_who_has_missed_fewer_rounds() -> None:
    assert paired(field([10] * 3, changes={3: {"unplayed": 1}})) == "1-3 2"


def test_missed_rounds_decide_about_the_bye_above_the_last_bracket_too() -> None:
    """The only players who may get the bye are in the top bracket: it floats the one who gets it."""
    changes: Changes = {3: {"unplayed": 1}, 4: {"pab_barred": True}, 5: {"pab_barred": True}}

    assert paired(field([10, 10, 10, 0, 0], changes=changes)) == "1-3 4-5 2"


def test_nobody_floats_down_twice_running() -> None:
    assert paired(field([20, 20, 20, 10], changes={3: {"float_before": Float.DOWN}})) == "1-3 2-4"


def test_nobody_floats_up_twice_running() -> None:
    assert paired(field([20, 10, 10, 10], changes={2: {"float_before": Float.UP}})) == "1-3 2-4"


def test_an_upfloat_of_two_rounds_ago_weighs_more_than_the_height_of_a_recent_one() -> None:
    """C17 before C19: player 3 must meet an MDP; with 2, who is nearer, 5 would float up once more."""
    allowed = {(1, 3), (1, 5), (2, 3), (2, 4), (4, 6), (5, 6)}
    barred = [(one, two) for one in range(1, 7) for two in range(one + 1, 7) if (one, two) not in allowed]
    changes: Changes = {3: {"float_before": Float.UP}, 5: {"float_before_that": Float.UP}}

    assert paired(field([20, 15, 10, 10, 10, 10], barred, changes)) == "1-3 2-4 5-6"
