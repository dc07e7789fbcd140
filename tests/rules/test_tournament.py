"""The decider: what happens, and what is refused with what reason."""

from typing import Any

import pytest

from events.facts import (
    AppealWindowClosed,
    ByeKind,
    CutoffMoved,
    GameAdjourned,
    GameResult,
    PairingPublished,
    ProhibitedPairs,
    ResultRecorded,
    RoundEnded,
    Scoring,
    Venue,
    VirtualPoints,
)
from rules.commands import (
    AnyCommand,
    CloseAppealWindow,
    CloseTournament,
    CompleteVenueReports,
    ConfirmPresence,
    CorrectResult,
    DrawLots,
    FixNumbers,
    PostResults,
    PublishPairing,
    RecordResult,
    RegisterPlayer,
    ReportNoPairing,
    RequestBye,
    SealPairing,
    WithdrawPlayer,
)
from rules.refusals import (
    AlreadyAnnounced,
    AlreadyDone,
    BadTimetable,
    ContradictoryRegulations,
    FideIdAlreadyEntered,
    FormatNotOffered,
    GamesUndecided,
    HandlingNotOffered,
    NoResultToCorrect,
    NoSuchBoard,
    NoSuchRound,
    NotAnnounced,
    NotTheCutoff,
    NotThePublishedPair,
    NumbersIncomplete,
    PairingIncomplete,
    PlayerAgainstHimself,
    PlayerAlreadyRegistered,
    PlayerIsWithdrawn,
    ReportInTheFuture,
    ResultAlreadyRecorded,
    ResultHasChanged,
    RoundAlreadyPublished,
    RoundNotPublished,
    RuleViolation,
    SealBroken,
    SomethingMissing,
    SystemNotOffered,
    TooEarly,
    TooLate,
    TournamentIsClosed,
    UnknownPlayer,
    UnknownVenue,
    VenuesSilent,
)
from tests.support.ledger import PERSON, SALT, Ledger, announce, ready, started, timetable

FOUR = (("p1", "p3"), ("p4", "p2"))


def record(round_: int = 1, board: int = 1, white: str = "p1", black: str = "p3") -> RecordResult:
    return RecordResult(round=round_, board=board, white=white, black=black, result=GameResult.DRAW)


def correct(was: str = "1-0", result: str = "0-1", **more: Any) -> CorrectResult:
    return CorrectResult(
        round=1,
        board=1,
        white="p1",
        black="p3",
        was=GameResult(was),
        result=GameResult(result),
        reason="slip misread",
        **more,
    )


def test_nothing_happens_in_a_tournament_that_was_not_announced() -> None:
    with pytest.raises(NotAnnounced):
        Ledger().do(ConfirmPresence(player="p1"))


def test_regulations_are_announced_once() -> None:
    ledger = ready(4)

    with pytest.raises(AlreadyAnnounced):
        ledger.do(announce())


@pytest.mark.parametrize(
    ("regulations", "refusal"),
    [
        ({"format": "team-swiss"}, FormatNotOffered),
        ({"system": "fide-dutch@2015"}, SystemNotOffered),
        ({"system": "fide-dubov@2026"}, SystemNotOffered),
        ({"handling": "2012"}, HandlingNotOffered),
        ({"late_report": "never"}, ContradictoryRegulations),
        ({"scoring": Scoring(win=5)}, ContradictoryRegulations),
        ({"venues": (Venue(venue="a", name="A"), Venue(venue="a", name="B"))}, ContradictoryRegulations),
        (
            {"prohibited": (ProhibitedPairs(players=("p1", "p2"), first_round=1, last_round=4),)},
            ContradictoryRegulations,
        ),
        (
            {
                "acceleration": (
                    VirtualPoints(points=10, first_round=1, last_round=1, first_tpn=5, last_tpn=4),
                )
            },
            ContradictoryRegulations,
        ),
        ({"acceleration_method": "haley"}, ContradictoryRegulations),
        ({"acceleration_method": "baku", "scoring": Scoring(win=30, draw=10)}, ContradictoryRegulations),
        ({"acceleration_method": "baku", "scoring": Scoring(loss=1)}, ContradictoryRegulations),
        (
            {
                "acceleration_method": "baku",
                "acceleration": (
                    VirtualPoints(points=10, first_round=1, last_round=1, first_tpn=1, last_tpn=4),
                ),
            },
            ContradictoryRegulations,
        ),
    ],
)
def test_regulations_that_cannot_be_honoured_are_refused(
    regulations: dict[str, Any], refusal: type[RuleViolation]
) -> None:
    with pytest.raises(refusal):
        Ledger().do(announce(**regulations))


