"""The start list: everybody who entered, by number. Who left, or has not come, stays in it and is marked."""

import msgspec

from events.facts import PlayerId, Round
from projections.embargo import numbers_of, numbers_public
from projections.standings import UNNUMBERED
from rules.state import Player, Tournament


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A player in the start list."""

    player: PlayerId
    number: int | None = None  # tournament pairing number of the last published round; absent: none yet
    title: str = ""
    rating: int = 0  # 0: unrated
    federation: str = ""
    fide_id: str = ""
    entered_for: Round = 1  # a late entry: the first round he is meant to be paired in
    present: bool = False  # has confirmed that he is there (C.04.2 4.1)
    withdrawn_from: Round | None = None  # not paired from this round on


def start_list(state: Tournament) -> tuple[Entry, ...]:
    """Return all players by number; who has none yet stands last, as entered."""
    numbers = numbers_of(numbers_public(state))
    players = sorted(state.players, key=lambda player: numbers.get(player, UNNUMBERED))
    return tuple(_entry(state.players[player], numbers.get(player)) for player in players)


def _entry(player: Player, number: int | None) -> Entry:
    registered = player.registered
    return Entry(
        player=registered.player,
        number=number,
        title=registered.title,
        rating=registered.rating,
        federation=registered.federation,
        fide_id=registered.fide_id,
        entered_for=registered.entered_for,
        present=player.present,
        withdrawn_from=player.withdrawn_from,
    )
