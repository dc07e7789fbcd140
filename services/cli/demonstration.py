"""The demonstration: a tournament of 64 players that goes through the gateway, with what goes wrong in a hall.

Its file was made with the engine: byes, a forfeit, a player who leaves, and round 6 paired with a result of round 5
that was typed wrong and noticed too late for it.
"""

from importlib.resources import files

from events.facts import GameResult
from rules.state import replay
from rules.trf import read
from services.cli.connect import PAIRING
from services.cli.exits import ExitCode
from services.cli.play.command import perform
from services.cli.play.over_http import HttpHand
from services.cli.play.script import Slip, script_of
from services.cli.show import console
from services.doorbell.parking import set_aside
from services.store.port import EMPTY, EventStore
from services.store.reader import decoded

DEMONSTRATION = "demonstration"  # id of its tournament
SLIPS = (
    Slip(
        round=2,
        pair=("p3", "p18"),
        typed=GameResult.WHITE_WINS,
        in_window=True,
        reason="both players come with the slip",
    ),
    Slip(
        round=5,
        pair=("p8", "p9"),
        typed=GameResult.BLACK_WINS,
        in_window=False,
        reason="a player sees it in the standings",
    ),
)


async def demonstrate(store: EventStore, url: str, gateway: str, token: str) -> ExitCode:
    """Play the demonstration through the gateway, unless that was done before; return the exit code."""
    file = read((files("services.cli") / "demonstration.trf").read_bytes())
    state = replay(decoded(DEMONSTRATION, await store.read(DEMONSTRATION), EMPTY))
    if state.closed:
        console().print(f"the demonstration was played before: `tirage log {DEMONSTRATION}` tells it")
        return ExitCode.OK
    script = script_of(file, DEMONSTRATION)
    async with (
        set_aside(url, store.partitions, PAIRING) as parking,
        HttpHand(gateway, token, DEMONSTRATION) as hand,
    ):
        return await perform(store, parking, script, file, hand=hand, slips=SLIPS)
