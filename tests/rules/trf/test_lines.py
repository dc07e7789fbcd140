import pickle

import pytest

from rules.trf import TrfError, read
from tests.rules.trf.building import FOUR, trf

SOUND = trf("012 Bad Wörishofen", "142 5", "152 W", *FOUR)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_every_kind_of_line_end_is_read(end: bytes) -> None:
    assert read(SOUND.replace(b"\n", end)) == read(SOUND)


def test_a_byte_order_mark_and_a_missing_last_line_end_change_nothing() -> None:
    assert read(b"\xef\xbb\xbf" + SOUND.rstrip()) == read(SOUND)


def test_columns_count_characters_and_not_bytes() -> None:
    content = SOUND.decode().replace("Player 1 ", "Müß-Ÿ 1  ").encode()

    assert [player.name for player in read(content).players][:1] == ["Müß-Ÿ 1"]


def test_old_files_in_cp1252_are_read_and_noted() -> None:
    file = read(SOUND.decode().encode("cp1252"))

    assert file.header.name == "Bad Wörishofen"
    assert file.adjustments == ("line 1, column 10: the file is not UTF-8; read as CP1252",)


def test_bytes_of_no_known_encoding_are_named() -> None:
    with pytest.raises(TrfError, match=r"line 1, column 10: byte 0x81 is neither UTF-8 nor CP1252"):
        read(SOUND.replace("ö".encode(), b"\x81"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_refused(encoding: str) -> None:
    with pytest.raises(TrfError):
        read(SOUND.decode().encode(encoding))


def test_a_tab_is_refused_with_its_place() -> None:
    with pytest.raises(TrfError) as refused:
        read(SOUND.replace(b"142 5", b"142\t5"))

    assert (refused.value.line, refused.value.columns) == (2, (4, 4))
    assert "a tab" in refused.value.message


@pytest.mark.parametrize("control", ["\x00", "\x0b", "\x0c", "\x1a", "\x85", "\x9b"])
def test_a_control_character_is_refused(control: str) -> None:
    with pytest.raises(TrfError, match="line 1, column 9: found"):
        read(SOUND.decode().replace("Wö", control).encode())


@pytest.mark.parametrize("bad", ["142", "0142 5", " 142 5", "xxr 5", "1425", "<html>", "{}"])
def test_a_line_that_is_no_record_is_refused(bad: str) -> None:
    with pytest.raises(TrfError, match="line 1"):
        read(trf(bad, *FOUR))


@pytest.mark.parametrize(
    "number", ["²", "٣", "５", "1e3", "+5", "5.0", "-5", "0x5", "", "0", "100", "99999999999999999999"]
)
def test_only_ascii_digits_within_the_limits_are_numbers(number: str) -> None:
    with pytest.raises(TrfError, match=r"line 1.* expected the number of rounds, 1 to 99"):
        read(trf(f"142 {number}", *FOUR))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"   \r\n", b"\xef\xbb\xbf", b"012 Empty\n"])
def test_a_file_without_players_is_refused(content: bytes) -> None:
    with pytest.raises(TrfError, match="no player record"):
        read(content)


def test_huge_fields_and_lines_are_refused_or_cut_in_the_message() -> None:
    with pytest.raises(TrfError) as refused:
        read(trf("142 " + "9" * 1_000_000, *FOUR))

    assert len(str(refused.value)) < 200


def test_an_error_survives_the_way_between_processes() -> None:
    error = TrfError(3, (4, 4), "found a tab")

    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes

    assert (str(again), again.line, again.columns) == ("line 3, column 4: found a tab", 3, (4, 4))
