import pytest

from rules.trf import NotOffered, TrfError, read
from tests.rules.trf.building import FOUR, TWO, file, line, trf

POINTS = {"1": "1.0", "=": "0.5", "W": "1.0", "D": "0.5", "+": "1.0"}


def game(white: str, black: str) -> bytes:
    return trf(
        "142 5",
        line(1, POINTS.get(white, "0.0"), f"2 w {white}"),
        line(2, POINTS.get(black, "0.0"), f"1 b {black}"),
    )


@pytest.mark.parametrize(
    "results", ["10", "01", "==", "=0", "0=", "00", "WL", "LW", "DD", "DL", "LL", "+-", "-+", "--", "  "]
)
def test_the_results_that_one_game_can_have_are_accepted(results: str) -> None:
    assert read(game(*results)).next_round == 2


@pytest.mark.parametrize(
    "results", ["11", "1=", "=1", "++", "+0", "-1", "-0", "1L", "W0", "=D", "1 ", " -", "WW", "WD"]
)
def test_results_that_do_not_belong_to_one_game_are_refused(results: str) -> None:
    with pytest.raises(TrfError, match=r"line 2, columns 92-99: .*do not belong to one game"):
        read(game(*results))


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("1 w 1", "1 b 0", "other than player 1 itself"),
        ("7 w 1", "1 b 0", "no record has starting rank 7"),
        ("2 w 1", "", "it names nobody"),
        ("2 w 1", "0000 - U", "it names nobody"),
        ("2 w 1", "3 b 0", "it names 3"),
        ("2 w 1", "1 w 0", "it gives colour w"),
    ],
)
def test_entries_that_do_not_mirror_each_other_are_refused(first: str, second: str, message: str) -> None:
    with pytest.raises(TrfError, match=message) as refused:
        read(trf("142 5", line(1, "1.0", first), line(2, "0.0", second), line(3)))

    assert (refused.value.line, refused.value.columns) == (2, (92, 99))


def test_a_starting_rank_given_twice_is_refused() -> None:
    with pytest.raises(TrfError, match=r"line 6, columns 5-8: .*line 2 has it already"):
        read(trf("142 5", *FOUR, line(1)))


def test_gaps_in_the_starting_ranks_are_allowed() -> None:
    assert [player.tpn for player in file(players=(*TWO, line(9999, "0.0", ""))).players] == [1, 2, 9999]


def test_a_second_pairing_allocated_bye_in_a_round_is_refused() -> None:
    with pytest.raises(TrfError, match="one pairing-allocated bye in round 1; 3 has it"):
        file(players=(*TWO, line(3, "1.0", "0000 - U"), line(4, "1.0", "0000 - U")))


def test_an_entry_beyond_the_last_round_is_refused() -> None:
    with pytest.raises(TrfError, match=r"columns 102-109: .*nothing after the last round, 1"):
        file(rounds=1, players=(line(1, "1.0", "2 w 1", "0000 - Z"), TWO[1]))


@pytest.mark.parametrize("points", ["0.5", "2.0", "-1.0", "10.0"])
def test_points_that_are_not_the_sum_of_the_results_are_refused(points: str) -> None:
    with pytest.raises(TrfError, match=r"line 2, columns 81-84: .*expected 1\.0, the sum"):
        file(players=(line(1, points, "2 w 1"), TWO[1]))


@pytest.mark.parametrize("points", ["1.0", "1.5", "2.0"])
def test_points_may_hold_the_byes_of_rounds_to_come(points: str) -> None:
    players = (line(1, points, "2 w 1", "0000 - H", "0000 - H"), TWO[1])

    assert file(players=players).players[0].points == 10


def test_points_may_hold_the_virtual_points_of_the_round_to_pair() -> None:
    players = (line(1, "2.0", "2 w 1"), TWO[1])

    assert file("250       1.0   1   2    1    1", players=players).players[0].points == 10


@pytest.mark.parametrize("points", ["0.0", "0.5"])
def test_a_game_without_result_may_count_as_a_draw_in_the_points(points: str) -> None:
    assert file(players=(line(1, points, "2 w  "), line(2, points, "1 b  "))).players[0].points == 5


def test_a_pairing_allocated_bye_in_advance_is_refused() -> None:
    with pytest.raises(NotOffered, match="found U in round 2, which is not paired yet"):
        file(players=(*TWO, line(3, "0.5", "0000 - H", "0000 - U")))


def test_an_absence_marked_as_a_forfeit_without_opponent_is_an_absence() -> None:
    assert [bye.tpn for bye in file(players=(*TWO, line(3, "0.0", "", "0000 - -"))).requested] == [3]
