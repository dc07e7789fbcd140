"""Fields made up player by player, for what no history needs to explain."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from events.facts import Colour
from rules.swiss.dutch.colours import ColourPreference, Strength
from rules.swiss.dutch.editions import EDITION_2026, Edition
from rules.swiss.dutch.literal import pair_literally
from rules.swiss.dutch.players import Field, Player

STRENGTHS = {"m": Strength.MILD, "s": Strength.STRONG, "a": Strength.ABSOLUTE}
PLAIN = Player(
    player="",
    rank=0,
    tpn=0,
    parity_number=0,
    score=0,
    colours=(),
    colour_difference=0,
    preference=None,
    pab_barred=False,
    unplayed=0,
    float_before=None,
    float_before_that=None,
    topscorer=False,
)

Changes = Mapping[int, Mapping[str, object]]
Pairing = tuple[list[tuple[int, int]], list[int]]


def wish(text: str) -> ColourPreference:
    """Read `mw`: a mild preference for White; `s` is strong, `a` absolute."""
    return ColourPreference(Colour(text[1]), STRENGTHS[text[0]])


def field(
    scores: Sequence[int], barred: Sequence[tuple[int, int]] = (), changes: Changes | None = None
) -> Field:
    """Return players 1, 2, ... with these scores, highest first; `barred` may not meet."""
    players = tuple(
        replace(
            PLAIN,
            player=f"p{number}",
            rank=number - 1,
            tpn=number,
            parity_number=number,
            score=score,
            **(changes or {}).get(number, {}),  # type: ignore[arg-type]  # checked by the dataclass
        )
        for number, score in enumerate(scores, start=1)
    )
    legal = [(1 << len(scores)) - 1 - (1 << rank) for rank in range(len(scores))]
    for one, two in barred:
        legal[one - 1] &= ~(1 << two - 1)
        legal[two - 1] &= ~(1 << one - 1)
    return Field(players, tuple(legal), Colour.WHITE, 1)


def paired(given: Field, edition: Edition = EDITION_2026) -> str:
    """Return `1-3 2-4 5`: pairs by number, then who is left over. Both engines must say so."""
    fast, literal = both(given, edition)
    assert fast == literal
    pairs, left = fast
    return " ".join([*(f"{one}-{two}" for one, two in pairs), *map(str, left)])


def both(given: Field, edition: Edition = EDITION_2026) -> tuple[Pairing, Pairing]:
    """Return the pairing by the engine and by the letter, as numbers in the order of rank."""
    fast, literal = (
        (sorted((one.rank + 1, two.rank + 1) for one, two in pairs), [player.rank + 1 for player in left])
        for pairs, left in (edition.pair_brackets(given), pair_literally(given, edition))
    )
    return fast, literal
