import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from services.cli.exits import ExitCode
from services.cli.pair_file import BYTES_MAX, Request, customary, run

CASES = Path(__file__).parents[2] / "corpus" / "cases"
TIRAGE = Path(sys.executable).with_name("tirage")
T07_R2 = "4\n4 1\n2 7\n5 6\n8 0\n"


def left(request: Request) -> int:
    """Return the code with which a request that must fail leaves."""
    with pytest.raises(SystemExit) as leaving:
        run(request)
    assert isinstance(leaving.value.code, int)
    return leaving.value.code


def tirage(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [TIRAGE, "pair", *arguments], input=stdin, capture_output=True, check=False, timeout=60
    )


def asked(case: str, out: Path | None = None, edition: str | None = None, *, dutch: bool = True) -> Request:
    return Request(file=CASES / f"{case}.trf", out=out, dutch=dutch, edition=edition)


def test_the_pairing_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    run(asked("T07-r2"))

    assert capsys.readouterr() == (T07_R2, "")


def test_the_pairing_goes_to_the_file_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(asked("T07-r2", tmp_path / "out.txt"))

    assert (tmp_path / "out.txt").read_text() == T07_R2
    assert capsys.readouterr() == ("", "")
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_round_without_valid_pairing_leaves_with_1_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.txt"
    out.write_text("as before")

    assert left(asked("T10-r4")) == ExitCode.NO_VALID_PAIRING
    assert left(asked("T10-r4", out)) == ExitCode.NO_VALID_PAIRING
    printed, said = capsys.readouterr()
    assert printed == ""
    assert "round 4 has no valid pairing" in said
    assert out.read_text() == "as before"


