import pytest

from events.facts import ByeKind, Colour
from rules.trf import NotOffered, Prohibited, RequestedBye, TrfError, read, to_pairing_input
from tests.rules.trf.building import FOUR, TWO, file, line, trf

HEADER = (
    "012 Autumn Open",
    "022 Göteborg",
    "032 SWE",
    "042 2026/11/07",
    "052 2026/11/09",
    "062 4",
    "072 4",
    "082 0",
    "092 Individual: Swiss-System",
    "102 Chief, Anna",
    "112 Deputy, Bo",
    "112 Deputy, Cy",
    "122 90 min + 30 s",
    "132".ljust(91) + "26/11/07            26/11/09",
    "142 5",
    "152 b",
    "172 FRA FIDE",
    "182 Tirage",
    "192 fide_dutch_2026",
    "202 BH/C1,BH",
    "212 PTS,BH/C1,BH",
    "222 5400+30",
)


def test_the_header_is_read() -> None:
    header = read(trf(*HEADER, *FOUR)).header

    assert (header.name, header.city, header.federation) == ("Autumn Open", "Göteborg", "SWE")
    assert (header.start_date, header.end_date) == ("2026/11/07", "2026/11/09")
    assert (header.chief_arbiter, header.deputies) == ("Chief, Anna", ("Deputy, Bo", "Deputy, Cy"))
    assert header.round_dates == ("26/11/07", "", "26/11/09")
    assert (header.tie_breaks, header.standings_order, header.time_control) == (
        "BH/C1,BH",
        "PTS,BH/C1,BH",
        "5400+30",
    )


def test_rounds_colour_and_system_are_read_in_both_dialects() -> None:
    new, old = read(trf(*HEADER, *FOUR)), read(trf("XXR 5", "XXC black1", *FOUR))

    assert (new.rounds, new.initial_colour, new.system_code) == (5, Colour.BLACK, "FIDE_DUTCH_2026")
    assert (old.rounds, old.initial_colour, old.system_code) == (5, Colour.BLACK, "")


def test_comments_and_unknown_records_are_kept() -> None:
    file_ = read(trf("### by hand", "142 5", "FRA    1", *FOUR, "801 Team", "### end"))

    assert file_.kept_head == ("### by hand", "FRA    1")
    assert file_.kept == ("801 Team", "### end")


@pytest.mark.parametrize(
    "records",
    [
        ("142 5", "XXR 6"),
        ("142 5", "142 7"),
        ("152 W", "XXC black1"),
        ("152 W", "152 B"),
        ("192 FIDE_DUTCH", "192 FIDE_DUTCH_2026"),
    ],
)
def test_records_that_contradict_each_other_are_refused(records: tuple[str, str]) -> None:
    with pytest.raises(TrfError, match="line 2"):
        read(trf(*records, *FOUR))


@pytest.mark.parametrize(
    "record",
    [
        "013 Team                              1    2",
        "299 +    1.0   0.0   1    1",
        "300   1   1   2    1    2",
        "310   1 Georgia",
        "320 2.0  4.0",
        "330 +-   1   1   2",
        "340 x",
        "352 WBWB",
        "362 TW 2.0",
        "ACC 1",
        "PAB 1",
        "XXC rank",
        "XXC rank white1",
        "XXS WW=1.5",
        "XXS BL=0.5",
        "XXB 1",
        "BBX 1.0",
        "192 FIDE_DUBOV",
        "192 FIDE_BURSTEIN_BAKU",
        "192 CUSTOM_SWISS",
        "192 FIDE_TEAM",
        "192 FIDE_DUTCH_2015",
        "192 FIDE_DUTCH_2027_BAKU",
        "092 FIDE_DUBOV",
        "250  1.0       1   2    1    2",
    ],
)
def test_what_would_change_the_pairing_and_is_not_honoured_is_refused(record: str) -> None:
    with pytest.raises(NotOffered):
        read(trf("142 5", record, *FOUR))


@pytest.mark.parametrize(
    ("code", "edition"),
    [
        ("", "2026"),
        ("FIDE_DUTCH", "2026"),
        ("FIDE_DUTCH_2025", "2026"),
        ("FIDE_DUTCH_2026", "2026"),
        ("FIDE_DUTCH_2017", "2017"),
    ],
)
def test_the_codes_of_the_dutch_system_name_its_editions(code: str, edition: str) -> None:
    for record in (f"192 {code}", f"092 {code}"):
        read_ = file(record, "152 W")
        assert to_pairing_input(read_).system == f"fide-dutch@{edition}"
    assert file(f"192 {code}").system_code == code


def test_the_code_without_a_year_means_the_edition_of_the_start_date() -> None:
    for date, edition in (("2026/02/01", "2026"), ("2026/01/31", "2017"), ("", "2026")):
        read_ = file(f"042 {date}", "152 W", "192 FIDE_DUTCH")
        assert to_pairing_input(read_).system == f"fide-dutch@{edition}"


def test_another_edition_than_the_file_names_is_refused() -> None:
    old = file("152 W", "192 FIDE_DUTCH_2017")

    with pytest.raises(TrfError, match="FIDE_DUTCH_2017, that is fide-dutch@2017, and fide-dutch@2026"):
        to_pairing_input(old, system="fide-dutch@2026")