def test_a_timetable_that_runs_backwards_is_refused_by_name() -> None:
    ledger = Ledger()
    ledger.do(announce(2))
    forwards = timetable(2)
    backwards = timetable(2).rounds[::-1]

    with pytest.raises(BadTimetable, match="rounds 1 to 2 in order"):
        ledger.do(type(forwards)(rounds=backwards, appeal_minutes=0, final_appeal=forwards.final_appeal))


def test_a_day_that_does_not_exist_is_refused() -> None:
    ledger = Ledger()
    ledger.do(announce(2))
    good = timetable(2)

    with pytest.raises(BadTimetable, match="2026-02-30"):
        ledger.do(type(good)(rounds=good.rounds, appeal_minutes=0, final_appeal="2026-02-30T10:00:00Z"))


def test_the_same_fide_id_cannot_enter_twice() -> None:
    ledger = ready(2)
    ledger.do(RegisterPlayer(player="a", person=PERSON, fide_id="1503014"))

    with pytest.raises(FideIdAlreadyEntered, match="player 'a'"):
        ledger.do(RegisterPlayer(player="b", person=PERSON, fide_id="1503014"))


def test_whoever_withdrew_does_not_start_anew_under_another_id() -> None:
    ledger = ready(2)
    ledger.do(RegisterPlayer(player="a", person=PERSON, fide_id="1503014"))
    ledger.do(WithdrawPlayer(player="a"))

    with pytest.raises(FideIdAlreadyEntered, match="player 'a'"):
        ledger.do(RegisterPlayer(player="b", person=PERSON, fide_id="1503014"))


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (RegisterPlayer(player="p1", person=PERSON), PlayerAlreadyRegistered),
        (RegisterPlayer(player="x", person=PERSON, entered_for=4), NoSuchRound),
        (ConfirmPresence(player="x"), UnknownPlayer),
        (ConfirmPresence(player="p1"), AlreadyDone),
        (RequestBye(player="x", round=1, kind=ByeKind.HALF_POINT), UnknownPlayer),
        (RequestBye(player="p1", round=4, kind=ByeKind.HALF_POINT), NoSuchRound),
        (WithdrawPlayer(player="x"), UnknownPlayer),
        (FixNumbers(for_round=1, players=("p1", "p2", "p3")), NumbersIncomplete),
        (FixNumbers(for_round=1, players=("p1", "p2", "p3", "p3")), NumbersIncomplete),
        (FixNumbers(for_round=1, players=("p1", "p2", "p3", "x")), NumbersIncomplete),
        (record(), RoundNotPublished),
        (PostResults(round=1), RoundNotPublished),
        (CloseAppealWindow(round=1), RoundNotPublished),
        (CloseTournament(), TooEarly),
        (DrawLots(initial_colour="w"), AlreadyDone),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_done_before_round_1_is_refused(
    command: AnyCommand, refusal: type[RuleViolation]
) -> None:
    with pytest.raises(refusal):
        ready(4).do(command)


def test_entries_close_only_when_everything_is_ready() -> None:
    ledger = Ledger()
    ledger.do(announce())

    with pytest.raises(SomethingMissing, match=r"timetable.*colour.*player.*numbers"):
        ledger.do(CloseAppealWindow(round=0))


def test_closing_the_entries_fixes_the_cutoff_of_round_1() -> None:
    ledger = ready(4)
    before = ledger.state.version

    facts = ledger.do(CloseAppealWindow(round=0))

    assert facts == [AppealWindowClosed(round=0, cutoff=before)]
    assert ledger.state.round(1).cutoff == before


