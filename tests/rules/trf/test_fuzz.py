"""Whatever the bytes: a tournament or a `TrfError`, and what was read survives writing."""

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rules.trf import NotExpressible, TournamentFile, TrfError, read, to_pairing_input, write
from rules.trf.writer import Dialect
from tests.corpus.loading import sample, worked

SOURCES = [case.trf.encode() for case in sample()[::5] if case.players <= 30] + [
    case.trf for case in worked()
]
RECORDS = [
    "012 Ü", "132", "142 9", "152 B", "162  W 3.0    X 0.5", "192 FIDE_DUTCH", "240 H   3    1    2", "250       1.0   1   2    1    9",
    "260   1   3    1    2", "XXA    1  1.0  0.5", "XXC white1", "XXP 1 2", "XXR 9", "XXS W=3 D=1 PAB=3", "XXZ 1 2", "BBW  2.0", "BBU 0.5",
    "### note", "FRA    1", "001    1", "299", "013 x", "XX", "\ufeff", "²", "٣",
]  # fmt: skip
DIALECTS: tuple[Dialect, ...] = ("trf26", "trf16")


def survives(data: bytes) -> None:
    try:
        file = read(data)
    except TrfError:
        return
    assert isinstance(file, TournamentFile)
    for dialect in DIALECTS:
        try:
            written = write(file, dialect)
        except NotExpressible:
            continue
        assert read(written.encode()) == msgspec.structs.replace(file, adjustments=())
    try:
        seen = to_pairing_input(file)
    except TrfError:
        return
    assert all(len(entrant.history) == seen.round - 1 for entrant in seen.entrants)
    assert all(len(entrant.virtual) in (0, seen.round) for entrant in seen.entrants)


@given(st.binary(max_size=400))
@example(b"\xff\xfe0\x000\x00")
@example(b"001" + b"\x00" * 100)
def test_random_bytes(data: bytes) -> None:
    survives(data)


@given(
    st.lists(
        st.text(alphabet="01245689 WBwb-=+HUZFX.\u00b2\uff15", max_size=130).map("001 ".__add__), max_size=4
    )
)
def test_random_player_records(lines: list[str]) -> None:
    survives("\n".join(lines).encode())


@settings(max_examples=300)
@given(st.data())
def test_mutated_bytes_of_sound_files(data: st.DataObject) -> None:
    content = bytearray(data.draw(st.sampled_from(SOURCES)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.one_of(
                st.binary(max_size=3),
                st.sampled_from([b" ", b"0", b"1", b"=", b"-", b"U", b"Z", b"w", b"\n", b""]),
            )
        )
    survives(bytes(content))


@settings(max_examples=300)
@given(st.data())
def test_mutated_lines_of_sound_files(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from(SOURCES)).decode().splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        match data.draw(st.sampled_from(["drop", "twice", "add", "cut", "shift", "swap"])):
            case "drop" if len(lines) > 1:
                del lines[at]
            case "twice":
                lines.insert(at, lines[at])
            case "add":
                lines.insert(at, data.draw(st.sampled_from(RECORDS)))
            case "cut":
                lines[at] = lines[at][: data.draw(st.integers(0, len(lines[at])))]
            case "shift":
                lines[at] = lines[at][:4] + " " + lines[at][4:]
            case _:
                lines[at], lines[0] = lines[0], lines[at]
    survives("\n".join(lines).encode())
