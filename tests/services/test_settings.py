from pathlib import Path

import pytest

from services.settings import BadSetting, load

URL = "redis://localhost:6379/0"


def test_the_command_line_comes_before_the_environment_and_that_before_the_default() -> None:
    environment = {"TIRAGE_STORE_URL": URL, "TIRAGE_SWEEP_S": "7", "TIRAGE_PARTITIONS": "16"}

    settings = load(environment, sweep_s="0.5", partitions=None)

    assert (settings.store_url, settings.sweep_s, settings.partitions) == (URL, 0.5, 16)
    assert (settings.allow_unsafe, settings.claim_idle_ms) == (False, 30_000)


def test_the_seal_key_is_in_the_data_directory_unless_it_is_named() -> None:
    beside = load({"TIRAGE_STORE_URL": URL, "TIRAGE_DATA_DIR": "/data"})
    named = load({"TIRAGE_STORE_URL": URL, "TIRAGE_SEAL_KEY": "/run/secrets/key"}, data_dir="/data")

    assert beside.seal_key == Path("/data/seal.key")
    assert (named.seal_key, named.data_dir) == (Path("/run/secrets/key"), Path("/data"))
    assert load({"TIRAGE_STORE_URL": URL}).data_dir.is_absolute()


@pytest.mark.parametrize("text", ["yes", "1", "TRUE"])
def test_yes_has_its_usual_spellings(text: str) -> None:
    assert load({"TIRAGE_STORE_URL": URL, "TIRAGE_ALLOW_UNSAFE": text}).allow_unsafe


@pytest.mark.parametrize(
    ("variable", "text", "reason"),
    [
        ("TIRAGE_PARTITIONS", "0", "'0' is not a whole number from 1 to 1024"),
        ("TIRAGE_PARTITIONS", "many", "whole number"),
        ("TIRAGE_PARTITIONS", "١٦", "whole number"),
        ("TIRAGE_SWEEP_S", "nan", "number of seconds"),
        ("TIRAGE_SWEEP_S", "-1", "number of seconds"),
        ("TIRAGE_CLAIM_IDLE_MS", "0.5", "whole number"),
        ("TIRAGE_ALLOW_UNSAFE", "perhaps", "neither yes nor no"),
        ("TIRAGE_DATA_DIR", "", "a path is needed"),
        ("TIRAGE_STORE_URL", "http://localhost", "scheme"),
    ],
)
def test_what_cannot_be_used_is_refused_by_the_name_it_was_given(
    variable: str, text: str, reason: str
) -> None:
    with pytest.raises(BadSetting, match=reason) as refused:
        load({"TIRAGE_STORE_URL": URL, variable: text})
    assert str(refused.value).startswith(f"{variable}: ")


def test_an_option_is_named_as_an_option_and_a_password_not_at_all() -> None:
    with pytest.raises(BadSetting) as refused:
        load({}, store_url="redis://arbiter:secret@host:0/x")

    assert str(refused.value).startswith("--url: ")
    assert "secret" not in str(refused.value)


def test_without_a_store_it_says_how_to_name_one() -> None:
    with pytest.raises(BadSetting, match="--url or TIRAGE_STORE_URL: no store is named"):
        load({})
