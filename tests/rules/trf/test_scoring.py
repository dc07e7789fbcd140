import pytest

from events.facts import Scoring
from rules.trf import TrfError
from tests.rules.trf.building import file, line

FOOTBALL = Scoring(
    win=30, draw=10, forfeit_win=30, full_point_bye=30, half_point_bye=10, pairing_allocated_bye=30
)
NOBODY_YET = (line(1), line(2))


@pytest.mark.parametrize(
    "records",
    [
        ("162  W 3.0    D 1.0",),
        ("162  W 3.0", "162  D 1.0"),
        ("162  W 3.0    D 1.0    L 0.0    A 0.0    P 3.0",),
        ("162  W 3.0    D 1.0    Z 0.0",),
        ("XXS W=3 D=1 PAB=3",),
        ("XXS W=2 D=1", "XXS W=3 PAB=3.0"),
        ("BBW  3.0", "BBD  1.0"),
        ("162  W 3.0    D 1.0", "XXS W=3 D=1 PAB=3", "BBW 3", "BBD 1.0"),
    ],
)
def test_the_same_scoring_is_read_from_every_kind_of_record(records: tuple[str, ...]) -> None:
    assert file(*records, players=NOBODY_YET).scoring == FOOTBALL


def test_one_value_given_leaves_the_others_as_usual() -> None:
    assert file("162  P 0.5", players=NOBODY_YET).scoring == Scoring(pairing_allocated_bye=5)
    assert file("BBU  0.5", players=NOBODY_YET).scoring == Scoring(pairing_allocated_bye=5)
    assert file("BBF -1.0", players=NOBODY_YET).scoring == Scoring(forfeit_loss=-10)
    assert file("BBZ  0.5", players=NOBODY_YET).scoring == Scoring(zero_point_bye=5)
    assert file("162  A 0.5", players=NOBODY_YET).scoring == Scoring(zero_point_bye=5, forfeit_loss=5)
    assert file("XXS FW=0.5", players=NOBODY_YET).scoring == Scoring(forfeit_win=5)


def test_white_and_black_values_may_come_on_two_lines_when_they_agree() -> None:
    assert file("XXS WW=2", "XXS BW=2", players=NOBODY_YET).scoring == Scoring(win=20)


def test_the_value_of_an_unknown_result_is_read() -> None:
    assert file("162  X 0.0", players=NOBODY_YET).unknown_result == 0
    assert file(players=NOBODY_YET).unknown_result is None


@pytest.mark.parametrize(
    "records",
    [
        ("162  W3.0.0",),
        ("162  W 3,0",),
        ("162 W 3.0",),
        ("162  Q 3.0",),
        ("162  W",),
        ("162  W 3.0  D 1.0",),
        ("162  W 3.0    W 2.0",),
        ("XXS W",),
        ("XXS W=",),
        ("XXS W=1/2",),
        ("XXS W=0.25",),
        ("XXS w=3",),
        ("XXS W = 3",),
        ("BBW",),
        ("BBW x",),
        ("BBW 1.0 2.0",),
        ("BBW 1.0", "BBW 2.0"),
        ("162  W 3.0", "XXS W=2"),
        ("162  W ²",),
    ],
)
def test_a_faulty_scoring_record_is_refused(records: tuple[str, ...]) -> None:
    with pytest.raises(TrfError, match=rf"line {1 + len(records)}, column"):
        file(*records, players=NOBODY_YET)
