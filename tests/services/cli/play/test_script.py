"""A tournament file becomes commands, and the log they make shows the engine just what the file shows it."""

from importlib.resources import files
from itertools import pairwise

import msgspec
import pytest

from events.facts import ByeKind, GameResult
from rules.commands import CloseAppealWindow, ConfirmPresence, DrawLots, FixNumbers
from rules.history import pairing_input
from rules.swiss.pairing_input import Entrant, PairingInput
from rules.trf import TrfError, read, to_pairing_input
from services.cli.demonstration import SLIPS
from services.cli.play.script import NO_PERSON, Script, script_of
from tests.corpus.loading import Case, sample
from tests.support.ledger import Ledger, timetable
from tests.support.simulation import Plan, field, simulate

PLAYED = [case for case in sample() if case.round > 1 and case.players <= 60][:40]


def play(script: Script) -> Ledger:
    """Live through the file on paper, taking its own pairings, and close what counts for the next one."""
    ledger = Ledger()
    ledger.do(script.announcement)
    ledger.do(timetable(script.announcement.rounds))
    ledger.do(DrawLots(initial_colour=script.initial_colour))
    for entry, _ in script.entries:
        ledger.do(entry)
        ledger.do(ConfirmPresence(player=entry.player))
    ledger.do(FixNumbers(for_round=1, players=tuple(entry.player for entry, _ in script.entries)))
    for this_round in script.rounds:
        for bye in this_round.byes:
            ledger.do(bye)
        for withdrawal in this_round.withdrawals:
            ledger.do(withdrawal)
        if this_round.round == 1:
            ledger.do(CloseAppealWindow(round=0))
        else:
            ledger.close(this_round.round - 1)
        if this_round.pairs is not None:
            ledger.publish(this_round.round, *this_round.pairs, pab=this_round.pab)
            outcomes = [this_round.outcomes[pair] for pair in this_round.pairs]
            ledger.record(this_round.round, *(outcome.result for outcome in outcomes))
    return ledger


def plain(scene: PairingInput) -> PairingInput:
    """Return `scene` with virtual points left out where a player has none."""
    entrants: list[Entrant] = [
        entrant if any(entrant.virtual) else msgspec.structs.replace(entrant, virtual=())
        for entrant in scene.entrants
    ]
    return msgspec.structs.replace(scene, entrants=tuple(entrants))


@pytest.mark.parametrize("case", PLAYED, ids=lambda case: case.id)
def test_the_engine_sees_in_the_log_what_it_sees_in_the_file(case: Case) -> None:
    file = read(case.trf.encode())
    ledger = play(script_of(file, "t"))
    cutoff = ledger.state.round(case.round).cutoff
    assert cutoff is not None

    assert plain(pairing_input(ledger.history, case.round, cutoff)) == plain(to_pairing_input(file))


def test_the_sample_has_every_kind_of_round() -> None:
    tags = {tag for case in PLAYED for tag in case.tags}

    assert {"forfeits", "hpb", "zpb", "late", "withdraw", "baku", "forbidden", "never-played"} <= tags


def test_every_entry_and_round_of_the_file_is_in_the_script() -> None:
    (case,) = [case for case in PLAYED if "withdraw" in case.tags][:1]
    script = script_of(read(case.trf.encode()), "t")

    assert len(script.entries) == case.players
    assert [this_round.round for this_round in script.rounds] == list(range(1, case.round + 1))
    assert all(entry.person == NO_PERSON for entry, _ in script.entries)


def test_who_is_away_to_the_end_of_a_whole_file_has_left_and_who_misses_one_round_has_a_bye() -> None:
    plan = Plan(byes={(2, 3): ByeKind.ZERO_POINT, (3, 1): ByeKind.ZERO_POINT}, last_round={6: 1})

    rounds = script_of(simulate(field(6, 1), 3, 1, plan), "t").rounds

    assert [[(bye.player, bye.kind) for bye in this_round.byes] for this_round in rounds] == [
        [("p3", ByeKind.ZERO_POINT)],
        [],
        [("p2", ByeKind.ZERO_POINT)],
    ]
    assert [[(one.player, one.from_round) for one in this_round.withdrawals] for this_round in rounds] == [
        [],
        [("p6", 2)],
        [],
    ]


def test_the_demonstration_has_what_happens_in_a_hall() -> None:
    file = read((files("services.cli") / "demonstration.trf").read_bytes())
    script = script_of(file, "t")
    results = [outcome.result for one in script.rounds for outcome in one.outcomes.values()]

    assert (len(script.entries), len(script.rounds)) == (64, 9)
    assert {bye.kind for one in script.rounds for bye in one.byes} == {ByeKind.ZERO_POINT, ByeKind.HALF_POINT}
    assert GameResult.WHITE_WINS_FORFEIT in results
    assert sum(len(one.withdrawals) for one in script.rounds) == 1
    assert sum(one.pab is not None for one in script.rounds) >= 1
    for slip in SLIPS:
        assert script.rounds[slip.round - 1].outcomes[slip.pair].result != slip.typed


@pytest.mark.parametrize(
    ("one", "two", "result", "rated"),
    [
        ("1", "0", "1-0", True),
        ("D", "D", "1/2-1/2", False),
        ("L", "W", "0-1", False),
        ("=", "0", "1/2-0", True),
        ("0", "0", "0-0", True),
        ("-", "+", "-/+", True),
        ("-", "-", "-/-", True),
    ],
)
def test_result_codes_of_both_sides_make_one_result(one: str, two: str, result: str, *, rated: bool) -> None:
    points = {"1": "1.0", "W": "1.0", "+": "1.0", "=": "0.5", "D": "0.5"}
    lines = [
        f"001    1{'A':>10}{'':62}{points.get(one, '0.0'):>4}{'':10}2 w {one}",
        f"001    2{'C':>10}{'':62}{points.get(two, '0.0'):>4}{'':10}1 b {two}",
    ]
    file = read(("142 3\n152 W\n" + "\n".join(lines) + "\n").encode())

    (outcome,) = script_of(file, "t").rounds[0].outcomes.values()

    assert outcome.result is GameResult(result)
    assert outcome.rated is rated


def test_numbers_with_a_gap_are_no_tournament() -> None:
    file = read(b"142 3\n152 W\n001    1      A\n001    3      B\n")

    with pytest.raises(TrfError, match="nobody has number 2"):
        script_of(file, "t")


def test_rounds_follow_each_other() -> None:
    for case in PLAYED[:5]:
        rounds = [this_round.round for this_round in script_of(read(case.trf.encode()), "t").rounds]
        assert all(later == earlier + 1 for earlier, later in pairwise(rounds))
