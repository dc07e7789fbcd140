"""All views of a tournament, by the names under which they are read."""

from projections.cross_table import CrossRow, cross_table
from projections.integrity import Departure
from projections.known import Known
from projections.rounds import Boards
from projections.seals import Seal, seals
from projections.standings import Standings, standings
from projections.start_list import Entry, start_list
from projections.summary import Summary, summary

AnyView = (
    Summary
    | Standings
    | Boards
    | tuple[Entry, ...]
    | tuple[CrossRow, ...]
    | tuple[Departure, ...]
    | tuple[Seal, ...]
)


def views(known: Known) -> dict[str, AnyView]:
    """Return every view of the tournament; none before it was announced.

    The boards of a round in which nothing new is to be seen are the same object as before.
    """
    state = known.state
    if state.announced is None:
        return {}
    shown = standings(state, known.rounds)
    return {
        "summary": summary(state),
        "start-list": start_list(state),
        "standings": shown,
        "cross-table": cross_table(state, known.rounds, shown),
        **{f"boards:{boards.round}": boards for boards in known.rounds},
        "integrity": known.departures,
        "seal": seals(state, known.seals),
    }
