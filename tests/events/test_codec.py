"""Canonical bytes: RFC 8785 is the oracle; what has no such form is refused by its place."""

from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from events.codec import INTEGER_MAX, NotCanonical, canonical_bytes, sha256_hex

keys = st.from_regex(r"[a-z][a-z0-9_]*", fullmatch=True)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.booleans() | st.integers(-INTEGER_MAX, INTEGER_MAX) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(keys, inner),
    max_leaves=30,
)


@given(values)
def test_canonical_bytes_are_those_of_rfc_8785(value: Any) -> None:
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(values)
def test_canonical_bytes_decode_to_what_was_encoded(value: Any) -> None:
    assert msgspec.json.decode(canonical_bytes(value)) == value


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": [1, 2.5]}, "a[1]"),
        ({"a": {"b": None}}, "a.b"),
        ({"a": 2**53}, "a"),
        ([-(2**53)], "[0]"),
        ({"a": {"Name": 1}}, "a"),
        ({"é": 1}, ""),
        ({"a": "\ud800"}, "a"),
    ],
)
def test_what_has_no_canonical_form_is_refused_by_its_place(value: object, path: str) -> None:
    with pytest.raises(NotCanonical) as refused:
        canonical_bytes(value)

    assert refused.value.path == path


def test_the_digest_is_sha_256() -> None:
    assert sha256_hex(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