def test_virtual_points_that_are_given_stand_against_a_baku_code() -> None:
    given = file("192 FIDE_DUTCH_2026_BAKU", "250       1.0   1   2    1    1")

    assert [player.virtual for player in given.players] == [(10, 10), (), (), ()]
    assert given.adjustments == ()


def test_a_baku_code_alone_gives_the_virtual_points_of_its_formulas() -> None:
    derived = file("192 FIDE_DUTCH_2026_BAKU")

    assert [player.virtual for player in derived.players] == [(10, 10, 5), (10, 10, 5), (), ()]
    assert "starting ranks up to 2 are the upper group" in derived.adjustments[0]


@pytest.mark.parametrize(
    ("records", "needed"),
    [
        ((), "needs the number of rounds"),
        (("142 5", "162  W 3.0    D 1.0"), "needs a win worth two draws"),
    ],
)
def test_a_baku_code_is_refused_where_its_formulas_do_not_apply(
    records: tuple[str, ...], needed: str
) -> None:
    with pytest.raises(TrfError, match=needed):
        read(trf(*records, "192 FIDE_DUTCH_BAKU", *FOUR))


def test_byes_of_the_coming_round_are_read_from_every_place() -> None:
    record_240 = file("240 H   2    1    3", "240 Z   3    1").requested
    record_xxz = file("XXZ 1 3").requested

    assert record_240 == (
        RequestedBye(tpn=1, round=2, kind=ByeKind.HALF_POINT),
        RequestedBye(tpn=3, round=2, kind=ByeKind.HALF_POINT),
        RequestedBye(tpn=1, round=3, kind=ByeKind.ZERO_POINT),
    )
    assert [(bye.tpn, bye.round, bye.kind) for bye in record_xxz] == [(1, 2, "zero"), (3, 2, "zero")]
    column = file(players=(*TWO, line(3, "0.0", "", "0000 - F")))
    assert column.requested == (RequestedBye(tpn=3, round=2, kind=ByeKind.FULL_POINT),)


def test_the_same_bye_told_twice_is_one_bye() -> None:
    players = (*TWO, line(3, "0.0", "", "0000 - Z"))

    assert len(file("240 Z   2    3", "XXZ 3", players=players).requested) == 1


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("240 X   2    1", "line 2, column 5: .*F, H or Z"),
        ("240 H   0    1", "columns 7-9: .*a round"),
        ("240 H   9    1", "columns 7-9: .*of the 5"),
        ("240 H   2    9", "columns 11-14: .*starting rank of this file"),
        ("240 H   2    1x", "a blank between two fields"),
        ("240 H   1    1", "what the entry of player 1 in round 1 says"),
        ("240 H   2    1\n240 Z   2    1", "one kind of bye for player 1 in round 2"),
        ("XXZ 9", "line 2, column 5: .*starting rank of this file"),
        ("XXZ 1,2", "columns 5-7: .*a starting rank"),
        ("XXA    11.0", "columns 5-8|column 9"),
        ("XXA    9  1.0", "columns 5-8: .*starting rank of this file"),
        ("XXA    1  1.0  1.0  1.0  1.0  1.0  1.0", "for the 5 rounds"),
        ("XXA    1 -1.0", "column"),
        ("XXA    1  1.0\nXXA    1  1.0", "one XXA record a player"),
        ("XXA    1  1.0\n250       0.5   1   1    1    1", "that the 250 records give"),
        ("250       0.0   1   2    1    2", "virtual points above 0"),
        ("250       1.0   2   1    1    2", "run backwards"),
        (
            "250       1.0   1   2    1    2\n250       0.5   2   3    2    3",
            "one value for player 2 in round 2",
        ),
        ("260   1   9", "at least two starting ranks"),
        ("260   1   9    1    1", "each once"),
        ("260   1   9    1    7", "columns 18-21: .*each once"),
        ("260   6   9    1    2", "columns 5-7: .*of the 5"),
        ("260   2   1    1    2", "run backwards"),
        ("XXP 1", "at least two"),
        ("XXP 1 9", "column 7: .*each once"),
        ("152 X", "the initial colour, W or B"),
        ("152", "the initial colour, W or B"),
        ("XXC white", "white1 or black1"),
    ],
)
def test_a_faulty_record_is_named_with_its_place(record: str, message: str) -> None:
    with pytest.raises(TrfError, match=message) as refused:
        file(record)

    assert refused.value.line > 0


def test_a_redundant_240_of_a_past_round_is_accepted() -> None:
    players = (*TWO, line(3, "0.5", "0000 - H"), line(4, "0.0", ""))

    assert file("240 H   1    3", "240 Z   1    4", players=players).requested == ()


def test_prohibited_pairs_are_read_in_both_dialects() -> None:
    assert file("260   1 999    1    3    4", "260 002 003 0002 0003").prohibited == (
        Prohibited(players=(1, 3, 4), first_round=1, last_round=5),
        Prohibited(players=(2, 3), first_round=2, last_round=3),
    )
    assert file("XXP 1 3 4").prohibited == (Prohibited(players=(1, 3, 4), first_round=1, last_round=5),)


def test_virtual_points_are_read_in_both_dialects() -> None:
    rows = file("XXA    1  1.0  1.0  0.5", "XXA    2  0.0")
    ranges = file("250      01.0 001 002 0001 0001", "250       0.5   3   3    1    1")

    assert [player.virtual for player in rows.players] == [(10, 10, 5), (), (), ()]
    assert rows == ranges
