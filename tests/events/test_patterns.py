"""Patterns of ids and codes: what they allow is all there is, a line feed at the end not."""

from typing import Any

import msgspec
import pytest

from rules.commands import RegisterPlayer
from services.gateway.commands import Person

ENTRY = {"type": "register-player", "player": "p1", "person": "ab" * 32}


@pytest.mark.parametrize(
    "field",
    [{"player": "p1\n"}, {"fide_id": "123\n"}, {"federation": "GER\n"}, {"title": "GM\n"}, {"sex": "w\n"}],
)
def test_a_line_feed_at_the_end_is_not_passed_over(field: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**ENTRY, **field}, RegisterPlayer)


def test_a_birth_date_ends_where_it_ends() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"name": "A", "birth_date": "1990-01-01\n"}, Person)
