"""Record 192: which pairing system a file asks for, by FIDE's codes, and which of them are offered."""

import re

from rules.swiss.systems import DUTCH_2017, DUTCH_2026

NEW_EDITION_FROM = "2026/02/01"  # C.04.3 in force since; FIDE_DUTCH means the edition of the start date
BAKU = "_BAKU"

_SYSTEMS = {
    "FIDE_DUTCH_2026": DUTCH_2026,
    "FIDE_DUTCH_2025": DUTCH_2026,  # name of the same edition in an earlier table
    "FIDE_DUTCH_2017": DUTCH_2017,
}
_CODE = re.compile(r"FIDE_[A-Z0-9_]+\Z")
_DATE = re.compile(r"[0-9]{4}/[0-9]{2}/[0-9]{2}\Z")


def code_of(record_192: str, type_text: str) -> str:
    """Return the code of a file: of its record 192, or what some programs put into the free text of 092; or nothing."""
    return record_192 or (type_text if _CODE.match(type_text) else "")


def named_by(code: str, start_date: str) -> str | None:
    """Return the system that a code names, None where it names none that is offered, or is empty.

    >>> named_by("FIDE_DUTCH_2017_BAKU", ""), named_by("FIDE_DUTCH", "2026/01/31"), named_by("", "2026/01/31")
    ('fide-dutch@2017', 'fide-dutch@2017', None)
    """
    plain = code.removesuffix(BAKU)
    if plain == "FIDE_DUTCH":
        return DUTCH_2017 if _DATE.match(start_date) and start_date < NEW_EDITION_FROM else DUTCH_2026
    return _SYSTEMS.get(plain)


def refusal(code: str, start_date: str) -> str | None:
    """Return why a file with this code cannot be paired, or None when it can. No code means the Dutch system."""
    if code and named_by(code, start_date) is None:
        return f"{code}: this system is not yet offered; those that are have the codes FIDE_DUTCH_2026 and FIDE_DUTCH_2017"
    return None
