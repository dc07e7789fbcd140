import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from services.pairing.seal_key import SealKeyUnusable, seal_key


def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "seal.key"

    with capture_logs() as logs:
        key = seal_key(path)

    assert len(key) == 32
    assert seal_key(path) == key
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]
    assert not any(key.hex() in str(line) or repr(key) in str(line) for line in logs)


def test_workers_started_at_once_have_the_same_key(tmp_path: Path) -> None:
    path = tmp_path / "seal.key"

    with ThreadPoolExecutor(16) as starts:
        keys = set(starts.map(seal_key, [path] * 64))

    assert len(keys) == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", bytes(31), b"0" * 64])
def test_a_file_that_is_no_key_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "seal.key"
    path.write_bytes(content)

    with pytest.raises(SealKeyUnusable, match=f"32 bytes, it holds {len(content)}"):
        seal_key(path)
    assert path.read_bytes() == content


def test_a_key_that_others_can_read_is_used_and_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "seal.key"
    key = seal_key(path)
    path.chmod(0o644)

    with capture_logs() as logs:
        assert seal_key(path) == key
    assert [line["event"] for line in logs] == ["seal_key_readable_by_others"]


def test_a_place_where_no_key_can_be_is_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(SealKeyUnusable, match=r"file/seal\.key"):
        seal_key(tmp_path / "file" / "seal.key")
    with pytest.raises(SealKeyUnusable, match="directory"):
        seal_key(tmp_path)
