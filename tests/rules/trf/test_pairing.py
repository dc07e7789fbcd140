import pytest

from events.facts import Colour
from rules.swiss.pairing_input import Entrant, RoundKind, RoundRecord
from rules.trf import TrfError, read, to_pairing_input
from tests.rules.trf.building import FOUR, TWO, file, line, trf


def present(*extra: str, players: tuple[str, ...] = FOUR) -> list[int]:
    return [
        entrant.tpn for entrant in to_pairing_input(file(*extra, players=players)).entrants if entrant.present
    ]


def test_a_file_becomes_what_the_engine_sees() -> None:
    seen = to_pairing_input(file("XXP 1 4", "XXA    1  1.0  0.5  0.5", players=FOUR[::-1]))

    assert (seen.system, seen.round, seen.rounds) == ("fide-dutch@2026", 2, 5)
    assert (seen.initial_colour, seen.initial_colour_parity) == (Colour.WHITE, "participants")
    assert (seen.win, seen.loss, seen.prohibited) == (10, 0, (("p1", "p4"),))
    assert [entrant.tpn for entrant in seen.entrants] == [1, 2, 3, 4]
    assert seen.entrants[0] == Entrant(
        player="p1",
        tpn=1,
        present=True,
        history=(RoundRecord(kind=RoundKind.GAME, points=10, opponent="p3", colour=Colour.WHITE),),
        virtual=(10, 5),
    )
    assert seen.entrants[1].virtual == (0, 0)


def test_without_virtual_points_up_to_the_round_nobody_has_any() -> None:
    seen = to_pairing_input(file("XXA    1  0.0  0.0  1.0"))

    assert {entrant.virtual for entrant in seen.entrants} == {()}


@pytest.mark.parametrize("absent", ["240 Z   2    3", "240 H   2    3", "240 F   2    3", "XXZ 3"])
def test_who_sits_out_the_coming_round_is_absent(absent: str) -> None:
    assert present(absent) == [1, 2, 4]


def test_a_bye_of_a_later_round_does_not_make_absent_now() -> None:
    assert present("240 Z   3    3") == [1, 2, 3, 4]


def test_byes_in_the_next_column_make_absent_and_do_not_count_yet() -> None:
    players = (line(1, "1.5", "3 w 1", "0000 - H"), *FOUR[1:])
    seen = to_pairing_input(file(players=players))

    assert seen.round == 2
    assert not seen.entrants[0].present
    assert [record.points for record in seen.entrants[0].history] == [10]


def test_late_entrants_and_withdrawn_players_keep_a_record_of_every_round() -> None:
    players = (
        line(1, "2.0", "2 w 1", "3 b 1"),
        line(2, "0.0", "1 b 0", "0000 - Z", "0000 - Z"),
        line(3, "0.0", "", "1 w 0"),
        line(4, "0.5", "0000 - H", "0000 - Z"),
        line(5, "1.0", "0000 - U"),
    )
    seen = to_pairing_input(file(players=players))
    kinds = {entrant.tpn: [record.kind for record in entrant.history] for entrant in seen.entrants}

    assert kinds[2] == [RoundKind.GAME, RoundKind.ZERO_POINT_BYE]
    assert kinds[3] == [RoundKind.ZERO_POINT_BYE, RoundKind.GAME]
    assert kinds[4] == [RoundKind.HALF_POINT_BYE, RoundKind.ZERO_POINT_BYE]
    assert kinds[5] == [RoundKind.PAIRING_ALLOCATED_BYE, RoundKind.ZERO_POINT_BYE]
    assert [entrant.tpn for entrant in seen.entrants if entrant.present] == [1, 3, 4, 5]


