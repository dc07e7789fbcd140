"""Completion ([C4]) and the next bracket ([C8]; C.7 of 2017) of a candidate that was found without looking at them."""

from collections.abc import Sequence

from rules.swiss.dutch.bracket import Bracket
from rules.swiss.dutch.completion import Completion
from rules.swiss.dutch.matching.cardinality import NOBODY, bit_set, bits, enlarge
from rules.swiss.dutch.players import Player


def is_beyond_improvement(bracket: Bracket, floaters: Sequence[Player], completion: Completion) -> bool:
    """Tell whether the floaters leave the round completable, and the next bracket at its very best.

    The best for the next bracket is to leave nobody unpaired, or just one resident if its number is odd. True
    proves that no other floaters are better; False proves nothing.
    """
    below = bit_set([player.rank for player in bracket.lower])
    group = bit_set([player.rank for player in bracket.next_group])
    if not floaters:
        return completion.is_completable(group | below)  # every candidate leaves the next bracket the same
    down = bit_set([player.rank for player in floaters])
    neighbours = _next_bracket(completion.neighbours, down, group)
    mate = [NOBODY] * len(neighbours)
    left = enlarge(neighbours, down | group, mate)
    if not left:
        return completion.is_completable(below)
    if left & (left - 1):
        return False
    return any(
        _covers(neighbours, (down | group) & ~(1 << rank), mate)
        and completion.is_completable(below | 1 << rank)
        for rank in reversed(list(bits(group)))
    )


def leaves_next_bracket_at_its_best(bracket: Bracket, floaters: Sequence[Player]) -> bool:
    """Tell the same by the edition of 2017, which asks for no completion here: True is a proof, False is none.

    In the last scoregroup a resident who is left over must be one who may have the bye, to be the best.
    """
    down = bit_set([player.rank for player in floaters])
    group = bit_set([player.rank for player in bracket.next_group])
    neighbours = _next_bracket(bracket.legal, down, group)
    mate = [NOBODY] * len(neighbours)
    left = enlarge(neighbours, down | group, mate)
    if not left:
        return True
    if left & (left - 1):
        return False
    return any(
        _covers(neighbours, (down | group) & ~(1 << player.rank), mate)
        for player in reversed(bracket.next_group)
        if bracket.lower or not player.pab_barred
    )


def _next_bracket(neighbours: Sequence[int], down: int, group: int) -> list[int]:
    """Return whom everybody may meet in the next bracket; those in `down` only meet those in `group`."""
    return [mask & (group if down >> rank & 1 else group | down) for rank, mask in enumerate(neighbours)]


def _covers(neighbours: Sequence[int], vertices: int, mate: Sequence[int]) -> bool:
    """Tell whether all of `vertices` can be matched among themselves; `mate` is a matching of nearly them."""
    kept = [
        partner if vertices >> vertex & 1 and partner != NOBODY and vertices >> partner & 1 else NOBODY
        for vertex, partner in enumerate(mate)
    ]
    return not enlarge(neighbours, vertices, kept)
