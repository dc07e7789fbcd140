"""What the pages take out of the public views. What else a view holds is passed over."""

import msgspec


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament in the list, and what stands above each of its pages."""

    tournament: str
    name: str
    rounds: int
    event: str | None = None
    published_rounds: int = 0
    closed: bool = False


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A player in the start list."""

    player: str
    number: int | None = None
    title: str = ""
    rating: int = 0
    federation: str = ""


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """A result that was seen and turned out wrong."""

    was: str
    standings_from: int | None = None  # the first round whose standings count the right one; None: none does


class Departure(msgspec.Struct, frozen=True, kw_only=True):
    """A departure from the plain course of the rules."""

    kind: str
    round: int
    at: str  # RFC 3339, UTC
    reason: str
    board: int | None = None
    confirmed_by: str | None = None


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """A board of a round."""

    board: int
    white: str
    black: str
    result: str | None = None
    white_points: int | None = None  # tenths, before the round
    black_points: int | None = None
    corrections: tuple[Correction, ...] = ()  # oldest first
    adjourned: bool = False  # no result yet


class SittingOut(msgspec.Struct, frozen=True, kw_only=True):
    """A player who does not play in a round; `kind` is allocated, half, zero or full."""

    player: str
    kind: str


class Boards(msgspec.Struct, frozen=True, kw_only=True):
    """A published round."""

    round: int
    boards: tuple[Game, ...]
    byes: tuple[SittingOut, ...] = ()


class Ranked(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the standings."""

    rank: int
    player: str
    points: int  # tenths


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """The standings after a round."""

    after_round: int
    rows: tuple[Ranked, ...]


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What a player had in one round."""

    opponent: int | None = None  # his row
    colour: str = ""
    score: str = ""


class CrossRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the cross table."""

    rank: int
    player: str
    points: int
    cells: tuple[Cell, ...]


NO_STANDINGS = Standings(after_round=0, rows=())


def tournaments(body: bytes) -> tuple[Listed, ...]:
    """Return the list of tournaments out of its view."""
    return msgspec.json.decode(body, type=tuple[Listed, ...])


def summary(body: bytes) -> Listed:
    """Return what stands above each page out of the summary."""
    return msgspec.json.decode(body, type=Listed)


def names(body: bytes) -> dict[str, str]:
    """Return the names of players by their ids."""
    return msgspec.json.decode(body, type=dict[str, str])


def entries(body: bytes) -> dict[str, Entry]:
    """Return the start list, by player, in its order."""
    return {entry.player: entry for entry in msgspec.json.decode(body, type=tuple[Entry, ...])}


def boards(body: bytes) -> Boards:
    """Return a round."""
    return msgspec.json.decode(body, type=Boards)


def standings(body: bytes) -> Standings:
    """Return the standings."""
    return msgspec.json.decode(body, type=Standings)


def departures(body: bytes) -> tuple[Departure, ...]:
    """Return the departures from the rules, oldest first."""
    return msgspec.json.decode(body, type=tuple[Departure, ...])


def cross_table(body: bytes) -> tuple[CrossRow, ...]:
    """Return the rows of the cross table."""
    return msgspec.json.decode(body, type=tuple[CrossRow, ...])
