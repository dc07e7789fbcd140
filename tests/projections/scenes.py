"""Short tournaments for tests, and what is shown of them as plain JSON data."""

from typing import Any

import msgspec

from events.facts import GameResult
from projections import Told
from rules.commands import CorrectResult
from tests.projections.folding import folded, shown, told
from tests.support.ledger import Ledger, started

PAIRS = {
    1: (("p1", "p3"), ("p4", "p2")),
    2: (("p2", "p1"), ("p3", "p4")),
    3: (("p1", "p4"), ("p2", "p3")),
}


def played(rounds: int, *, of: int = 3, **regulations: Any) -> Ledger:
    """Return a tournament of four players in which White has won every game of the first rounds, all windows closed."""
    ledger = started(4, *PAIRS[1], rounds=of, **regulations)
    for round_ in range(1, rounds + 1):
        if round_ > 1:
            ledger.publish(round_, *PAIRS[round_])
        ledger.record(round_, "1-0", "1-0")
        ledger.close(round_)
    return ledger


def correct(ledger: Ledger, round_: int, board: int, result: str, **more: Any) -> None:
    """Correct the result that a board has; `at` and `reported_at` say when, the rest goes into the command."""
    times = {name: more.pop(name) for name in ("at", "reported_at") if name in more}
    there = ledger.state.round(round_).boards[board - 1]
    assert there.result is not None
    command = CorrectResult(
        round=round_,
        board=board,
        white=there.white,
        black=there.black,
        was=there.result,
        result=GameResult(result),
        reason="slip misread",
        **more,
    )
    ledger.do(command, **times)


def view(ledger: Ledger, name: str) -> Any:
    """Return a view."""
    return msgspec.json.decode(shown(folded(ledger.history))[name])


def points(ledger: Ledger) -> dict[str, int]:
    """Return the points of the standings that are shown."""
    return {row["player"]: row["points"] for row in view(ledger, "standings")["rows"]}


def last_told(ledger: Ledger, count: int) -> list[Any]:
    """Return the latest public messages."""
    return [msgspec.to_builtins(one.message) for one in told(ledger.history)[-count:]]


def kinds(stream: list[Told]) -> list[str]:
    """Return the names of messages."""
    return [msgspec.to_builtins(one.message)["type"] for one in stream]
