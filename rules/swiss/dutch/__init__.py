"""The FIDE (Dutch) System, C.04.3: `pair` a round, nothing else.

Two editions, as data (`editions.py`): `fide-dutch@2026`, in force from 1 February 2026, and `fide-dutch@2017`,
in force till then. Article numbers in this package (2.1.3, [C3]) are of the edition of 2026 unless 2017 is named or
they have its form (A.9, C.3); BR is C.04.1 (basic rules), GHR is C.04.2 (general handling rules). Pure: the same input gives the same pairing, byte for byte. No I/O, clock, chance or float.
"""

from rules.swiss.dutch.engine import ENGINE, pair

__all__ = ["ENGINE", "pair"]