def test_a_file_that_cannot_be_read_leaves_with_3_and_names_the_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left(asked("T08-bad", tmp_path / "out.txt")) == ExitCode.INVALID_REQUEST

    printed, said = capsys.readouterr()
    assert printed == ""
    assert "T08-bad.trf: line 2, columns 92-99: found '   3 w Z', expected opponent 0000" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (asked("T01-r1", dutch=False), "name the pairing system"),
        (
            asked("T01-r1", edition="2015"),
            "edition 2015 is not offered; --edition 2026 and --edition 2017 are",
        ),
        (asked("T01-r1", edition=""), "edition  is not offered"),
    ],
)
def test_what_is_not_offered_leaves_with_3(
    request_: Request, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left(request_) == ExitCode.INVALID_REQUEST
    assert said in capsys.readouterr().err


def test_each_edition_pairs_by_its_own_articles(capsys: pytest.CaptureFixture[str]) -> None:
    run(asked("T14-c5", edition="2026"))
    run(asked("T14-c5", edition="2017"))

    assert capsys.readouterr().out == "3\n1 5\n3 2\n6 0\n" + "3\n1 3\n6 2\n5 0\n"


def test_a_file_that_names_an_edition_is_paired_by_it_and_by_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "old.trf"
    file.write_bytes(b"192 FIDE_DUTCH_2017\n" + (CASES / "T14-c5.trf").read_bytes())

    run(Request(file=file, dutch=True))
    assert capsys.readouterr().out == "3\n1 3\n6 2\n5 0\n"
    assert left(Request(file=file, dutch=True, edition="2026")) == ExitCode.INVALID_REQUEST
    assert "FIDE_DUTCH_2017, that is fide-dutch@2017, and fide-dutch@2026 is asked" in capsys.readouterr().err


def test_a_pairing_is_never_written_over_its_own_tournament(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, link = tmp_path / "a.trf", tmp_path / "link"
    file.write_bytes((CASES / "T07-r2.trf").read_bytes())
    link.symlink_to(file)
    before = file.read_bytes()

    for out, reason in (
        (file, "is the tournament file itself"),
        (link, "itself"),
        (Path(), "-p names no file"),
    ):
        assert left(Request(file=file, out=out, dutch=True)) == ExitCode.INVALID_REQUEST
        assert reason in capsys.readouterr().err
    assert file.read_bytes() == before


def test_files_that_cannot_be_opened_leave_with_5(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for request in (
        Request(file=tmp_path / "none.trf", dutch=True),
        Request(file=tmp_path, dutch=True),
        asked("T01-r1", tmp_path / "no" / "such" / "out.txt"),
        asked("T01-r1", tmp_path),
        asked("T01-r1", CASES / "T01-r1.trf" / "out.txt"),
    ):
        assert left(request) == ExitCode.FILE_ACCESS
    assert "No such file or directory" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_replaced_keeps_its_mode_and_a_link_stays_a_link(tmp_path: Path) -> None:
    out, link = tmp_path / "out.txt", tmp_path / "link"
    out.touch(mode=0o640)
    out.chmod(0o640)
    link.symlink_to(out)

    run(asked("T07-r2", link))

    assert link.is_symlink()
    assert out.read_text() == T07_R2
    assert stat.S_IMODE(out.stat().st_mode) == 0o640


def test_a_device_is_written_and_not_replaced() -> None:
    run(asked("T07-r2", Path("/dev/null")))

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_file_larger_than_any_tournament_leaves_with_4(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b" " * (BYTES_MAX + 1))))

    assert left(Request(file=Path("-"), dutch=True)) == ExitCode.TOO_BIG


def test_an_old_encoding_is_noted_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = (CASES / "T07-r2.trf").read_bytes().replace(b"012 case", b"012 K\xf6ln")
    (tmp_path / "old.trf").write_bytes(old)

    run(Request(file=tmp_path / "old.trf", dutch=True))

    printed, said = capsys.readouterr()
    assert printed == T07_R2
    assert "line 1, column 6: the file is not UTF-8; read as CP1252" in said


@pytest.mark.parametrize(
    ("arguments", "request_"),
    [
        (["--dutch", "a"], Request(file=Path("a"), dutch=True)),
        (["--dutch", "a", "-p"], Request(file=Path("a"), dutch=True)),
        (["--dutch", "-", "-p", "-"], Request(file=Path("-"), out=Path("-"), dutch=True)),
        (["--dutch", "a", "-p", "b"], Request(file=Path("a"), out=Path("b"), dutch=True)),
        ([], None),
        (["--dutch"], None),
        (["--dutch", "--help"], None),
        (["--dutch", "a", "-p", "--help"], None),
        (["a", "--dutch"], None),
        (["--dutch", "a", "b"], None),
    ],
)
def test_the_customary_call_is_known_without_typer(arguments: list[str], request_: Request | None) -> None:
    assert customary(arguments) == request_


def test_the_real_program_pairs_from_a_file_and_from_standard_input(tmp_path: Path) -> None:
    file, out = CASES / "T07-r2.trf", tmp_path / "out.txt"

    for done in (
        tirage("--dutch", file),
        tirage("--dutch", "-", stdin=file.read_bytes()),
        tirage(file, "--dutch", "--edition", "2026"),
    ):
        assert (done.returncode, done.stdout, done.stderr) == (0, T07_R2.encode(), b"")
    assert tirage("--dutch", file, "-p", out).returncode == 0
    assert out.read_text() == T07_R2


def test_the_real_program_refuses_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "bytes.trf").write_bytes(bytes(range(256)) * 4)

    for code, done in (
        (ExitCode.NO_VALID_PAIRING, tirage("--dutch", CASES / "T10-r4.trf")),
        (ExitCode.INVALID_REQUEST, tirage("--dutch", CASES / "T08-bad.trf")),
        (ExitCode.INVALID_REQUEST, tirage("--dutch", tmp_path / "bytes.trf")),
        (ExitCode.INVALID_REQUEST, tirage("--dutch", CASES / "T07-r2.trf", "--edition", "2015")),
        (ExitCode.INVALID_REQUEST, tirage("--burstein", CASES / "T07-r2.trf")),
        (ExitCode.FILE_ACCESS, tirage("--dutch", tmp_path / "none.trf")),
    ):
        assert done.returncode == code
        assert done.stdout == b""
        assert b"Traceback" not in done.stderr
        assert done.stderr.count(b"\n") >= 1


def test_a_reader_that_goes_away_is_an_error_without_a_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [TIRAGE, "pair", "--dutch", CASES / "T07-r2.trf"],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        timeout=60,
    )
    os.close(writing)

    assert done.returncode == ExitCode.FILE_ACCESS
    assert done.stderr == b"tirage: standard output: Broken pipe\n"


def test_the_customary_call_loads_neither_typer_nor_the_services_own_libraries() -> None:
    program = (
        "import sys; from services.cli.pair_file import Request, run; from pathlib import Path;"
        f"run(Request(file=Path({str(CASES / 'T07-r2.trf')!r}), dutch=True));"
        "print(sorted({'typer', 'rich', 'redis', 'faststream', 'structlog', 'asyncio'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60)

    assert done.stdout.decode().endswith("\n[]\n")
