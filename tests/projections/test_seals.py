"""Seals: a digest while the round is not published; afterwards what opens it."""

from rules.commands import CloseAppealWindow, WithdrawPlayer
from rules.proof import output_digest, seal
from rules.swiss.pairing_input import PairingOutput
from tests.projections.scenes import PAIRS, played, view
from tests.support.ledger import SALT, ready

ROUND_1 = PairingOutput(pairs=PAIRS[1])


def test_a_round_that_is_not_published_shows_by_its_digest_alone() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))
    assert view(ledger, "seal") == []

    ledger.seal(1, *PAIRS[1])

    assert view(ledger, "seal") == [{"round": 1, "seal": seal(SALT, ROUND_1)}]


def test_publication_opens_the_seal() -> None:
    ledger = played(0)

    [shown] = view(ledger, "seal")

    assert shown["seal"] == seal(shown["salt"], ROUND_1)
    assert shown["output"] == output_digest(ROUND_1)
    assert set(shown) == {"round", "seal", "salt", "output", "input", "system", "engine"}


def test_a_round_that_is_sealed_anew_shows_its_latest_seal() -> None:
    ledger = ready(5)
    ledger.do(CloseAppealWindow(round=0))
    ledger.seal(1, *PAIRS[1], pab="p5")
    ledger.do(WithdrawPlayer(player="p5"))

    ledger.seal(1, *PAIRS[1])

    assert view(ledger, "seal") == [{"round": 1, "seal": seal(SALT, ROUND_1)}]
