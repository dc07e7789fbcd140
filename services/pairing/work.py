"""What one process of the engine does: from stored bytes to a pairing, or why there is none.

Imports only the rules, so that such a process starts fast and has no store to touch. Whatever goes wrong comes
back as a value: not every exception can travel between processes.
"""

import os
import signal
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import TypeAlias

import msgspec

from events.codec import sha256_hex
from events.envelope import decode
from rules.history import pairing_input
from rules.proof import input_digest
from rules.swiss.pairing_input import (
    IllegalPairing,
    NoCompletePairing,
    NotConfirmed,
    PairingInput,
    PairingOutput,
)

DETAIL_LENGTH_MAX = 1_000  # events.facts.Reason

Pair = Callable[[PairingInput], PairingOutput]


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """The pairing that the log gives."""

    head: str  # hash of the entry at the cutoff
    input: str  # digest of what the engine saw
    output: PairingOutput


class Impossible(msgspec.Struct, frozen=True, kw_only=True):
    """The rules allow no complete pairing."""

    head: str
    input: str
    detail: str


class Disputed(msgspec.Struct, frozen=True, kw_only=True):
    """The second opinion does not confirm the pairing."""

    head: str
    input: str
    detail: str


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """No answer: the log cannot be paired from, or the engine is wrong."""

    reason: str
    trace: str = ""


Verdict: TypeAlias = "Paired | Impossible | Disputed | Failed"


def work(entries: Sequence[bytes], round_: int, pair: Pair) -> Verdict:
    """Pair `round_` from the stored entries 1, 2, 3 … up to its cutoff, the last of them."""
    try:
        history = [decode(entry, version) for version, entry in enumerate(entries, start=1)]
        seen = pairing_input(history, round_, len(history))
        head, digest = sha256_hex(entries[-1]), input_digest(seen)
        try:
            output = pair(seen)
        except NoCompletePairing as none:
            detail = str(none)[:DETAIL_LENGTH_MAX] or "no complete pairing exists"
            return Impossible(head=head, input=digest, detail=detail)
        except NotConfirmed as dispute:
            return Disputed(head=head, input=digest, detail=str(dispute)[:DETAIL_LENGTH_MAX])
        _check_everybody(seen, output)
        return Paired(head=head, input=digest, output=output)
    except Exception as error:  # noqa: BLE001 - the door of the process: see the module
        return Failed(reason=f"{type(error).__name__}: {error}", trace=traceback.format_exc())


def _check_everybody(seen: PairingInput, output: PairingOutput) -> None:
    # The engine asserts far more; what is sealed must at least be something that can be published.
    placed = [player for pair in output.pairs for player in pair] + [output.pab] * (output.pab is not None)
    expected = [entrant.player for entrant in seen.entrants if entrant.present]
    wrong = Counter(placed)
    wrong.subtract(expected)
    if any(wrong.values()):
        names = ", ".join(sorted(str(player) for player, surplus in wrong.items() if surplus))
        raise IllegalPairing(f"missing, there twice or not taking part: {names}")


def hold_leash(leash: Connection) -> None:
    """Tie this process to the one that holds the other end of `leash`: it ends when that is closed, or killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; our owner decides
    threading.Thread(target=_end_with, args=(leash,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    leash.poll(None)  # nothing is ever sent, so what can be read is its end
    os._exit(0)