def test_after_the_entries_closed_nobody_enters_round_1() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))

    with pytest.raises(TooLate):
        ledger.do(RegisterPlayer(player="late", person=PERSON))
    ledger.do(RegisterPlayer(player="late", person=PERSON, entered_for=2))

    assert not ledger.state.players["late"].takes_part(1)


def test_a_late_entry_must_have_a_number_before_his_first_round_can_be_paired() -> None:
    ledger = started(4, *FOUR)
    ledger.do(RegisterPlayer(player="late", person=PERSON, entered_for=2))
    ledger.do(ConfirmPresence(player="late"))
    ledger.record(1, "1-0", "0-1")

    with pytest.raises(SomethingMissing, match="late entry"):
        ledger.close(1)
    ledger.do(FixNumbers(for_round=2, players=("p1", "late", "p2", "p3", "p4")))
    ledger.do(CloseAppealWindow(round=1))

    assert ledger.state.numbers_for(1) != ledger.state.numbers_for(2)


def test_who_confirms_presence_late_is_paired_from_the_next_open_round() -> None:
    ledger = ready(4)
    ledger.do(RegisterPlayer(player="late", person=PERSON))
    ledger.do(FixNumbers(for_round=1, players=("p1", "p2", "p3", "p4", "late")))
    ledger.do(CloseAppealWindow(round=0))
    with pytest.raises(TooLate):
        ledger.do(ConfirmPresence(player="late"))
    ledger.publish(1, *FOUR)

    ledger.do(ConfirmPresence(player="late"))

    assert ledger.state.players["late"].takes_part(2)


def test_the_numbers_of_a_round_are_those_given_for_it_latest() -> None:
    ledger = started(4, *FOUR)
    orders = {3: ("p4", "p3", "p2", "p1"), 2: ("p2", "p1", "p3", "p4")}
    for round_, players in orders.items():
        ledger.do(FixNumbers(for_round=round_, players=players))

    for round_, players in {1: ("p1", "p2", "p3", "p4"), **orders}.items():
        numbers = ledger.state.numbers_for(round_)
        assert numbers is not None
        assert numbers[1].players == players


def test_the_result_of_the_last_board_ends_the_round() -> None:
    ledger = started(4, *FOUR)
    ledger.do(record())

    facts = ledger.do(record(board=2, white="p4", black="p2"))

    assert facts == [
        ResultRecorded(round=1, board=2, white="p4", black="p2", result=GameResult.DRAW),
        RoundEnded(round=1),
    ]


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (record(board=3), NoSuchBoard),
        (record(round_=2), RoundNotPublished),
        (record(round_=9), NoSuchRound),
        (record(white="p1", black="p1"), PlayerAgainstHimself),
        (record(white="p3", black="p1"), NotThePublishedPair),
        (record(board=2), NotThePublishedPair),
        (correct(), NoResultToCorrect),
        (PostResults(round=1), GamesUndecided),
        (CompleteVenueReports(round=1, venue="x"), UnknownVenue),
    ],
)
def test_what_does_not_match_the_published_round_is_refused(
    command: AnyCommand, refusal: type[RuleViolation]
) -> None:
    with pytest.raises(refusal):
        started(4, *FOUR).do(command)


def test_a_second_result_of_a_board_is_a_correction_or_nothing() -> None:
    ledger = started(4, *FOUR)
    ledger.record(1, "1-0")

    with pytest.raises(ResultAlreadyRecorded, match="1-0"):
        ledger.do(record())
    with pytest.raises(ResultHasChanged):
        ledger.do(correct(was="0-1", result="1-0"))
    with pytest.raises(AlreadyDone):
        ledger.do(correct(was="1-0", result="1-0"))


def test_a_report_from_the_future_is_refused() -> None:
    ledger = started(4, *FOUR)

    with pytest.raises(ReportInTheFuture):
        ledger.do(record(), at="2026-10-05T12:00:00Z", reported_at="2026-10-05T12:00:01Z")


