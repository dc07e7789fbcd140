"""All views of whole tournaments, and that the pages can read them."""

import pytest

from events.facts import ByeKind
from projections import views
from rules.commands import CloseTournament
from services.gateway.pages import shapes
from tests.projections.folding import folded, shown
from tests.projections.paper import on_paper
from tests.projections.scenes import played, points
from tests.support.simulation import Plan, field, simulate


def test_every_view_has_its_name() -> None:
    assert list(views(folded(played(2).history))) == [
        "summary",
        "start-list",
        "standings",
        "cross-table",
        "boards:1",
        "boards:2",
        "integrity",
        "seal",
    ]


def test_pages_read_the_views_as_they_are() -> None:
    bytes_of = shown(folded(played(2).history))

    assert shapes.summary(bytes_of["summary"]).published_rounds == 2
    assert list(shapes.entries(bytes_of["start-list"])) == ["p1", "p2", "p3", "p4"]
    assert shapes.standings(bytes_of["standings"]).after_round == 2
    assert [row.rank for row in shapes.cross_table(bytes_of["cross-table"])] == [1, 2, 3, 4]
    assert shapes.boards(bytes_of["boards:2"]).boards[0].white_points == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_final_standings_are_those_of_the_tournament_file(seed: int) -> None:
    """A tournament that our engine paired on paper, with byes, forfeits and withdrawals, counted by its codes."""
    plan = Plan(
        byes={(3, 1): ByeKind.HALF_POINT, (7, 2): ByeKind.ZERO_POINT, (5, 4): ByeKind.FULL_POINT},
        forfeits=frozenset({(2, 3), (4, 1)}),
        last_round={9: 3, 12: 4},
    )
    file = simulate(field(21, seed), 5, seed, plan)

    ledger = on_paper(file)
    ledger.do(CloseTournament())

    assert points(ledger) == {f"p{player.tpn}": player.points for player in file.players}
