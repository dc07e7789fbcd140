from pathlib import Path

import msgspec
import pytest

from events.facts import Scoring, VirtualPoints
from rules.trf import NotExpressible, TournamentFile, acceleration, read, to_pairing_input, write
from rules.trf.writer import Dialect
from tests.rules.trf.building import FOUR, file, line

GOLDEN = Path(__file__).parents[2] / "golden" / "trf"
DIALECTS: tuple[Dialect, ...] = ("trf26", "trf16")


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.trf[12]6")), ids=lambda path: path.name)
def test_golden_files_are_written_as_first_agreed(path: Path) -> None:
    dialect: Dialect = "trf26" if path.suffix == ".trf26" else "trf16"
    file_ = read(path.with_suffix(".trf").read_bytes())
    written = write(file_, dialect)

    assert written == path.read_bytes().decode()
    again = read(written.encode())
    assert again == msgspec.structs.replace(file_, adjustments=())
    assert to_pairing_input(again) == to_pairing_input(file_)


def test_a_pending_bye_stands_in_240_or_in_the_column_and_the_points() -> None:
    file_ = file("240 H   2    1", "240 Z   4    3")

    assert "240 H   2    1\n240 Z   4    3\n" in write(file_)
    old = write(file_, "trf16").splitlines()
    assert old[1].endswith(" 1.5    1     3 w 1  0000 - H")
    assert old[3].endswith("  1 b 0                      0000 - Z")


def test_virtual_points_become_ranges() -> None:
    rows = [f"XXA {tpn:>4}  1.0  1.0  0.5" for tpn in (1, 2)] + ["XXA    4  0.0  1.0"]
    file_ = file(*rows)

    assert acceleration(file_) == (
        VirtualPoints(points=10, first_round=1, last_round=2, first_tpn=1, last_tpn=2),
        VirtualPoints(points=5, first_round=3, last_round=3, first_tpn=1, last_tpn=2),
        VirtualPoints(points=10, first_round=2, last_round=2, first_tpn=4, last_tpn=4),
    )
    assert write(file_, "trf16").splitlines()[-3:] == rows


@pytest.mark.parametrize("record", ["260   2   3    1    2", "260   1   4    1    2"])
def test_trf16_cannot_say_that_a_prohibition_ends(record: str) -> None:
    with pytest.raises(NotExpressible, match="some rounds only"):
        write(file(record), "trf16")


@pytest.mark.parametrize("record", ["XXS FW=0.5", "XXS FPB=0.5", "XXS HPB=0.0", "BBF 1.0", "BBZ 0.5"])
def test_trf26_cannot_value_forfeits_and_byes_by_themselves(record: str) -> None:
    file_ = file(record, players=(line(1), line(2)))

    with pytest.raises(NotExpressible, match="TRF26 has no values"):
        write(file_)
    assert read(write(file_, "trf16").encode()) == file_


@pytest.mark.parametrize(
    "scoring",
    [
        Scoring(),
        Scoring(pairing_allocated_bye=5),
        Scoring(loss=-5),
        Scoring(win=30, forfeit_win=30, full_point_bye=30),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_scoring_survives_in_both_dialects(scoring: Scoring, dialect: Dialect) -> None:
    file_ = TournamentFile(
        players=file(players=(line(1), line(2))).players, scoring=scoring, unknown_result=0
    )

    assert read(write(file_, dialect).encode()) == file_


def test_what_is_too_wide_for_its_columns_is_refused() -> None:
    player = file().players[0]

    for change in (
        {"federation": "LONG"},
        {"fide_id": "1" * 12},
        {"points": 100_000},
        {"rating": 10_000},
        {"title": "WWGM"},
    ):
        wide = msgspec.structs.replace(player, **change)
        with pytest.raises(NotExpressible, match="does not fit"):
            write(TournamentFile(players=(wide,)))


def test_a_long_name_is_cut_at_its_33_columns() -> None:
    player = msgspec.structs.replace(file().players[0], name="N" * 40)

    assert f" {'N' * 33} 2399" in write(TournamentFile(players=(player,)))


def test_a_line_break_in_a_text_is_refused() -> None:
    file_ = file("012 Open")
    broken = msgspec.structs.replace(file_, header=msgspec.structs.replace(file_.header, name="Open\n152 B"))

    with pytest.raises(NotExpressible, match="control character"):
        write(broken)


def test_players_keep_the_order_of_their_lines() -> None:
    assert [player.tpn for player in read(write(file(players=FOUR[::-1])).encode()).players] == [4, 3, 2, 1]
