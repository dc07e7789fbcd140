"""Made-up events for the tests of the Dutch system: written by hand in short form, or played out by chance."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from events.facts import Colour
from rules.swiss.dutch import pair
from rules.swiss.pairing_input import (
    Entrant,
    NoCompletePairing,
    PairingInput,
    PairingOutput,
    RoundKind,
    RoundRecord,
)
from rules.swiss.systems import DUTCH_2026

POINTS = {"1": 10, "=": 5, "0": 0, "+": 10, "-": 0, "U": 10, "F": 10, "H": 5, "Z": 0}
UNPLAYED = {
    "+": RoundKind.FORFEIT_WIN,
    "-": RoundKind.FORFEIT_LOSS,
    "U": RoundKind.PAIRING_ALLOCATED_BYE,
    "F": RoundKind.FULL_POINT_BYE,
    "H": RoundKind.HALF_POINT_BYE,
    "Z": RoundKind.ZERO_POINT_BYE,
}
MIRRORED = {"1": "0", "0": "1", "=": "=", "+": "-", "-": "+"}


def name(tpn: int) -> str:
    return f"p{tpn}"


def record(text: str) -> RoundRecord:
    """Read `4w1` (opponent, colour, result), `4b+`, or `U`, `F`, `H`, `Z`."""
    kind = UNPLAYED.get(text[-1], RoundKind.GAME)
    if len(text) == 1:
        return RoundRecord(kind=kind, points=POINTS[text])
    colour = Colour(text[-2])
    return RoundRecord(kind=kind, points=POINTS[text[-1]], opponent=name(int(text[:-2])), colour=colour)


def situation(  # noqa: PLR0913 - each is a fact of the event
    histories: Mapping[int, str],
    rounds: int = 9,
    *,
    absent: Sequence[int] = (),
    prohibited: Sequence[Sequence[int]] = (),
    virtual: Mapping[int, Sequence[int]] | None = None,
    initial_colour: Colour = Colour.WHITE,
    parity: str = "participants",
    system: str = DUTCH_2026,
) -> PairingInput:
    """Return the input of the next round; histories are like `"4w1 U 3b="`, by number."""
    played = {tpn: tuple(record(text) for text in history.split()) for tpn, history in histories.items()}
    return PairingInput(
        system=system,
        round=max((len(records) for records in played.values()), default=0) + 1,
        rounds=rounds,
        initial_colour=initial_colour,
        initial_colour_parity=parity,
        win=10,
        loss=0,
        prohibited=tuple(tuple(name(tpn) for tpn in group) for group in prohibited),
        entrants=tuple(
            Entrant(
                player=name(tpn),
                tpn=tpn,
                present=tpn not in absent,
                history=records,
                virtual=tuple((virtual or {}).get(tpn, ())),
            )
            for tpn, records in played.items()
        ),
    )


def shown(output: PairingOutput) -> str:
    """Return `1-4 3-2 5-bye`, in board order."""
    boards = [f"{white[1:]}-{black[1:]}" for white, black in output.pairs]
    return " ".join([*boards, f"{output.pab[1:]}-bye"] if output.pab else boards)


def played_out(
    random: Random, players: int, rounds: int, *, wild: bool = False, system: str = DUTCH_2026
) -> Iterator[PairingInput]:
    """Yield the input of every round of an event played by chance, with byes, forfeits and acceleration.

    A wild event is paired at random, and so gets into positions that the articles would never lead to.
    """
    sitting_out, forfeits = random.choice([0, 0, 0.1, 0.25]), random.choice([0, 0, 0.1, 0.25])
    virtual = _virtual_points(random, players, rounds)
    histories: dict[int, list[str]] = {tpn: [] for tpn in range(1, players + 1)}
    colour = random.choice(list(Colour))
    for round_ in range(1, rounds + 1):
        absent = [tpn for tpn in histories if random.random() < sitting_out]
        given = situation(
            {tpn: " ".join(history) for tpn, history in histories.items()},
            rounds,
            absent=absent,
            virtual={tpn: points[:round_] for tpn, points in virtual.items()},
            prohibited=[random.sample(sorted(histories), 2)] if random.random() < sitting_out else [],
            initial_colour=colour,
            system=system,
        )
        yield given
        try:
            output = _paired_at_random(random, given) if wild else pair(given)
        except NoCompletePairing:
            return
        _play(random, histories, output, absent, forfeits)


def _virtual_points(random: Random, players: int, rounds: int) -> dict[int, list[int]]:
    if random.random() < 0.7:
        return {}
    steps = sorted((random.choice([0, 0, 5, 10]) for _ in range(rounds)), reverse=True)
    return dict.fromkeys(range(1, players // 2 + 1), steps)


def _paired_at_random(random: Random, given: PairingInput) -> PairingOutput:
    """Pair whoever has not met, one after another, and give the bye to anybody left; the rest sits out."""
    todo = [entrant for entrant in given.entrants if entrant.present]
    random.shuffle(todo)
    pairs, left = [], []
    while todo:
        one = todo.pop()
        met = {record.opponent for record in one.history if record.kind is RoundKind.GAME}
        other = next((entrant for entrant in todo if entrant.player not in met), None)
        if other is None:
            left.append(one)
        else:
            todo.remove(other)
            pairs.append((one.player, other.player))
    free = [
        entrant.player
        for entrant in left
        if not any(r.points == 10 and r.opponent is None for r in entrant.history)
    ]
    return PairingOutput(pairs=tuple(pairs), pab=free[0] if free else None)


def _play(
    random: Random,
    histories: dict[int, list[str]],
    output: PairingOutput,
    absent: Sequence[int],
    forfeits: float,
) -> None:
    happened = {tpn: random.choice("HZZ") for tpn in absent}
    for white, black in output.pairs:
        result = random.choice("+-") if random.random() < forfeits else random.choice("10=")
        one, two = int(white[1:]), int(black[1:])
        happened[one], happened[two] = f"{two}w{result}", f"{one}b{MIRRORED[result]}"
    if output.pab:
        happened[int(output.pab[1:])] = "U"
    for tpn, history in histories.items():
        history.append(happened.get(tpn, "Z"))
