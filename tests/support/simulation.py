"""Made-up tournaments, paired by our own engine on paper: the same seed gives the same file."""

import random
from dataclasses import dataclass

from msgspec.structs import replace

from events.facts import ByeKind, Colour
from rules.swiss.dutch import pair
from rules.trf import Header, Player, RequestedBye, ResultCode, RoundEntry, TournamentFile, to_pairing_input

_CODES = {
    "1-0": (ResultCode.WIN, ResultCode.LOSS),
    "1/2": (ResultCode.DRAW, ResultCode.DRAW),
    "0-1": (ResultCode.LOSS, ResultCode.WIN),
    "+/-": (ResultCode.FORFEIT_WIN, ResultCode.FORFEIT_LOSS),
}
_BYE_CODES = {
    ByeKind.ZERO_POINT: ResultCode.ZERO_POINT_BYE,
    ByeKind.HALF_POINT: ResultCode.HALF_POINT_BYE,
    ByeKind.FULL_POINT: ResultCode.FULL_POINT_BYE,
}
_POINTS = {"1": 10, "+": 10, "U": 10, "F": 10, "=": 5, "H": 5}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is to happen besides games: byes by (player, round), forfeits by (round, board), last rounds played."""

    byes: dict[tuple[int, int], ByeKind]
    forfeits: frozenset[tuple[int, int]] = frozenset()
    last_round: dict[int, int] | None = None  # by number, of those who withdraw


NOTHING = Plan(byes={})


def simulate(
    players: list[Player], rounds: int, seed: int, plan: Plan = NOTHING, name: str = ""
) -> TournamentFile:
    """Return a complete tournament of `players`, whose results follow their ratings with some luck."""
    luck = random.Random(seed)
    file = TournamentFile(
        header=Header(name=name or f"Simulated {seed}"),
        players=tuple(players),
        rounds=rounds,
        initial_colour=luck.choice([Colour.WHITE, Colour.BLACK]),
    )
    for round_ in range(1, rounds + 1):
        file = _played(file, round_, luck, plan)
    return replace(file, players=tuple(replace(p, points=_points(p)) for p in file.players))


def field(count: int, seed: int) -> list[Player]:
    """Return so many players, strongest first."""
    luck = random.Random(seed)
    ratings = sorted((luck.randint(1200, 2600) for _ in range(count)), reverse=True)
    return [Player(tpn=tpn, name=f"Player {tpn}", rating=rating) for tpn, rating in enumerate(ratings, 1)]


def _played(file: TournamentFile, round_: int, luck: random.Random, plan: Plan) -> TournamentFile:
    absent = {tpn: kind for (tpn, at), kind in plan.byes.items() if at == round_}
    for tpn, last in (plan.last_round or {}).items():
        if round_ > last:
            absent[tpn] = ByeKind.ZERO_POINT
    requested = tuple(RequestedBye(tpn=tpn, round=round_, kind=absent[tpn]) for tpn in sorted(absent))
    output = pair(to_pairing_input(replace(file, requested=requested)))
    entries = {tpn: RoundEntry(code=_BYE_CODES[kind]) for tpn, kind in absent.items()}
    ratings = {player.tpn: player.rating for player in file.players}
    for board, (white_id, black_id) in enumerate(output.pairs, start=1):
        white, black = int(white_id[1:]), int(black_id[1:])
        result = "+/-" if (round_, board) in plan.forfeits else _result(ratings[white] - ratings[black], luck)
        ours, theirs = _CODES[result]
        entries[white] = RoundEntry(code=ours, opponent=black, colour=Colour.WHITE)
        entries[black] = RoundEntry(code=theirs, opponent=white, colour=Colour.BLACK)
    if output.pab is not None:
        entries[int(output.pab[1:])] = RoundEntry(code=ResultCode.PAIRING_ALLOCATED_BYE)
    return replace(
        file,
        players=tuple(
            replace(player, entries=(*player.entries, entries[player.tpn])) for player in file.players
        ),
        requested=(),
    )


def _result(difference: int, luck: random.Random) -> str:
    advantage = difference + luck.randint(-400, 400)
    if abs(advantage) < 120:
        return "1/2"
    return "1-0" if advantage > 0 else "0-1"


def _points(player: Player) -> int:
    return sum(_POINTS.get(entry.code, 0) for entry in player.entries if entry is not None)
