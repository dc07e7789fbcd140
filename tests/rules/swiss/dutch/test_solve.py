"""The ways that the engine takes only when blossoms are part of a matching's proof, forced upon it."""

from collections.abc import Sequence
from random import Random

import pytest

from rules.swiss.dutch import order, solve
from rules.swiss.dutch.editions import EDITION_2026
from rules.swiss.dutch.matching.minimum_cost import Optimum, Rows, cheapest_perfect_matching
from rules.swiss.dutch.players import Field
from rules.swiss.pairing_input import NoCompletePairing
from tests.rules.swiss.dutch.scenes import played_out


def fields() -> list[Field]:
    found = []
    for seed in range(3000, 3060):
        random = Random(seed)
        players = random.randint(4, 16)
        events = played_out(random, players, random.randint(2, min(players, 9)), wild=seed % 2 == 0)
        found += [field for field in map(EDITION_2026.field, events) if field.players]
    return found


def outcome(field: Field) -> object:
    try:
        pairs, left = EDITION_2026.pair_brackets(field)
    except NoCompletePairing:
        return None
    return sorted((one.rank, two.rank) for one, two in pairs), [player.rank for player in left]


def rigid(
    rows: Rows, potential: Sequence[int] | None = None, mate: Sequence[int] | None = None
) -> Optimum | None:
    optimum = cheapest_perfect_matching(rows, potential, mate)
    return optimum and optimum._replace(rigid=True)


@pytest.mark.parametrize("modules", [[solve], [solve, order]], ids=["solved-anew", "priced-by-digits"])
def test_blossoms_in_the_proof_change_the_way_but_not_the_pairing(
    modules: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not read off edges without slack is solved anew between S1 and S2, or priced digit by digit."""
    everything = fields()
    straight = [outcome(field) for field in everything]

    for module in modules:
        monkeypatch.setattr(module, "cheapest_perfect_matching", rigid)

    assert [outcome(field) for field in everything] == straight
