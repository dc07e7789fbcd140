"""Views of a tournament "t", made of the structs that the projector writes."""

import json
from collections.abc import Mapping, Sequence

from events.facts import GameResult, Scoring
from projections import AnyView
from projections.cross_table import Cell, CrossRow
from projections.rounds import Boards, Game, SittingOut
from projections.standings import Rank, Standings
from projections.start_list import Entry
from projections.summary import Regulations, Summary
from services.projector.folding import as_written
from tests.services.gateway.scene import MemoryViews

REGULATIONS = Regulations(
    system="fide-dutch@2026",
    scoring=Scoring(),
    handling="2026",
    initial_colour_parity="participants",
    results_public="live",
    late_report="deadline-decides",
)


def show(views: MemoryViews, *, players: Mapping[str, str], rounds: int, name: str = "Test") -> None:
    """Put a tournament there in which `rounds` rounds are public; the players play each other in pairs."""
    ids = list(players)
    about = Summary(
        tournament="t",
        name=name,
        event="Open 2026",
        rounds=3,
        published_rounds=rounds,
        players=len(ids),
        regulations=REGULATIONS,
    )
    shown: dict[str, AnyView] = {
        "summary": about,
        "start-list": tuple(
            Entry(player=player, number=number, rating=2500 - number, federation="SRB", present=True)
            for number, player in enumerate(ids, start=1)
        ),
        "standings": Standings(
            after_round=rounds,
            rows=tuple(Rank(rank=rank, player=player, points=5) for rank, player in enumerate(ids, start=1)),
        ),
        "cross-table": tuple(
            CrossRow(rank=rank, player=player, points=5, cells=(Cell(opponent=1, colour="w", score="1"),))
            for rank, player in enumerate(ids, start=1)
        ),
        "integrity": (),
        "seal": (),
        **{f"boards:{number}": boards(number, ids) for number in range(1, rounds + 1)},
    }
    for view, content in shown.items():
        views.views["t", view] = as_written(content)
    views.views["t", "names"] = json.dumps(players).encode()
    views.listed = b"[" + as_written(about) + b"]"


def boards(round_: int, players: Sequence[str]) -> Boards:
    """Return a round in which they play each other in pairs, and the last one has every bye there is."""
    return Boards(
        round=round_,
        boards=tuple(
            Game(
                board=board,
                white=white,
                black=black,
                white_number=2 * board - 1,
                black_number=2 * board,
                white_points=5,
                black_points=0,
                result=GameResult.WHITE_WINS,
                revision=1,
            )
            for board, (white, black) in enumerate(zip(players[::2], players[1::2], strict=False), start=1)
        ),
        byes=(
            SittingOut(player=players[-1], kind="allocated"),
            SittingOut(player=players[-1], kind="half"),
            SittingOut(player=players[-1], kind="zero"),
            SittingOut(player=players[-1], kind="full"),
        ),
    )
