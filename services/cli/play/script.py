"""From a tournament file to the commands that live through it again, round by round. Pure."""

from collections.abc import Iterator

import msgspec

from events.facts import ByeKind, Colour, GameResult, PlayerId, ProhibitedPairs
from rules.commands import AnnounceTournament, RegisterPlayer, RequestBye, WithdrawPlayer
from rules.trf import (
    Player,
    ResultCode,
    RoundEntry,
    TournamentFile,
    TrfError,
    acceleration,
    player_id,
    to_pairing_input,
)
from services.gateway.commands import Person

NO_PERSON = "0" * 64  # stands for the commitment until the register has a record

_SAME_LENGTH = str.maketrans("WDL", "1=0")  # short games score like others
_RESULTS = {
    ("1", "0"): GameResult.WHITE_WINS,
    ("=", "="): GameResult.DRAW,
    ("0", "1"): GameResult.BLACK_WINS,
    ("0", "0"): GameResult.BOTH_LOSE,
    ("=", "0"): GameResult.DRAW_LOSS,
    ("0", "="): GameResult.LOSS_DRAW,
    ("+", "-"): GameResult.WHITE_WINS_FORFEIT,
    ("-", "+"): GameResult.BLACK_WINS_FORFEIT,
    ("-", "-"): GameResult.DOUBLE_FORFEIT,
}
_BYES = {
    ResultCode.HALF_POINT_BYE: ByeKind.HALF_POINT,
    ResultCode.FULL_POINT_BYE: ByeKind.FULL_POINT,
    ResultCode.FORFEIT_WIN: ByeKind.FULL_POINT,  # `0000 - +`: a point without an opponent
}

Pair = tuple[PlayerId, PlayerId]  # (white, black)


class Outcome(msgspec.Struct, frozen=True):
    """How the file says a game ended."""

    result: GameResult
    rated: bool


class Slip(msgspec.Struct, frozen=True, kw_only=True):
    """A result that is typed wrong first; the file has the right one."""

    round: int
    pair: Pair
    typed: GameResult
    in_window: bool  # noticed while appeals are taken; otherwise when the next round is on the wall
    reason: str


