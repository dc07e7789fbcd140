"""Made-up tournaments with everything that decides a pairing, round by round; the same seed gives the same states."""

import random
from collections.abc import Iterator

from msgspec.structs import replace

from events.facts import ByeKind, Colour, Scoring
from rules.swiss.dutch import pair
from rules.swiss.pairing_input import NoCompletePairing, PairingOutput
from rules.swiss.systems import DUTCH_2026
from rules.trf import (
    Header,
    Player,
    Prohibited,
    RequestedBye,
    ResultCode,
    RoundEntry,
    TournamentFile,
    to_pairing_input,
)

_RESULTS = {
    "1-0": (ResultCode.WIN, ResultCode.LOSS),
    "1/2": (ResultCode.DRAW, ResultCode.DRAW),
    "0-1": (ResultCode.LOSS, ResultCode.WIN),
    "+/-": (ResultCode.FORFEIT_WIN, ResultCode.FORFEIT_LOSS),
    "-/+": (ResultCode.FORFEIT_LOSS, ResultCode.FORFEIT_WIN),
    "-/-": (ResultCode.FORFEIT_LOSS, ResultCode.FORFEIT_LOSS),
}
_BYES = {
    ByeKind.ZERO_POINT: ResultCode.ZERO_POINT_BYE,
    ByeKind.HALF_POINT: ResultCode.HALF_POINT_BYE,
    ByeKind.FULL_POINT: ResultCode.FULL_POINT_BYE,
}
_SCORINGS = (
    Scoring(),
    Scoring(),
    Scoring(pairing_allocated_bye=5),
    Scoring(win=30, draw=10, forfeit_win=30, full_point_bye=30, half_point_bye=10, pairing_allocated_bye=30),
    # A loss is worth more than a round missed: what floats is what brought more than a loss (art. 1.4.3).
    Scoring(
        win=30,
        draw=20,
        loss=10,
        forfeit_win=30,
        full_point_bye=30,
        half_point_bye=20,
        pairing_allocated_bye=20,
    ),
)


class Event:
    """One tournament: its habits are drawn once, from the seed."""

    def __init__(self, seed: int) -> None:
        self.luck = luck = random.Random(seed)
        self.size = self._draw_size()
        self.rounds = (
            luck.randint(3, 15) if luck.random() < 0.7 else min(15, max(3, self.size - luck.randint(0, 2)))
        )
        self.sitting_out = luck.choice([0, 0, 0.05, 0.15])
        self.forfeits = luck.choice([0, 0, 0.03, 0.12])
        self.scoring = luck.choice(_SCORINGS)
        self.enters = self._some(luck.choice([0, 0, 0.1]), 2, 4)  # first round, of late entries
        self.leaves = self._some(luck.choice([0, 0, 0.1]), 2, self.rounds)  # first round missed
        self.seed = seed

    def _draw_size(self) -> int:
        kind = self.luck.random()
        if kind < 0.8:
            return self.luck.randint(4, 24)
        return self.luck.randint(25, 60) if kind < 0.95 else self.luck.randint(61, 200)

    def _some(self, share: float, low: int, high: int) -> dict[int, int]:
        chosen = [tpn for tpn in range(1, self.size + 1) if self.luck.random() < share]
        return {tpn: self.luck.randint(low, max(low, high)) for tpn in chosen}

    def beginning(self) -> TournamentFile:
        """Return the tournament before round 1."""
        luck = self.luck
        steps = self._virtual_steps() if luck.random() < 0.2 else ()
        group = (self.size + 3) // 4 * 2
        return TournamentFile(
            header=Header(name=f"seed {self.seed}"),
            players=tuple(
                Player(
                    tpn=tpn,
                    name=f"Player {tpn}",
                    rating=2700 - 5 * tpn,
                    virtual=steps if tpn <= group else (),
                )
                for tpn in range(1, self.size + 1)
            ),
            rounds=self.rounds,
            initial_colour=luck.choice([Colour.WHITE, Colour.BLACK]),
            scoring=self.scoring,
            prohibited=self._prohibited(),
        )

    def _virtual_steps(self) -> tuple[int, ...]:
        accelerated = (self.rounds + 1) // 2
        full = (accelerated + 1) // 2
        return (self.scoring.win,) * full + (self.scoring.win // 2,) * (accelerated - full)

    def _prohibited(self) -> tuple[Prohibited, ...]:
        if self.luck.random() < 0.85:
            return ()
        players = tuple(sorted(self.luck.sample(range(1, self.size + 1), min(3, self.size))))
        return (Prohibited(players=players, first_round=1, last_round=self.rounds),)

    def absent(self, round_: int) -> dict[int, ByeKind]:
        """Return who sits out the round, and how."""
        kinds = {}
        for tpn in range(1, self.size + 1):
            if round_ < self.enters.get(tpn, 0) or round_ >= self.leaves.get(tpn, 99):
                kinds[tpn] = ByeKind.ZERO_POINT
            elif self.luck.random() < self.sitting_out:
                kinds[tpn] = self.luck.choice([ByeKind.ZERO_POINT, ByeKind.HALF_POINT, ByeKind.FULL_POINT])
        return kinds

    def result(self, white: int, black: int) -> str:
        """Return how the game between two numbers ends."""
        if self.luck.random() < self.forfeits:
            return self.luck.choice(["+/-", "-/+", "-/-"])
        advantage = 5 * (black - white) + self.luck.randint(-400, 400)
        return "1/2" if abs(advantage) < 100 else "1-0" if advantage > 0 else "0-1"


def states(seed: int, system: str = DUTCH_2026) -> Iterator[tuple[TournamentFile, PairingOutput | None]]:
    """Yield the state before each round, and our pairing of it; None where there is none, which ends the event."""
    event = Event(seed)
    file = event.beginning()
    for round_ in range(1, event.rounds + 1):
        absent = event.absent(round_)
        asked = tuple(RequestedBye(tpn=tpn, round=round_, kind=kind) for tpn, kind in sorted(absent.items()))
        file = replace(file, requested=asked)
        try:
            output = pair(to_pairing_input(file, system=system))
        except NoCompletePairing:
            yield file, None
            return
        yield file, output
        file = _after(file, event, output, absent)


def _after(
    file: TournamentFile, event: Event, output: PairingOutput, absent: dict[int, ByeKind]
) -> TournamentFile:
    entries = {tpn: RoundEntry(code=_BYES[kind]) for tpn, kind in absent.items()}
    for white_id, black_id in output.pairs:
        white, black = int(white_id[1:]), int(black_id[1:])
        ours, theirs = _RESULTS[event.result(white, black)]
        entries[white] = RoundEntry(code=ours, opponent=black, colour=Colour.WHITE)
        entries[black] = RoundEntry(code=theirs, opponent=white, colour=Colour.BLACK)
    if output.pab is not None:
        entries[int(output.pab[1:])] = RoundEntry(code=ResultCode.PAIRING_ALLOCATED_BYE)
    players = (_extended(player, entries[player.tpn], event.scoring) for player in file.players)
    return replace(file, players=tuple(players), requested=())


def _extended(player: Player, entry: RoundEntry, scoring: Scoring) -> Player:
    points = {
        "1": scoring.win,
        "=": scoring.draw,
        "0": scoring.loss,
        "+": scoring.forfeit_win,
        "-": scoring.forfeit_loss,
        "H": scoring.half_point_bye,
        "F": scoring.full_point_bye,
        "U": scoring.pairing_allocated_bye,
        "Z": scoring.zero_point_bye,
    }.get(entry.code, 0)
    return replace(player, entries=(*player.entries, entry), points=player.points + points)
