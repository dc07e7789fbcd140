"""From a tournament report to what the engine sees, and from the engine's answer to the customary output."""

from events.facts import Colour
from rules.swiss import systems
from rules.swiss.pairing_input import Entrant, PairingInput, PairingOutput, RoundKind, RoundRecord
from rules.trf.checks import points_of
from rules.trf.errors import TrfError
from rules.trf.model import Player, ResultCode, RoundEntry, TournamentFile
from rules.trf.systems import code_of, named_by

_KINDS = {
    ResultCode.WIN: RoundKind.GAME,
    ResultCode.DRAW: RoundKind.GAME,
    ResultCode.LOSS: RoundKind.GAME,
    ResultCode.SHORT_WIN: RoundKind.GAME,
    ResultCode.SHORT_DRAW: RoundKind.GAME,
    ResultCode.SHORT_LOSS: RoundKind.GAME,
    ResultCode.PENDING: RoundKind.GAME,
    ResultCode.FORFEIT_WIN: RoundKind.FORFEIT_WIN,
    ResultCode.FORFEIT_LOSS: RoundKind.FORFEIT_LOSS,
    ResultCode.PAIRING_ALLOCATED_BYE: RoundKind.PAIRING_ALLOCATED_BYE,
    ResultCode.FULL_POINT_BYE: RoundKind.FULL_POINT_BYE,
    ResultCode.HALF_POINT_BYE: RoundKind.HALF_POINT_BYE,
    ResultCode.ZERO_POINT_BYE: RoundKind.ZERO_POINT_BYE,
}
_UNOPPOSED = {  # `0000 - +` and `0000 - -`: never paired, so no forfeit of a game
    ResultCode.FORFEIT_WIN: RoundKind.FULL_POINT_BYE,
    ResultCode.FORFEIT_LOSS: RoundKind.ZERO_POINT_BYE,
}


def player_id(tpn: int) -> str:
    """Return the id by which the engine knows a starting rank."""
    return f"p{tpn}"


def to_pairing_input(
    file: TournamentFile,
    round: int | None = None,  # noqa: A002 - the field's own word
    *,
    parity: str = "participants",
    system: str | None = None,
) -> PairingInput:
    """Return what decides the pairing of a round: the next one, or an earlier one as it was before it was paired.

    Raises `TrfError` where the file does not say enough: no number of rounds, no initial colour before round 1,
    a game without a result, every round paired; and where it names another system than `system`. If neither names
    one, it is the edition in force.
    """
    to_pair = file.next_round if round is None else round
    rounds = _checked_rounds(file, to_pair)
    absent = {bye.tpn for bye in file.requested if bye.round == to_pair}
    virtual_rounds = to_pair if any(any(player.virtual[:to_pair]) for player in file.players) else 0
    players = sorted(file.players, key=lambda player: player.tpn)
    return PairingInput(
        system=_system(file, system),
        round=to_pair,
        rounds=rounds,
        initial_colour=_initial_colour(file),
        initial_colour_parity=parity,
        win=file.scoring.win,
        loss=file.scoring.loss,
        prohibited=tuple(
            tuple(player_id(tpn) for tpn in group.players)
            for group in file.prohibited
            if group.first_round <= to_pair <= group.last_round
        ),
        entrants=tuple(
            Entrant(
                player=player_id(player.tpn),
                tpn=player.tpn,
                present=_present(player, to_pair, absent),
                history=_history(player, file, to_pair),
                virtual=(player.virtual + (0,) * virtual_rounds)[:virtual_rounds],
            )
            for player in players
        ),
    )


def pairs_text(output: PairingOutput) -> str:
    r"""Return the output form of the known engines: the number of lines, then `white black`, the bye as `id 0`.

    >>> pairs_text(PairingOutput(pairs=(("p1", "p3"),), pab="p2"))
    '2\n1 3\n2 0\n'
    """
    lines = [f"{white[1:]} {black[1:]}" for white, black in output.pairs]
    if output.pab is not None:
        lines.append(f"{output.pab[1:]} 0")
    return "\n".join([str(len(lines)), *lines]) + "\n"


def _system(file: TournamentFile, asked: str | None) -> str:
    code = code_of(file.system_code, file.header.type_text)
    named = named_by(code, file.header.start_date)
    if asked is not None and named not in (None, asked):
        raise TrfError(
            0, None, f"the file names the system {code}, that is {named}, and {asked} is asked for"
        )
    return asked or named or systems.DUTCH_2026


def _checked_rounds(file: TournamentFile, to_pair: int) -> int:
    if file.rounds is None:
        raise TrfError(0, None, "the file does not give the number of rounds (record 142 or XXR)")
    if to_pair > file.rounds and to_pair == file.next_round:
        raise TrfError(0, None, f"all {file.rounds} rounds are paired")
    if not 1 <= to_pair <= file.next_round:
        raise TrfError(
            0, None, f"round {to_pair} cannot be paired: the file knows {file.next_round - 1} rounds"
        )
    return file.rounds


def _initial_colour(file: TournamentFile) -> Colour:
    """Return the colour drawn by lot; not given, it is that of the highest-ranked player of the first round with games."""
    if file.initial_colour is not None:
        return file.initial_colour
    players = sorted(file.players, key=lambda player: player.tpn)
    for round_ in range(file.next_round - 1):
        for player in players:
            entry = player.entries[round_]
            if entry is not None and entry.colour is not None:
                return entry.colour
    raise TrfError(
        0, None, "the file does not give the initial colour (record 152 or XXC), and no game shows it"
    )


def _history(player: Player, file: TournamentFile, to_pair: int) -> tuple[RoundRecord, ...]:
    past = player.entries[: to_pair - 1]
    return tuple(_record(player, number, entry, file) for number, entry in enumerate(past, start=1))


def _present(player: Player, to_pair: int, absent: set[int]) -> bool:
    if to_pair > len(player.entries):
        return player.tpn not in absent
    entry = player.entries[to_pair - 1]
    return entry is not None and (
        entry.opponent is not None or entry.code is ResultCode.PAIRING_ALLOCATED_BYE
    )


def _record(player: Player, number: int, entry: RoundEntry | None, file: TournamentFile) -> RoundRecord:
    points = points_of(entry, file.scoring, file.unknown_result or 0)
    if entry is None:
        return RoundRecord(kind=RoundKind.ZERO_POINT_BYE, points=points)
    if entry.opponent is None:
        return RoundRecord(kind=_UNOPPOSED.get(entry.code) or _KINDS[entry.code], points=points)
    if entry.code is ResultCode.PENDING and file.unknown_result is None:
        raise TrfError(
            0,
            None,
            f"the game {player.tpn} against {entry.opponent} of round {number} has no result; "
            "enter it, or say with X in record 162 what a game without a result counts",
        )
    return RoundRecord(
        kind=_KINDS[entry.code], points=points, opponent=player_id(entry.opponent), colour=entry.colour
    )