def test_the_window_closes_after_the_deadlines_second_and_not_in_it() -> None:
    ledger = started(4, *FOUR)
    ledger.record(1, "1-0", "0-1")
    ledger.do(PostResults(round=1), at="2026-10-05T14:30:00Z")

    with pytest.raises(TooEarly):
        ledger.do(CloseAppealWindow(round=1), at="2026-10-05T15:00:00.999Z")
    ledger.do(CloseAppealWindow(round=1), at="2026-10-05T15:00:01Z")

    assert ledger.state.round(2).cutoff == ledger.state.version - 1


def test_posting_late_moves_the_deadline_by_the_announced_minutes() -> None:
    ledger = started(4, *FOUR)
    ledger.record(1, "1-0", "0-1")

    ledger.do(PostResults(round=1), at="2026-10-05T14:50:00Z")

    assert ledger.state.round(1).appeals_close == "2026-10-05T15:05:00.000Z"


def test_a_silent_hall_keeps_the_window_open_until_overridden() -> None:
    ledger = started(4, *FOUR, venues=(Venue(venue="a", name="A"), Venue(venue="b", name="B")))
    ledger.record(1, "1-0", "0-1")
    ledger.do(CompleteVenueReports(round=1, venue="a"))

    with pytest.raises(VenuesSilent, match="b"):
        ledger.close(1)
    facts = ledger.do(CloseAppealWindow(round=1, override="hall b is closed"))

    assert [type(fact) for fact in facts] == [AppealWindowClosed]


def test_an_override_adjourns_the_games_without_a_result() -> None:
    ledger = started(4, *FOUR)
    ledger.record(1, "1-0")

    facts = ledger.do(CloseAppealWindow(round=1, override="the hall closes"))

    assert [type(fact) for fact in facts] == [GameAdjourned, RoundEnded, AppealWindowClosed]
    assert isinstance(facts[2], AppealWindowClosed)
    assert facts[2].cutoff == ledger.state.version - 1


def test_a_withdrawal_after_the_close_moves_the_cutoff_of_the_unpublished_round() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))
    ledger.seal(1, *FOUR)

    facts = ledger.do(WithdrawPlayer(player="p4"))

    assert [type(fact).__name__ for fact in facts] == ["PlayerWithdrawn", "CutoffMoved"]
    assert isinstance(facts[1], CutoffMoved)
    assert facts[1].cutoff == ledger.state.version - 1
    assert ledger.state.round(1).sealed is None, "the round is sealed anew"


def test_a_withdrawal_from_a_later_round_leaves_the_cutoff() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))

    assert len(ledger.do(WithdrawPlayer(player="p4", from_round=2))) == 1


def test_who_leaves_later_can_still_sit_out_or_leave_before() -> None:
    ledger = ready(4)
    ledger.do(WithdrawPlayer(player="p4", from_round=3))

    ledger.do(RequestBye(player="p4", round=1, kind=ByeKind.ZERO_POINT))
    with pytest.raises(PlayerIsWithdrawn):
        ledger.do(RequestBye(player="p4", round=3, kind=ByeKind.ZERO_POINT))
    with pytest.raises(PlayerIsWithdrawn):
        ledger.do(WithdrawPlayer(player="p4", from_round=3))
    ledger.do(WithdrawPlayer(player="p4", from_round=2))

    assert ledger.state.players["p4"].withdrawn_from == 2


def test_nobody_withdraws_when_no_round_is_left() -> None:
    ledger = started(4, *FOUR, rounds=1)

    with pytest.raises(TooLate, match="the last round is published"):
        ledger.do(WithdrawPlayer(player="p4"))


def test_after_publication_nothing_moves() -> None:
    ledger = started(4, *FOUR)

    assert len(ledger.do(WithdrawPlayer(player="p4"))) == 1
    with pytest.raises(PlayerIsWithdrawn):
        ledger.do(WithdrawPlayer(player="p4"))
    with pytest.raises(RoundAlreadyPublished):
        ledger.do(RequestBye(player="p1", round=1, kind=ByeKind.HALF_POINT))
    with pytest.raises(RoundAlreadyPublished):
        ledger.do(WithdrawPlayer(player="p1", from_round=1))