class RoundScript(msgspec.Struct, frozen=True, kw_only=True):
    """One round of the file. A round that is to be paired next has no pairs and no results."""

    round: int
    byes: tuple[RequestBye, ...]
    withdrawals: tuple[WithdrawPlayer, ...] = ()
    pairs: tuple[Pair, ...] | None = None  # as the file has them; None: not paired there
    pab: PlayerId | None = None
    outcomes: dict[Pair, Outcome] = msgspec.field(default_factory=dict)  # of the games that have a result


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a file says happened, as commands in the order of the tournament."""

    announcement: AnnounceTournament
    initial_colour: Colour
    entries: tuple[tuple[RegisterPlayer, Person], ...]  # in the order of their numbers
    rounds: tuple[RoundScript, ...]


def script_of(file: TournamentFile, tournament: str) -> Script:
    """Return the commands that play `file` again as `tournament`.

    Raises `TrfError` for a file that cannot be a whole tournament: numbers with gaps, no number of rounds.
    """
    players = sorted(file.players, key=lambda player: player.tpn)
    numbers = [player.tpn for player in players]
    if numbers != list(range(1, len(players) + 1)):
        gap = next(tpn for tpn, found in enumerate([*numbers, 0], start=1) if tpn != found)
        raise TrfError(0, None, f"a tournament has numbers without a gap, but nobody has number {gap}")
    first = to_pairing_input(file, 1)
    script = _script(file, tournament, players, first.rounds, first.initial_colour)
    _check_limits(script)
    return script


def _check_limits(script: Script) -> None:
    """Raise `TrfError` for what an event cannot hold, such as a name of a thousand letters."""
    try:
        msgspec.convert(msgspec.to_builtins(script.announcement), AnnounceTournament)
    except msgspec.ValidationError as error:
        raise TrfError(0, None, f"the tournament cannot be announced: {error}") from error
    for entry, person in script.entries:
        try:
            msgspec.convert(msgspec.to_builtins(entry), RegisterPlayer)
            msgspec.convert(msgspec.to_builtins(person), Person)
        except msgspec.ValidationError as error:
            raise TrfError(0, None, f"player {entry.player} cannot be entered: {error}") from error


def _script(
    file: TournamentFile, tournament: str, players: list[Player], rounds: int, initial_colour: Colour
) -> Script:
    return Script(
        announcement=_announcement(file, tournament, rounds),
        initial_colour=initial_colour,
        entries=tuple(_entry(player) for player in players),
        rounds=tuple(_rounds(file, players, rounds)),
    )


def _announcement(file: TournamentFile, tournament: str, rounds: int) -> AnnounceTournament:
    return AnnounceTournament(
        tournament=tournament,
        name=file.header.name or tournament,
        rounds=rounds,
        scoring=file.scoring,
        acceleration=acceleration(file),
        prohibited=tuple(
            ProhibitedPairs(
                players=tuple(player_id(tpn) for tpn in group.players),
                first_round=group.first_round,
                last_round=min(group.last_round, rounds),
            )
            for group in file.prohibited
        ),
    )


def _entry(player: Player) -> tuple[RegisterPlayer, Person]:
    command = RegisterPlayer(
        player=player_id(player.tpn),
        person=NO_PERSON,
        rating=player.rating,
        title=player.title,
        federation=player.federation,
        sex=player.sex,
        fide_id=player.fide_id,
    )
    return command, Person(name=player.name or f"Player {player.tpn}")


def _rounds(file: TournamentFile, players: list[Player], rounds: int) -> Iterator[RoundScript]:
    left = _left(file, players, rounds)
    for round_ in range(1, file.next_round):
        yield _played_round(round_, players, left)
    if file.next_round <= rounds:
        byes = tuple(
            RequestBye(player=player_id(bye.tpn), round=bye.round, kind=bye.kind)
            for bye in file.requested
            if bye.round == file.next_round
        )
        yield RoundScript(round=file.next_round, byes=byes)


def _left(file: TournamentFile, players: list[Player], rounds: int) -> dict[int, int]:
    """Return from which round on somebody, by number, was gone: in a complete file, two rounds or more to its end."""
    left = {}
    for player in players if file.next_round > rounds else []:
        last = max((n for n, entry in enumerate(player.entries, 1) if not _away(entry)), default=0)
        if last < rounds - 1:
            left[player.tpn] = last + 1
    return left


def _away(entry: RoundEntry | None) -> bool:
    return entry is None or (entry.opponent is None and entry.code is ResultCode.ZERO_POINT_BYE)


def _played_round(round_: int, players: list[Player], left: dict[int, int]) -> RoundScript:
    entries = {player.tpn: player.entries[round_ - 1] for player in players}
    pairs, outcomes, byes, pab = [], {}, [], None
    for tpn, entry in entries.items():
        if entry is not None and entry.opponent is not None:
            if entry.colour is Colour.WHITE:
                pair = (player_id(tpn), player_id(entry.opponent))
                pairs.append(pair)
                outcomes.update(_outcome(pair, entry, entries[entry.opponent]))
        elif entry is not None and entry.code is ResultCode.PAIRING_ALLOCATED_BYE:
            pab = player_id(tpn)
        elif round_ < left.get(tpn, round_ + 1):
            kind = _BYES.get(entry.code, ByeKind.ZERO_POINT) if entry is not None else ByeKind.ZERO_POINT
            byes.append(RequestBye(player=player_id(tpn), round=round_, kind=kind))
    return RoundScript(
        round=round_,
        byes=tuple(byes),
        withdrawals=tuple(
            WithdrawPlayer(player=player_id(tpn), from_round=first)
            for tpn, first in left.items()
            if first == round_
        ),
        pairs=tuple(pairs),
        pab=pab,
        outcomes=outcomes,
    )


def _outcome(pair: Pair, white: RoundEntry, black: RoundEntry | None) -> dict[Pair, Outcome]:
    if black is None or ResultCode.PENDING in (white.code, black.code):
        return {}
    codes = (white.code.translate(_SAME_LENGTH), black.code.translate(_SAME_LENGTH))
    rated = white.code not in (ResultCode.SHORT_WIN, ResultCode.SHORT_DRAW, ResultCode.SHORT_LOSS)
    return {pair: Outcome(_RESULTS[codes], rated)}
