import pytest

from rules.acceleration import baku_group, baku_points


@pytest.mark.parametrize(
    ("participants", "group"),
    [(161, 82), (160, 80), (10, 6), (12, 6), (13, 8), (14, 8), (15, 8), (16, 8), (9, 6), (8, 4)],
)
def test_the_upper_group_is_half_of_the_field_rounded_up_to_even(participants: int, group: int) -> None:
    assert baku_group(participants) == group


@pytest.mark.parametrize(
    ("rounds", "whole", "half"),
    [(5, 2, 1), (6, 2, 1), (7, 2, 2), (8, 2, 2), (9, 3, 2), (10, 3, 2), (11, 3, 3), (12, 3, 3), (13, 4, 3)],
)
def test_the_rounds_with_a_whole_and_with_half_a_win(rounds: int, whole: int, half: int) -> None:
    points = baku_points(rounds, 10)

    assert points == (10,) * whole + (5,) * half + (0,) * (rounds - whole - half)


def test_virtual_match_points_of_the_text() -> None:
    """Eleven rounds at 2, 1, 0 points: two in rounds 1 to 3, one in rounds 4 to 6 (art. 1.4.4)."""
    assert baku_points(11, 20) == (20, 20, 20, 10, 10, 10, 0, 0, 0, 0, 0)
