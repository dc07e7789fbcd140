import pytest
from msgspec.structs import replace

from rules.swiss.dutch.editions import EDITION_2026
from rules.swiss.dutch.floats import Float
from rules.swiss.pairing_input import RoundKind, RoundRecord
from tests.rules.swiss.dutch.scenes import situation


@pytest.mark.parametrize(
    ("unplayed", "floats", "bars"),
    [
        ("U", Float.DOWN, True),
        ("F", Float.DOWN, True),
        ("2w+", Float.DOWN, True),
        ("H", Float.DOWN, False),
        ("Z", None, False),
        ("2w-", None, False),
    ],
)
def test_what_an_unplayed_round_leaves_on_the_card(
    unplayed: str, floats: Float | None, *, bars: bool
) -> None:
    opponent = {"+": "1b-", "-": "1b+"}.get(unplayed[-1], "Z")

    player = next(p for p in EDITION_2026.field(situation({1: unplayed, 2: opponent})).players if p.tpn == 1)

    assert (player.float_before, player.pab_barred, player.unplayed) == (floats, bars, 1)
    assert player.colours == ()
    assert player.preference is None


def test_a_bye_worth_nothing_still_floats_down_and_bars() -> None:
    given = situation({1: "U", 2: "Z"})
    worthless = RoundRecord(kind=RoundKind.PAIRING_ALLOCATED_BYE, points=0)
    given = replace(given, entrants=(replace(given.entrants[0], history=(worthless,)), given.entrants[1]))

    player = EDITION_2026.field(given).players[0]

    assert (player.float_before, player.pab_barred) == (Float.DOWN, True)


def test_a_game_floats_by_the_pairing_scores_before_it() -> None:
    """In round 2, loser 1 with a virtual point meets winner 4 without: no float. 2 falls, 3 rises."""
    given = situation(
        {1: "2w0 4b=", 2: "1b1 3w=", 3: "4w0 2b=", 4: "3b1 1w="}, virtual={1: (10, 10, 0), 2: (10, 10, 0)}
    )

    floats = {player.tpn: player.float_before for player in EDITION_2026.field(given).players}

    assert floats == {1: None, 4: None, 2: Float.DOWN, 3: Float.UP}


def test_floats_are_looked_up_by_tournament_round_and_colours_without_gaps() -> None:
    given = situation({1: "2w1 U Z 2b1", 2: "1b0 Z Z 1w0"})

    player = next(p for p in EDITION_2026.field(given).players if p.tpn == 1)

    assert (player.float_before, player.float_before_that) == (Float.DOWN, None)
    assert [colour.value for colour in player.colours] == ["w", "b"]


@pytest.mark.parametrize(
    ("results", "rounds", "is_topscorer"),
    [("U 2w=", 3, True), ("U 2w0", 3, False), ("2w1 H Z", 4, False), ("U 2w=", 4, False)],
)
def test_topscorers_have_more_than_half_and_exist_in_the_last_round(
    results: str, rounds: int, *, is_topscorer: bool
) -> None:
    mirror = results.replace("2w", "1b").replace("b1", "b0").replace("U", "Z")
    given = situation({1: results, 2: mirror if "2w0" not in results else "Z 1b1"}, rounds)

    assert next(p for p in EDITION_2026.field(given).players if p.tpn == 1).topscorer is is_topscorer