def test_a_pairing_by_another_cutoff_is_not_sealed() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))
    stale = SealPairing(
        round=1,
        attempt=1,
        cutoff=3,
        head="00" * 32,
        system="fide-dutch@2026",
        engine="x",
        input="00" * 32,
        seal="00" * 32,
    )

    with pytest.raises(NotTheCutoff):
        ledger.do(stale)


def test_a_round_is_not_published_before_its_minute() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))
    ledger.seal(1, *FOUR)

    with pytest.raises(TooEarly, match="09:00"):
        ledger.do(PublishPairing(round=1, pairs=FOUR, salt=SALT))


def test_only_the_sealed_pairing_can_be_published() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))
    ledger.seal(1, *FOUR)
    other = PublishPairing(round=1, pairs=(("p1", "p2"), ("p3", "p4")), salt=SALT)

    with pytest.raises(SealBroken):
        ledger.do(other, at="2026-10-05T09:00:00Z")
    with pytest.raises(SealBroken):
        ledger.do(PublishPairing(round=1, pairs=FOUR, salt="00" * 32), at="2026-10-05T09:00:00Z")


def test_a_pairing_that_leaves_somebody_out_is_not_published() -> None:
    ledger = ready(4)
    ledger.do(CloseAppealWindow(round=0))
    ledger.seal(1, ("p1", "p3"))

    with pytest.raises(PairingIncomplete, match="p2, p4"):
        ledger.do(PublishPairing(round=1, pairs=(("p1", "p3"),), salt=SALT), at="2026-10-05T09:00:00Z")


def test_a_published_pairing_carries_its_proof() -> None:
    ledger = started(4, *FOUR)
    published = ledger.state.round(1).published

    assert isinstance(published, PairingPublished)
    assert published.head == ledger.history[published.cutoff].prev
    assert published.pairs == FOUR
    with pytest.raises(RoundAlreadyPublished):
        ledger.do(PublishPairing(round=1, pairs=FOUR, salt=SALT))


def play_to_the_end() -> Ledger:
    ledger = started(4, *FOUR, rounds=1)
    ledger.record(1, "1-0", "0-1")
    ledger.close(1)
    ledger.do(CloseTournament())
    return ledger


def test_a_closed_tournament_takes_corrections_for_the_rating_report_alone() -> None:
    ledger = play_to_the_end()

    with pytest.raises(TournamentIsClosed):
        ledger.do(WithdrawPlayer(player="p1"))
    (fact,) = ledger.do(correct())

    assert fact.effect.pairing_from is fact.effect.standings_from is None  # type: ignore[union-attr]


def test_an_adjourned_game_must_be_settled_before_the_end() -> None:
    ledger = started(4, *FOUR, rounds=1)
    ledger.record(1, "1-0")
    ledger.do(CloseAppealWindow(round=1, override="night"))

    with pytest.raises(GamesUndecided):
        ledger.do(CloseTournament())
    ledger.do(record(board=2, white="p4", black="p2"))
    ledger.do(CloseTournament())

    assert ledger.state.closed


def test_a_tournament_whose_next_round_cannot_be_paired_can_be_closed() -> None:
    ledger = started(2, ("p1", "p2"), rounds=3)
    ledger.record(1, "1-0")
    ledger.close(1)
    with pytest.raises(TooEarly):
        ledger.do(CloseTournament())
    second = ledger.state.round(2)
    assert second.cutoff is not None
    ledger.do(
        ReportNoPairing(
            round=2,
            attempt=1,
            cutoff=second.cutoff,
            head=second.cutoff_head,
            system="fide-dutch@2026",
            engine="by hand",
            input="00" * 32,
            detail="they have met",
        )
    )

    ledger.do(CloseTournament())

    assert ledger.state.closed


def test_every_refusal_says_what_in_one_sentence() -> None:
    for refusal in RuleViolation.__subclasses__():
        names = set(refusal.__dataclass_fields__)  # type: ignore[attr-defined]
        example = refusal(**{name: f"<{name}>" for name in names})
        assert all(f"<{name}>" in str(example) for name in names - {"player"} if f"{{{name}" in refusal.text)
        assert refusal.kind() == refusal.kind().lower()
