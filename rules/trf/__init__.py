"""Tournament report files: TRF16 with the engines' extensions, and TRF26 (C.04.A Annex 2; C.02.03 Annex A). No I/O."""

from rules.trf.errors import NotExpressible, NotOffered, TrfError
from rules.trf.model import (
    Header,
    Player,
    Prohibited,
    RequestedBye,
    ResultCode,
    RoundEntry,
    TournamentFile,
)
from rules.trf.pairing import pairs_text, player_id, to_pairing_input
from rules.trf.reader import read
from rules.trf.writer import acceleration, write

__all__ = [
    "Header",
    "NotExpressible",
    "NotOffered",
    "Player",
    "Prohibited",
    "RequestedBye",
    "ResultCode",
    "RoundEntry",
    "TournamentFile",
    "TrfError",
    "acceleration",
    "pairs_text",
    "player_id",
    "read",
    "to_pairing_input",
    "write",
]
