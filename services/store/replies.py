"""What the server's replies about a log mean: heads, outcomes, and the append script's answers with their refusals."""

from typing import Any

from events.envelope import GENESIS
from services.store.chain import outrun
from services.store.errors import ClockSkew, CommandClash, LogBroken
from services.store.port import CLOCK_SKEW_MS_MAX, EMPTY, Appended, Head, Outcome


def head_from(tournament: str, noted: list[bytes | None], length: int, indexed: bytes | None) -> Head:
    """Return the head as noted, when the number of entries and the index agree with it; raise `LogBroken`."""
    version, last_hash = noted
    if version is None or last_hash is None:
        if length:
            raise LogBroken(tournament, length, f"its head is gone, {length} entries are there")
        if indexed is not None:
            raise LogBroken(
                tournament, 0, f"its entries and its head are gone; the index knows version {int(indexed)}"
            )
        return EMPTY
    if not version.isdigit() or len(last_hash) != len(GENESIS):
        raise LogBroken(tournament, 0, "its head is not readable")
    if length != int(version):
        raise LogBroken(
            tournament, int(version), f"there are {length} entries, and its head says {int(version)}"
        )
    return Head(int(version), last_hash.decode("ascii", "replace"))


def appended_from(tournament: str, answer: list[Any], expected: Head) -> Appended:
    """Return what the script's answer says; raise the refusal that it is."""
    match answer:
        case [b"OK", first, last]:
            return Appended(first, last, duplicate=False)
        case [b"DUP", first, last]:
            return Appended(first, last, duplicate=True)
        case [b"CLASH", cause, first, last]:
            raise CommandClash(tournament, cause.decode(), first, last)
        case [b"CONFLICT", version, last_hash]:
            raise outrun(tournament, expected, Head(version, last_hash.decode()))
        case [b"CLOCK", skew_ms]:
            raise ClockSkew(skew_ms, CLOCK_SKEW_MS_MAX)
        case [b"BROKEN", version, reason]:
            raise LogBroken(tournament, version, reason.decode())
        case [b"REBUILD", noted, found]:
            raise LogBroken(
                tournament, 0, f"its table of commands has {found} of {noted} and does not stay rebuilt"
            )
        case _:
            raise AssertionError(answer)


def outcome_from(stored: bytes | None) -> Outcome | None:
    """Return the outcome kept as `stored`; None when it is missing or not readable, so that it is rebuilt."""
    parts = (stored or b"").decode("ascii", "replace").split(":")
    match parts:
        case [first, last, request] if first.isdigit() and last.isdigit():
            return Outcome(int(first), int(last), request)
        case _:
            return None


def outcome_text(outcome: Outcome) -> str:
    """Return the form in which an outcome is kept; see `outcome_from`."""
    return f"{outcome.first}:{outcome.last}:{outcome.request}"
