"""The pairing systems by name, as tournaments are announced and inputs say them: system and edition."""

DUTCH_2026 = "fide-dutch@2026"  # C.04.3 from 1 February 2026
DUTCH_2017 = "fide-dutch@2017"  # C.04.3 till 31 January 2026
OFFERED = (DUTCH_2026, DUTCH_2017)

_NOT_OFFERED = {
    "fide-dutch@2015": "the edition of 2015, which merges the two lowest groups step by step,",
}


def refusal(system: str) -> str:
    """Return why a system that is not `OFFERED` is refused.

    >>> refusal("fide-dubov@2026")
    'system fide-dubov@2026 is not offered; fide-dutch@2026, fide-dutch@2017 are'
    """
    about = f": {_NOT_OFFERED[system]}" if system in _NOT_OFFERED else ""
    return f"system {system}{about} is not offered; {', '.join(OFFERED)} are"
