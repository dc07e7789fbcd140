from rules.swiss.dutch import pair
from rules.swiss.dutch.boards import board_order
from tests.rules.swiss.dutch.fields import field
from tests.rules.swiss.dutch.scenes import shown, situation


def test_boards_go_by_the_better_score_then_both_scores_then_the_number() -> None:
    one, two, three, four, five, six, seven, eight = field([20, 20, 20, 20, 10, 10, 0, 0]).players

    ordered = board_order([(five, six), (three, eight), (two, seven), (one, four)])

    assert ordered == [(one, four), (two, seven), (three, eight), (five, six)]


def test_virtual_points_count_for_the_order_of_boards() -> None:
    """Number 4 leads, but 1 and 2 have a virtual point; they meet, and play on the first board."""
    given = situation({1: "Z", 2: "Z", 3: "Z", 4: "H"}, virtual={1: (0, 10), 2: (0, 10)})

    assert shown(pair(given)) == "1-2 3-4"
