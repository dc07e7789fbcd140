"""Small engines for tests, importable by a process of its own."""

import os
import time

from rules.swiss.pairing_input import NoCompletePairing, PairingInput, PairingOutput, UnusableInput

ENGINE = "by-order 1"


def by_order(seen: PairingInput) -> PairingOutput:
    """Pair the players present in the order of their numbers, the order turned by one place each round."""
    present = [entrant.player for entrant in seen.entrants if entrant.present]
    turn = (seen.round - 1) % max(1, len(present))
    present = present[turn:] + present[:turn]
    pab = present.pop() if len(present) % 2 else None
    return PairingOutput(pairs=tuple(zip(present[::2], present[1::2], strict=True)), pab=pab)


def otherwise(seen: PairingInput) -> PairingOutput:
    """Pair as `by_order` does, with the colours exchanged: what another engine might say."""
    output = by_order(seen)
    return PairingOutput(pairs=tuple((black, white) for white, black in output.pairs), pab=output.pab)


def none_at_all(_: PairingInput) -> PairingOutput:
    raise NoCompletePairing("everybody has met")


def unusable(_: PairingInput) -> PairingOutput:
    raise UnusableInput("player p1 has a record too many")


def mistaken(_: PairingInput) -> PairingOutput:
    raise KeyError("a mistake of ours")


def deadly(_: PairingInput) -> PairingOutput:
    os._exit(1)


def endless(_: PairingInput) -> PairingOutput:
    while True:
        time.sleep(0.01)
