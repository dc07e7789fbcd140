import pytest

from events.facts import Colour
from rules.trf import ResultCode, RoundEntry, TrfError, read
from tests.rules.trf.building import FOUR, file, line, trf


def test_every_field_of_a_player_is_read_from_its_columns() -> None:
    record = "001    1 wWGM Martin-Lefèvre, Anne-Sophie       2301 FRA      654321 1995/00/00  0.0   12"

    player = file(players=(record,)).players[0]

    assert (player.tpn, player.sex, player.title, player.name) == (
        1,
        "w",
        "WGM",
        "Martin-Lefèvre, Anne-Sophie",
    )
    assert (player.rating, player.federation, player.fide_id, player.birth_date) == (
        2301,
        "FRA",
        "654321",
        "1995/00/00",
    )
    assert (player.points, player.rank) == (0, 12)


@pytest.mark.parametrize(
    ("column", "length", "found"),
    [
        (4, 4, "x"),
        (5, 8, "   ²"),
        (5, 8, "0000"),
        (14, 14, "x"),
        (49, 52, "abc"),
        (58, 68, "A"),
        (81, 84, "1,5"),
        (86, 89, "x"),
        (91, 91, "7"),
    ],
)
def test_a_faulty_field_is_named_with_its_columns(column: int, length: int, found: str) -> None:
    record = line(1).ljust(91)
    broken = record[: column - 1] + found + record[column - 1 + len(found) :]

    with pytest.raises(TrfError) as refused:
        read(trf("142 5", broken))

    assert refused.value.line == 2
    assert refused.value.columns is not None
    assert refused.value.columns[0] <= length
    assert refused.value.columns[1] >= column


@pytest.mark.parametrize(
    ("block", "entry"),
    [
        ("   2 w 1", RoundEntry(code=ResultCode.WIN, opponent=2, colour=Colour.WHITE)),
        ("0002 W w", RoundEntry(code=ResultCode.SHORT_WIN, opponent=2, colour=Colour.WHITE)),
        ("2    b =", RoundEntry(code=ResultCode.DRAW, opponent=2, colour=Colour.BLACK)),
        ("   2 s d", RoundEntry(code=ResultCode.SHORT_DRAW, opponent=2, colour=Colour.BLACK)),
        ("   2 b -", RoundEntry(code=ResultCode.FORFEIT_LOSS, opponent=2, colour=Colour.BLACK)),
        ("   2 b", RoundEntry(code=ResultCode.PENDING, opponent=2, colour=Colour.BLACK)),
    ],
)
def test_blocks_are_read_in_all_their_spellings(block: str, entry: RoundEntry) -> None:
    theirs = {"1": "0", "W": "l", "=": "=", "D": "d", "-": "+", " ": " "}[entry.code]
    other = "w" if entry.colour is Colour.BLACK else "b"
    points = {"1": "1.0", "W": "1.0", "=": "0.5", "D": "0.5"}.get(entry.code, "0.0")
    mine = line(1, points) + "  " + block

    players = file(
        players=(
            mine,
            line(
                2, {"0": "0.0", "l": "0.0", " ": "0.0", "+": "1.0"}.get(theirs, "0.5"), f"1 {other} {theirs}"
            ),
        )
    ).players

    assert players[0].entries == (entry,)


@pytest.mark.parametrize(
    "block",
    [
        "3 w Z",
        "3 - H",
        "3 b U",
        "0000 w U",
        "0000 w -",
        "0000 - 1",
        "0000 - =",
        "0000 - 0",
        "  x w 1",
        "3 x 1",
        "3 w 5",
        "3 - 1",
        "3x w 1",
        "3 wx1",
        "² w 1",
        "0000 - ½",
    ],
)
def test_a_malformed_block_is_refused(block: str) -> None:
    with pytest.raises(TrfError, match=r"line 2, column"):
        read(trf("142 5", line(1, "1.0", block), *FOUR[1:]))


@pytest.mark.parametrize("code", ["+", "-", "U", "H", "F", "Z"])
def test_byes_and_forfeits_without_an_opponent_are_read(code: str) -> None:
    points = {"+": "1.0", "U": "1.0", "F": "1.0", "H": "0.5"}.get(code, "0.0")
    others = (line(1, "1.0", "2 w 1"), line(2, "0.0", "1 b 0"))

    players = file(players=(*others, line(3, points, f"0000 - {code}"))).players

    assert players[2].entries == (RoundEntry(code=ResultCode(code)),)


@pytest.mark.parametrize("block", ["", "0000 -  ", "0000    ", "     -  "])
def test_an_empty_block_in_a_paired_round_is_an_absence(block: str) -> None:
    players = file(players=(*FOUR, line(5, "0.0", block))).players

    assert players[4].entries == (None,)


def test_a_line_cut_at_its_last_blanks_is_filled_up() -> None:
    cut = line(5).rstrip()

    assert file(players=(*FOUR, cut[:60])).players[4].rank is None


def test_a_hundred_points_spill_over_to_the_left() -> None:
    players = (line(1, "100.0", "2 w 1"), line(2, "0.0", "1 b 0"))

    assert file("XXS W=100", players=players).players[0].points == 1000


def test_more_than_99_rounds_are_refused() -> None:
    with pytest.raises(TrfError, match="at most 99 rounds"):
        read(trf(line(1) + " " * 2 + " " * 9990 + "0000 - Z", *FOUR[1:]))
