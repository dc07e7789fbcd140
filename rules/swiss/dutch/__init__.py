"""The FIDE (Dutch) System, C.04.3 in the edition in force from 1 February 2026: `pair` a round, nothing else.

Article numbers in this package are of that chapter; BR is C.04.1 (basic rules), GHR is C.04.2 (general
handling rules). Pure: the same input gives the same pairing, byte for byte. No I/O, clock, chance or float.
"""

from rules.swiss.dutch.engine import ENGINE, pair

__all__ = ["ENGINE", "pair"]