def test_forfeits_keep_opponent_and_colour() -> None:
    players = (
        line(1, "1.0", "2 w +"),
        line(2, "0.0", "1 b -"),
        line(3, "0.0", "0000 - -"),
        line(4, "1.0", "0000 - +"),
    )
    first, second, third, fourth = (
        entrant.history[0] for entrant in to_pairing_input(file("152 W", players=players)).entrants
    )

    assert first == RoundRecord(kind=RoundKind.FORFEIT_WIN, points=10, opponent="p2", colour=Colour.WHITE)
    assert second == RoundRecord(kind=RoundKind.FORFEIT_LOSS, points=0, opponent="p1", colour=Colour.BLACK)
    assert third == RoundRecord(kind=RoundKind.ZERO_POINT_BYE, points=0)
    assert fourth == RoundRecord(kind=RoundKind.FULL_POINT_BYE, points=10)


def test_points_follow_the_scoring_of_the_file() -> None:
    players = (line(1, "3.0", "2 w 1"), line(2, "0.5", "1 b 0"), line(3, "1.5", "0000 - U"))
    seen = to_pairing_input(file("162  W 3.0    L 0.5    P 1.5", players=players))

    assert (seen.win, seen.loss) == (30, 5)
    assert [entrant.history[0].points for entrant in seen.entrants] == [30, 5, 15]


@pytest.mark.parametrize(("round_", "groups"), [(2, (("p1", "p2"),)), (1, ())])
def test_prohibited_pairs_hold_in_their_rounds_alone(
    round_: int, groups: tuple[tuple[str, ...], ...]
) -> None:
    seen = to_pairing_input(file("260   2   3    1    2"), round_)

    assert seen.prohibited == groups


def test_an_earlier_round_is_seen_as_it_was() -> None:
    players = (
        line(1, "1.5", "2 w 1", "3 b ="),
        line(2, "0.0", "1 b 0", "0000 - Z"),
        line(3, "1.5", "0000 - U", "1 w ="),
    )
    whole = file(players=players)
    before = read(
        trf("142 5", line(1, "1.0", "2 w 1"), line(2, "0.0", "1 b 0", "0000 - Z"), line(3, "1.0", "0000 - U"))
    )

    assert to_pairing_input(whole, 2) == to_pairing_input(before)
    assert all(entrant.present for entrant in to_pairing_input(whole, 1).entrants)


def test_the_initial_colour_is_inferred_from_the_highest_ranked_player_of_round_1() -> None:
    players = (line(1, "0.5", "0000 - H"), line(2, "0.0", "3 b 0"), line(3, "1.0", "2 w 1"))

    assert to_pairing_input(file(players=players)).initial_colour is Colour.BLACK
    assert to_pairing_input(file("152 W", players=players)).initial_colour is Colour.WHITE


def test_round_1_needs_an_initial_colour() -> None:
    with pytest.raises(TrfError, match="initial colour"):
        to_pairing_input(file(players=(line(1), line(2))))


def test_the_number_of_rounds_is_needed() -> None:
    with pytest.raises(TrfError, match="number of rounds"):
        to_pairing_input(read(trf(*TWO)))


def test_a_tournament_that_is_over_is_refused() -> None:
    with pytest.raises(TrfError, match="all 1 rounds are paired"):
        to_pairing_input(file(rounds=1))


@pytest.mark.parametrize("round_", [0, 3, -1])
def test_a_round_out_of_reach_is_refused(round_: int) -> None:
    with pytest.raises(TrfError, match="cannot be paired"):
        to_pairing_input(file(), round_)


def test_a_game_without_result_is_refused_unless_the_file_says_what_it_counts() -> None:
    players = (line(1, "0.0", "2 w  "), line(2, "0.0", "1 b  "))

    with pytest.raises(TrfError, match="the game 1 against 2 of round 1 has no result"):
        to_pairing_input(file(players=players))
    seen = to_pairing_input(file("162  X 0.5", players=players))
    assert seen.entrants[0].history[0] == RoundRecord(
        kind=RoundKind.GAME, points=5, opponent="p2", colour=Colour.WHITE
    )
