"""The verbs of `tirage`, registered in one place."""

import typer

from services.cli.history import log, rehash
from services.cli.pair import pair
from services.cli.parked import parked, release
from services.cli.play.command import play
from services.cli.serve import serve

app = typer.Typer(
    name="tirage",
    help="Pairs chess tournaments from an immutable event log. Жеребьёвка шахматных турниров по журналу событий.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(serve)
app.command()(play)
app.command()(pair)
app.command()(log)
app.command()(rehash)
app.command()(parked)
app.command()(release)
