"""A tournament as its report file tells it: typed, frozen, free of columns. What was not understood is kept as text.

The form is canonical, whatever the dialect: entries hold the rounds already paired, byes of the coming rounds are
`requested` however the file wrote them (in the next column, 240, XXZ), virtual points stand with the player (XXA, 250).
"""

from enum import StrEnum

import msgspec

from events.facts import ByeKind, Colour, Scoring


class ResultCode(StrEnum):
    """Column 99 of a player record and its later likes."""

    WIN = "1"
    DRAW = "="
    LOSS = "0"
    SHORT_WIN = "W"  # W, D, L: the game lasted less than one move and is not rated
    SHORT_DRAW = "D"
    SHORT_LOSS = "L"
    FORFEIT_WIN = "+"
    FORFEIT_LOSS = "-"
    HALF_POINT_BYE = "H"
    FULL_POINT_BYE = "F"
    PAIRING_ALLOCATED_BYE = "U"
    ZERO_POINT_BYE = "Z"
    PENDING = " "  # paired, no result yet


class RoundEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What a player's block of one round says."""

    code: ResultCode
    opponent: int | None = None  # starting rank; kept for forfeits, as scheduled
    colour: Colour | None = None


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """One 001 record. Texts are as read, without the blanks round them."""

    tpn: int
    name: str = ""
    sex: str = ""
    title: str = ""
    rating: int = 0  # 0: unrated
    federation: str = ""
    fide_id: str = ""
    birth_date: str = ""
    points: int = 0  # tenths, of the rounds in `entries`
    rank: int | None = None
    entries: tuple[
        RoundEntry | None, ...
    ] = ()  # rounds already paired, round 1 first; None: an empty block, absent
    virtual: tuple[int, ...] = ()  # virtual points in tenths, round 1 first, later rounds zero


class RequestedBye(msgspec.Struct, frozen=True, kw_only=True):
    """A round not paired yet that a player sits out."""

    tpn: int
    round: int
    kind: ByeKind


class Prohibited(msgspec.Struct, frozen=True, kw_only=True):
    """Starting ranks of which no two may meet in the rounds named, both ends included."""

    players: tuple[int, ...]
    first_round: int
    last_round: int


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The descriptive records: free text, as read."""

    name: str = ""  # 012
    city: str = ""  # 022
    federation: str = ""  # 032
    start_date: str = ""  # 042
    end_date: str = ""  # 052
    player_count: str = ""  # 062, informative, like the two next: never trusted
    rated_count: str = ""  # 072
    team_count: str = ""  # 082
    type_text: str = ""  # 092
    chief_arbiter: str = ""  # 102
    deputies: tuple[str, ...] = ()  # 112, one a line
    allotted_times: str = ""  # 122
    round_dates: tuple[str, ...] = ()  # 132, round 1 first, empty for a round without one
    starting_rank_method: str = ""  # 172
    controller: str = ""  # 182
    tie_breaks: str = ""  # 202
    standings_order: str = ""  # 212
    time_control: str = ""  # 222


class TournamentFile(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file."""

    header: Header = Header()
    players: tuple[Player, ...] = ()  # in the order of their records
    rounds: int | None = None  # 142, XXR
    initial_colour: Colour | None = None  # 152, XXC
    scoring: Scoring = Scoring()  # 162, XXS, BBx
    unknown_result: int | None = None  # tenths, 162 X: what a game without a result counts; None: not said
    system_code: str = ""  # 192
    requested: tuple[RequestedBye, ...] = ()  # by round, kind, starting rank
    prohibited: tuple[Prohibited, ...] = ()
    kept_head: tuple[str, ...] = ()  # comments and unknown records before the first player, as read
    kept: tuple[str, ...] = ()  # those after it
    adjustments: tuple[str, ...] = ()  # what the reader had to guess, in words; not written back

    @property
    def next_round(self) -> int:
        """The round to pair: the last one with any game, plus 1."""
        return 1 + max((len(player.entries) for player in self.players), default=0)
