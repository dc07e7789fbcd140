"""Record 192: which pairing system a file asks for, by FIDE's codes, and which of them are offered."""

import re

OFFERED = "fide-dutch@2026"
NEW_EDITION_FROM = "2026/02/01"  # C.04.3 in force since; FIDE_DUTCH means the edition of the start date

DUTCH_2026 = frozenset(
    {"FIDE_DUTCH_2026", "FIDE_DUTCH_2025"}
)  # the second: name of the same edition in an earlier table
BAKU = "_BAKU"

_CODE = re.compile(r"FIDE_[A-Z0-9_]+\Z")
_DATE = re.compile(r"[0-9]{4}/[0-9]{2}/[0-9]{2}\Z")


def code_in_092(text: str) -> str:
    """Return the code that some programs put into the free text of 092, or nothing."""
    return text if _CODE.match(text) else ""


def refusal(code: str, start_date: str, *, accelerated: bool) -> str | None:
    """Return why a file with this code cannot be paired, or None when it can. No code means the Dutch system."""
    plain = code.removesuffix(BAKU)
    if plain == "FIDE_DUTCH_2017" or (plain == "FIDE_DUTCH" and _older(start_date)):
        return f"{code}: the edition of 2017, which is not yet offered"
    if plain not in DUTCH_2026 | {"", "FIDE_DUTCH"}:
        return f"{code}: this system is not yet offered; the one that is has the code FIDE_DUTCH_2026"
    if code.endswith(BAKU) and not accelerated:
        return (
            f"{code}: give the virtual points as records 250 (or XXA); they are not yet derived from the code"
        )
    return None


def _older(start_date: str) -> bool:
    return bool(_DATE.match(start_date)) and start_date < NEW_EDITION_FROM
