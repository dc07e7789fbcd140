"""Tournaments made on paper, by the decider alone, and put into a store in large batches: setting up is not measured."""

from collections.abc import Sequence

from msgspec.structs import replace

from events.codec import sha256_hex
from events.facts import AnyFact, Colour, TournamentAnnounced
from rules.commands import (
    AnnounceTournament,
    AnyCommand,
    CloseAppealWindow,
    ConfirmPresence,
    DrawLots,
    FixNumbers,
    RegisterPlayer,
)
from rules.instants import instant
from services.store import EMPTY, EventStore, Head, link
from services.store.port import now_ms
from tests.services.pairing.scene import times_from
from tests.support.ledger import PERSON, Ledger, ready

BATCH = 500  # entries appended at once
REQUEST = sha256_hex(b"on paper")
RESULTS = ("1-0", "1/2-1/2", "0-1")


def entered(players: int, rounds: int = 9, *, closed: bool = True) -> list[AnyFact]:
    """Return a tournament whose rounds are due now; `closed`: so are the entries, and the worker pairs round 1."""
    ledger, at = Ledger(), instant(now_ms())
    names = tuple(f"p{number}" for number in range(1, players + 1))
    commands: list[AnyCommand] = [
        AnnounceTournament(tournament="t", name="On paper", rounds=rounds),
        times_from(now_ms(), rounds),
        DrawLots(initial_colour=Colour.WHITE),
        *(
            RegisterPlayer(player=name, person=PERSON, rating=2600 - 2 * rank)
            for rank, name in enumerate(names)
        ),
        *(ConfirmPresence(player=name) for name in names),
        FixNumbers(for_round=1, players=names),
        *([CloseAppealWindow(round=0)] if closed else []),
    ]
    for command in commands:
        ledger.do(command, at=at)
    return [recorded.fact for recorded in ledger.history]


def played(players: int, rounds: int) -> list[AnyFact]:
    """Return a tournament with all its results, paired by turning the tables (an even number of players)."""
    assert players % 2 == 0
    ledger = ready(players, rounds)
    ledger.do(CloseAppealWindow(round=0))
    names = [f"p{number}" for number in range(1, players + 1)]
    for round_ in range(1, rounds + 1):
        ring = [names[0], *names[round_:], *names[1:round_]]
        pairs = [(ring[place], ring[-1 - place]) for place in range(players // 2)]
        ledger.publish(round_, *pairs)
        ledger.record(round_, *(RESULTS[(round_ + board) % 3] for board in range(len(pairs))))
        ledger.close(round_)
    return [recorded.fact for recorded in ledger.history]


async def put(store: EventStore, tournament: str, facts: Sequence[AnyFact]) -> Head:
    """Write `facts` into an empty log and return its head; the announcement is made to name `tournament`."""
    head = EMPTY
    for first in range(0, len(facts), BATCH):
        batch = [_named(fact, tournament) for fact in facts[first : first + BATCH]]
        cause = f"paper-{first}"
        entries = link(batch, head, at=instant(now_ms()), actor="paper", cause=cause, request=REQUEST)
        await store.append(tournament, entries, expected=head, cause=cause, request=REQUEST)
        for entry in entries:
            head = head.after(entry)
    return head


def _named(fact: AnyFact, tournament: str) -> AnyFact:
    return replace(fact, tournament=tournament) if isinstance(fact, TournamentAnnounced) else fact
