"""The effect of a command in a sentence."""

import pytest

from events.facts import AnyFact, CutoffMoved, Effect, GameResult, ResultCorrected, RoundEnded
from services.gateway.effects import in_words


def _correction(pairing_from: int | None, standings_from: int | None) -> ResultCorrected:
    return ResultCorrected(
        round=4,
        board=1,
        white="p1",
        black="p2",
        was=GameResult.DRAW,
        result=GameResult.WHITE_WINS,
        reason="r",
        effect=Effect(pairing_from=pairing_from, standings_from=standings_from, rating=True),
    )


@pytest.mark.parametrize(
    ("facts", "published", "sentence"),
    [
        ([_correction(5, 4)], 4, "The standings count it from round 4, pairings from round 5."),
        (
            [_correction(6, 5)],
            5,
            "The standings count it from round 5, pairings from round 6; the published pairing of round 5 stands.",
        ),
        (
            [_correction(None, 5)],
            5,
            (
                "The standings count it from round 5, no pairing is left to change; "
                "the published pairing of round 5 stands."
            ),
        ),
        (
            [_correction(None, None)],
            6,
            "Goes into the rating report alone; pairings and standings keep the wrong result.",
        ),
        (
            [_correction(5, 4), CutoffMoved(round=5, cutoff=9, reason="r")],
            4,
            (
                "The standings count it from round 4, pairings from round 5. "
                "The pairing of round 5 is not public yet and is made anew."
            ),
        ),
        ([RoundEnded(round=4)], 4, "Round 4 ends with it."),
        ([], 4, ""),
    ],
)
def test_the_effect_is_said_in_a_sentence(facts: list[AnyFact], published: int, sentence: str) -> None:
    assert in_words(facts, published) == sentence
