"""The runner itself, with our own program in the place of the other engine: nothing may differ."""

import sys
from pathlib import Path

from rules.swiss.systems import DUTCH_2017
from tests.differential.__main__ import compare
from tests.differential.events import states
from tests.support.program import TIRAGE


def test_our_own_program_agrees_with_our_own_engine(tmp_path: Path) -> None:
    verdicts = [verdict for seed in (3, 4) for verdict, _ in compare([TIRAGE, "pair"], seed, tmp_path)]

    assert len(verdicts) > 2
    assert set(verdicts) == {"equal"}


def test_each_edition_is_compared_by_its_own_rules(tmp_path: Path) -> None:
    by_2017 = [TIRAGE, "pair", "--edition", "2017"]

    for command, expected in ((by_2017, {"equal"}), ([TIRAGE, "pair"], {"equal", "pairs differ"})):
        verdicts = [verdict for verdict, _ in compare(command, 4, tmp_path, "2017")]
        assert set(verdicts) == expected


def test_another_answer_is_noticed(tmp_path: Path) -> None:
    liar = tmp_path / "liar.py"
    liar.write_text("import sys; open(sys.argv[4], 'w').write('1\\n1 2\\n')")

    verdicts = [verdict for verdict, _ in compare([sys.executable, str(liar)], 3, tmp_path)]

    assert verdicts == ["pairs differ"]


def test_an_engine_that_crashes_is_counted_and_the_event_goes_on(tmp_path: Path) -> None:
    crash = tmp_path / "crash.py"
    crash.write_text("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")

    verdicts = [verdict for verdict, _ in compare([sys.executable, str(crash)], 3, tmp_path)]

    assert set(verdicts) == {"the other engine crashed"}
    assert len(verdicts) > 1


def test_a_round_in_which_nobody_takes_part_is_no_question(tmp_path: Path) -> None:
    """Seed 7332 of 2017: with a bye for everybody in round 3, the reference engine pairs round 4."""
    *_, (file, output) = states(7332, DUTCH_2017)
    command = [TIRAGE, "pair", "--edition", "2017"]

    assert (file.next_round, output) == (3, None)
    assert [verdict for verdict, _ in compare(command, 7332, tmp_path, "2017")] == ["equal", "equal"]


def test_the_same_seed_gives_the_same_states() -> None:
    assert list(states(7)) == list(states(7))
