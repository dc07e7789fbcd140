"""Recomputing what was published: every pairing from its own proof, by anyone who holds the log (design section 9)."""

from collections.abc import Callable, Sequence

from events.envelope import Recorded
from events.facts import NumbersAssigned, PairingPublished, PairingSealed
from rules.history import pairing_input
from rules.proof import input_digest, output_digest, seal
from rules.swiss.pairing_input import PairingInput, PairingOutput

Engine = Callable[[PairingInput], PairingOutput]


def publications(history: Sequence[Recorded]) -> list[tuple[int, PairingPublished]]:
    """Return version and fact of every published pairing, oldest first."""
    return [(entry.v, entry.fact) for entry in history if isinstance(entry.fact, PairingPublished)]


def proof_faults(
    history: Sequence[Recorded], published: PairingPublished, engine: Engine | None = None
) -> tuple[str, ...]:
    """Return what of a published proof does not recompute from the log, in words; empty when all of it does.

    `history` is the whole log up to the publication at least, version 1 first. With `engine` the pairing itself is
    made again, too.
    """
    if not 1 <= published.cutoff < len(history):
        return (f"the cutoff {published.cutoff} is not in the log",)
    numbers = history[published.numbers - 1].fact if published.numbers <= published.cutoff else None
    if not isinstance(numbers, NumbersAssigned):
        return (f"version {published.numbers} gives no numbers",)
    scene = pairing_input(history, published.round, published.cutoff)
    output = PairingOutput(pairs=published.pairs, pab=published.pab)
    checks = [
        ("hash of the entry at the cutoff", published.head, history[published.cutoff].prev),
        ("digest of what the engine saw", published.input, input_digest(scene)),
        ("digest of the pairing", published.output, output_digest(output)),
        ("seal", seal(published.salt, output), _sealed(history, published)),
    ]
    if engine is not None:
        checks.append(("pairing made again", published.output, output_digest(engine(scene))))
    return tuple(
        f"{what}: {found} is not {computed}" for what, found, computed in checks if found != computed
    )


def _sealed(history: Sequence[Recorded], published: PairingPublished) -> str | None:
    for entry in history:
        fact = entry.fact
        if isinstance(fact, PairingSealed) and (fact.round, fact.attempt, fact.cutoff) == (
            published.round,
            published.attempt,
            published.cutoff,
        ):
            return fact.seal
    return None
