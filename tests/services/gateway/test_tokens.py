"""Tokens: only their digests are kept, and what a token may do is what its line in the file says, now."""

import os
from pathlib import Path

import pytest

from services.gateway.problems import Problem
from services.gateway.tokens import Tokens, TokensUnusable, new_token, read
from tests.services.pairing.scene import FakeClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.toml"


def test_a_new_token_is_known_and_stands_nowhere(path: Path) -> None:
    presented = new_token(
        path, {"name": "hall-a", "scopes": ["command:record-result"], "tournaments": ["open-*"]}
    )

    token = Tokens(path).token(f"Bearer {presented}")

    assert token.name == "hall-a"
    assert (token.may_command("record-result"), token.may_command("correct-result")) == (True, False)
    assert (token.covers("open-2026"), token.covers("closed")) == (True, False)
    assert presented not in path.read_text()
    assert path.stat().st_mode & 0o077 == 0


def test_a_second_token_stands_beside_the_first(path: Path) -> None:
    first = new_token(path, {"name": "a", "scopes": ["command:*"], "expires": "2027-01-01T00:00:00Z"})
    second = new_token(path, {"name": "b", "scopes": ["operate"]})
    tokens = Tokens(path)

    assert [tokens.token(f"bearer {one}").name for one in (first, second)] == ["a", "b"]


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer nonsense", "Basic YTpi", "nonsense"]
)
def test_who_presents_no_known_token_is_told_how(path: Path, header: str | None) -> None:
    new_token(path, {"name": "a", "scopes": ["command:*"]})

    with pytest.raises(Problem) as refused:
        Tokens(path).token(header)

    assert refused.value.status == 401
    assert refused.value.headers["WWW-Authenticate"].startswith('Bearer realm="tirage"')


def test_a_token_ends_when_it_expires(path: Path) -> None:
    clock = FakeClock()
    presented = new_token(path, {"name": "a", "expires": "2026-10-05T09:00:00Z"})
    tokens = Tokens(path, clock)
    tokens.token(f"Bearer {presented}")

    clock.set("2026-10-05T09:00:00Z")

    with pytest.raises(Problem):
        tokens.token(f"Bearer {presented}")


def test_a_token_taken_out_of_the_file_is_refused_within_a_second(path: Path) -> None:
    clock = FakeClock()
    presented = new_token(path, {"name": "a"})
    tokens = Tokens(path, clock)
    path.write_text("")
    os.utime(path, (1, 1))

    clock.now += 1000

    with pytest.raises(Problem):
        tokens.token(f"Bearer {presented}")


def test_while_the_file_cannot_be_read_the_tokens_read_last_stand(path: Path) -> None:
    presented = new_token(path, {"name": "a"})
    tokens = Tokens(path)
    path.write_text("[[token]")

    tokens.reload()

    assert tokens.token(f"Bearer {presented}").name == "a"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[[token]", "Expected"),
        ("[[token]]\nname = 'a'", "sha256"),
        ("[[token]]\nname = 'A b'\nsha256 = '" + "0" * 64 + "'", "name"),
        ("[[token]]\nname = 'a'\nscopes = ['everything']\nsha256 = '" + "0" * 64 + "'", "scopes"),
        ("[[token]]\nname = 'a'\ncolour = 1\nsha256 = '" + "0" * 64 + "'", "colour"),
        (
            "[[token]]\nname = 'a'\nsha256 = '" + "0" * 64 + "'\n" + "expires = '2026-02-30T00:00:00Z'",
            "2026-02-30",
        ),
        (("[[token]]\nname = 'a'\nsha256 = '" + "0" * 64 + "'\n") * 2, "twice"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(path: Path, text: str, reason: str) -> None:
    path.write_text(text)

    with pytest.raises(TokensUnusable, match=reason):
        read(path)


def test_a_missing_file_is_refused(path: Path) -> None:
    with pytest.raises(TokensUnusable, match="No such file"):
        Tokens(path)


@pytest.mark.parametrize(
    "grant",
    [{"name": "a"}, {"name": "B"}, {"name": "b", "scopes": ["root"]}, {"name": "b", "expires": "tomorrow"}],
)
def test_what_cannot_be_granted_leaves_the_file_as_it_was(path: Path, grant: dict[str, object]) -> None:
    new_token(path, {"name": "a"})
    before = path.read_text()

    with pytest.raises(TokensUnusable):
        new_token(path, grant)

    assert path.read_text() == before
