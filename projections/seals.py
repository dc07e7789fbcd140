"""The seals of pairings: the one view in which a round that is not published shows, and only by its commitment."""

from collections.abc import Mapping

import msgspec

from events.facts import Digest, PairingSealed, Round
from rules.state import Tournament


class Seal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The seal of a round; published, with what opens it (`rules.proof.seal`)."""

    round: Round
    seal: Digest  # SHA-256 of salt and pairing
    salt: Digest | None = None
    output: Digest | None = None  # of the pairing
    input: Digest | None = None  # of what the engine saw
    system: str | None = None
    engine: str | None = None


def seals(state: Tournament, latest: Mapping[int, PairingSealed]) -> tuple[Seal, ...]:
    """Return the latest seal of each round, in order of rounds."""
    return tuple(_seal(state, round_, sealed) for round_, sealed in sorted(latest.items()))


def _seal(state: Tournament, round_: int, sealed: PairingSealed) -> Seal:
    published = state.round(round_).published
    if published is None:
        return Seal(round=round_, seal=sealed.seal)
    return Seal(
        round=round_,
        seal=sealed.seal,
        salt=published.salt,
        output=published.output,
        input=published.input,
        system=published.system,
        engine=published.engine,
    )
