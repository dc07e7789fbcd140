"""Tournament files as logs: decided as in production, with the pairings and results that the file has."""

from events.facts import ByeKind, Colour, GameResult, PlayerId
from rules.commands import (
    CloseAppealWindow,
    ConfirmPresence,
    DrawLots,
    FixNumbers,
    RecordResult,
    RegisterPlayer,
    RequestBye,
)
from rules.trf import ResultCode, RoundEntry, TournamentFile, player_id
from tests.support.ledger import PERSON, Ledger, announce, timetable

BYES = {
    ResultCode.HALF_POINT_BYE: ByeKind.HALF_POINT,
    ResultCode.FULL_POINT_BYE: ByeKind.FULL_POINT,
    ResultCode.ZERO_POINT_BYE: ByeKind.ZERO_POINT,
}
RESULTS = {
    ResultCode.WIN: GameResult.WHITE_WINS,
    ResultCode.DRAW: GameResult.DRAW,
    ResultCode.LOSS: GameResult.BLACK_WINS,
    ResultCode.FORFEIT_WIN: GameResult.WHITE_WINS_FORFEIT,
}


def on_paper(file: TournamentFile) -> Ledger:
    """Return the tournament that a file of `tests.support.simulation` holds, every window closed."""
    assert file.rounds is not None
    assert file.initial_colour is not None
    ledger = Ledger()
    ledger.do(announce(file.rounds))
    ledger.do(timetable(file.rounds))
    ledger.do(DrawLots(initial_colour=file.initial_colour))
    players = tuple(player_id(player.tpn) for player in file.players)
    for player in players:
        ledger.do(RegisterPlayer(player=player, person=PERSON))
        ledger.do(ConfirmPresence(player=player))
    ledger.do(FixNumbers(for_round=1, players=players))
    for round_ in range(1, file.rounds + 1):
        entries = {player_id(player.tpn): player.entries[round_ - 1] for player in file.players}
        _play(ledger, round_, {player: entry for player, entry in entries.items() if entry is not None})
    return ledger


def _play(ledger: Ledger, round_: int, entries: dict[PlayerId, RoundEntry]) -> None:
    for player, entry in entries.items():
        if entry.code in BYES:
            ledger.do(RequestBye(player=player, round=round_, kind=BYES[entry.code]))
    if round_ == 1:
        ledger.do(CloseAppealWindow(round=0))
    games = [
        (player, player_id(entry.opponent), RESULTS[entry.code])
        for player, entry in entries.items()
        if entry.opponent is not None and entry.colour is Colour.WHITE
    ]
    pab = [player for player, entry in entries.items() if entry.code is ResultCode.PAIRING_ALLOCATED_BYE]
    ledger.publish(round_, *((white, black) for white, black, _ in games), pab=pab[0] if pab else None)
    for board, (white, black, result) in enumerate(games, start=1):
        ledger.do(RecordResult(round=round_, board=board, white=white, black=black, result=result))
    ledger.close(round_)
