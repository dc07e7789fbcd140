"""Entries: every event survives storage, its bytes are golden, and what is not ours is refused by version."""

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings

from events.codec import ENTRY_BYTES_MAX, NotCanonical
from events.envelope import GENESIS, Recorded, Unreadable, admitted, decode, encode
from events.facts import (
    AnyFact,
    Colour,
    Fact,
    LotsDrawn,
    NumbersAssigned,
    PlayerRegistered,
    PresenceConfirmed,
)
from tests.support.anything import anything

GOLDEN = Path(__file__).parents[1] / "golden" / "events"


def recorded(fact: AnyFact, v: int = 1) -> Recorded:
    return Recorded(
        v=v,
        prev=GENESIS,
        at="2026-10-05T10:00:00.000Z",
        actor="arbiter",
        cause="c1",
        request="ab" * 32,
        fact=fact,
    )


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(anything(Recorded))
def test_every_event_survives_storage_and_is_canonical(entry: Recorded) -> None:
    stored = encode(entry)

    assert decode(stored, entry.v) == entry
    assert stored == rfc8785.dumps(json.loads(stored))


def test_every_kind_of_fact_has_golden_bytes() -> None:
    tags = {kind.__struct_config__.tag for kind in Fact.__subclasses__()}

    assert {path.stem for path in GOLDEN.glob("*.json")} == tags


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.json")), ids=lambda path: path.stem)
def test_the_bytes_as_first_stored_decode_and_encode_to_themselves(path: Path) -> None:
    stored = path.read_bytes()

    assert encode(decode(stored, 7)) == stored


def test_an_entry_that_is_too_large_is_refused() -> None:
    many = NumbersAssigned(for_round=1, players=tuple(f"player-{n:09d}" for n in range(4000)))

    with pytest.raises(NotCanonical, match=str(ENTRY_BYTES_MAX)):
        encode(recorded(many))


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored[:-1],
        lambda stored: stored.replace(b'"v":1', b'"v":2'),
        lambda stored: stored.replace(b"presence-confirmed", b"presence-imagined"),
        lambda stored: stored.replace(b'"player":"p1"', b'"player":"p1","extra":1'),
        lambda stored: stored.replace(b'"player":"p1"', b'"player":""'),
        lambda stored: stored.replace(b'"v":1', b'"v":"1"'),
        lambda stored: stored.replace(b"arbiter", b"arb\xff"),
        lambda _: b"",
    ],
)
def test_bytes_that_are_not_the_entry_are_refused_by_version(damage: object) -> None:
    stored = encode(recorded(PresenceConfirmed(player="p1")))

    with pytest.raises(Unreadable, match="entry 1"):
        decode(damage(stored), 1)  # type: ignore[operator]  # a lambda of bytes


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored.replace(b'"player":"p1"', b'"player":"P 1"'),
        lambda stored: stored.replace(b"2026-10-05T10:00:00.000Z", b"2026-10-05 10:00"),
        lambda stored: stored.replace(b'"cause":"c1"', b'"cause":"c 1"'),
        lambda stored: stored.replace(b'"cause":"c1"', b'"cause":"c1\\n"'),
        lambda stored: stored.replace(b"ab" * 32, b"AB" * 32),
        lambda stored: stored.replace(GENESIS.encode(), b"0" * 63 + b"x"),
    ],
)
def test_an_entry_comes_in_only_in_its_form(damage: Callable[[bytes], bytes]) -> None:
    stored = encode(recorded(PlayerRegistered(player="p1", person="cd" * 32)))
    assert damage(stored) != stored

    with pytest.raises(Unreadable, match="entry 1"):
        admitted(damage(stored), 1)


def test_what_comes_in_is_what_is_read() -> None:
    stored = encode(recorded(PlayerRegistered(player="p1", person="cd" * 32)))

    assert msgspec.structs.asdict(admitted(stored, 1)) == msgspec.structs.asdict(decode(stored, 1))


def test_equal_facts_have_equal_bytes_whatever_objects_hold_them() -> None:
    method = "(by hand)"[1:-1]  # equal to the default, another object

    assert encode(recorded(LotsDrawn(initial_colour=Colour.WHITE, method=method))) == encode(
        recorded(LotsDrawn(initial_colour=Colour.WHITE))
    )


def test_defaults_are_absent_from_the_bytes() -> None:
    stored = encode(recorded(PresenceConfirmed(player="p1")))

    assert b"null" not in stored
    assert b"reported_at" not in stored
