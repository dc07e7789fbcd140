"""`tirage serve`: its arguments; what it does is in `serving`, which loads slowly."""

import os
from pathlib import Path
from typing import Annotated

import typer

from services.cli.connect import run
from services.cli.exits import ExitCode
from services.server import default_data_dir
from services.settings import PORT, PORT_MAX, URL_VARIABLE


def serve(
    data: Annotated[
        Path | None, typer.Option(help="Data directory; default: the user's application data.")
    ] = None,
    url: Annotated[
        str | None,
        typer.Option(help="Use this store (redis://, rediss://, unix://) instead of a server of one's own."),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=PORT_MAX, help=f"Port of the pages and the API; default {PORT}, or a free one."
        ),
    ] = None,
    *,
    demo: Annotated[bool, typer.Option("--demo", help="Play the demonstration tournament first.")] = False,
    once: Annotated[
        bool, typer.Option("--once", help="With --demo: end when it is played, instead of staying up.")
    ] = False,
    allow_unsafe: Annotated[
        bool, typer.Option("--allow-unsafe", help="Use a server that may lose events.")
    ] = False,
) -> None:
    """Start a server of one's own and the services on it; Ctrl-C ends everything in good order.

    The data stay: the next start finds every tournament again. Pages and API are on this machine alone; the token
    for commands is in the data directory.

    Exit codes: 0 ended in good order, 5 the port or a file is not accessible, 6 no server or an unsafe one,
    9 the demonstration went wrong.

    Запускает сервер и службы; Ctrl-C завершает всё.
    """
    from services.cli.serving import Wanted, serve_all  # noqa: PLC0415 - late: the other verbs need none of it

    wanted = Wanted(
        data=data or default_data_dir(),
        url=url or os.environ.get(URL_VARIABLE),
        port=port,
        demo=demo,
        once=once,
        allow_unsafe=allow_unsafe,
    )
    code = run(lambda: serve_all(wanted))
    if code is not ExitCode.OK:
        raise typer.Exit(int(code))
