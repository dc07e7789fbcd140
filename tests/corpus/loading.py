"""The corpus as typed cases, and the 300 of them that every test run takes."""

import gzip
import hashlib
from collections.abc import Iterator
from functools import cache
from itertools import cycle
from pathlib import Path

import msgspec

HERE = Path(__file__).parent
SIZES = (12, 30, 60, 120)  # players, upper ends


class Case(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    players: int
    round: int
    rounds: int
    style: str
    tags: tuple[str, ...]
    trf: str
    expected: (
        tuple[tuple[int, int], ...] | None
    )  # (white, black), 0: the bye; None: no complete pairing exists


class Worked(msgspec.Struct, frozen=True):
    """One of `cases/`."""

    name: str
    trf: bytes
    expected: tuple[tuple[int, int], ...] | None  # in board order


@cache
def corpus(edition: str = "2026") -> tuple[Case, ...]:
    decoder = msgspec.json.Decoder(Case)
    with gzip.open(HERE / f"dutch-{edition}.jsonl.gz", "rb") as lines:
        return tuple(decoder.decode(line) for line in lines)


@cache
def sample(count: int = 300) -> tuple[Case, ...]:
    """Return `count` cases, spread over styles, sizes and tags; the README beside this file words the rule."""
    strata: dict[tuple[str, int, str], list[Case]] = {}
    for case in sorted(corpus(), key=lambda case: hashlib.sha256(case.id.encode()).digest(), reverse=True):
        size = next((size for size in SIZES if case.players <= size), 0)
        for tag in (*case.tags, *(["no-pairing"] if case.expected is None else [])):
            if size:
                strata.setdefault((case.style, size, tag), []).append(case)
    chosen: dict[str, Case] = {}
    for stratum in cycle(sorted(strata)):
        if len(chosen) == count:
            break
        _deal(strata[stratum], chosen)
    return tuple(chosen.values())


def _deal(stratum: list[Case], chosen: dict[str, Case]) -> None:
    while stratum:
        case = stratum.pop()
        if case.id not in chosen:
            chosen[case.id] = case
            return


def worked() -> Iterator[Worked]:
    for row in (HERE / "cases" / "EXPECTED.tsv").read_text().splitlines()[1:]:
        name, expected, _ = row.split("\t")
        trf = (HERE / "cases" / f"{name}.trf").read_bytes()
        yield Worked(name, trf, None if expected == "REFUSE" else tuple(map(_pair, expected.split())))


def _pair(text: str) -> tuple[int, int]:
    white, black = text.split("-")
    return int(white), 0 if black == "bye" else int(black)


def chunks(count: int, size: int) -> list[range]:
    """Return index ranges that cover `count` cases: one test each keeps the report short and the work divisible."""
    return [range(start, min(start + size, count)) for start in range(0, count, size)]
