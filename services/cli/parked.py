"""`tirage parked` and `tirage release`: tournaments that a service could not go on with, and set aside."""

import sys
from typing import Annotated

import typer

from services.cli.connect import opened, run, store_url
from services.cli.exits import ExitCode, fail, say
from services.cli.history import Data, Unsafe, Url
from services.doorbell.parking import set_aside
from services.doorbell.tending import all_parked
from services.gateway.observation import SERVICES


def parked(url: Url = None, data: Data = None, *, allow_unsafe: Unsafe = False) -> None:
    """List the tournaments that a service has set aside, and why; the others go on meanwhile.

    A service tries again by itself when the log grows, and when it was itself replaced by another version.

    Exit codes: 0 listed, 6 no store.

    Отложенные турниры и причины.
    """

    async def work() -> None:
        where = store_url(url, data)
        async with opened(where, allow_unsafe=allow_unsafe) as store:
            for service in SERVICES:
                async with set_aside(where, store.partitions, service) as parking:
                    for tournament, why in await all_parked(parking, store.partitions):
                        sys.stdout.write(
                            f"{service} {tournament} at version {why.version} since {why.at}: {why.reason}\n"
                        )

    run(work)


def release(
    service: Annotated[str, typer.Argument(help=f"{' or '.join(SERVICES)}.")],
    tournament: Annotated[str, typer.Argument(help="Id of a tournament that is set aside.")],
    url: Url = None,
    data: Data = None,
    *,
    allow_unsafe: Unsafe = False,
) -> None:
    """Let a tournament go on that a service has set aside; it is tried again within seconds.

    Exit codes: 0 released, 3 no such service, 6 no store, 7 it was not set aside.

    Возвращает отложенный турнир в работу.
    """
    if service not in SERVICES:
        fail(ExitCode.INVALID_REQUEST, f"no service {service!r}; there are {' and '.join(SERVICES)}")

    async def work() -> bool:
        where = store_url(url, data)
        async with (
            opened(where, allow_unsafe=allow_unsafe) as store,
            set_aside(where, store.partitions, service) as parking,
        ):
            return await parking.release(tournament)

    if not run(work):
        fail(ExitCode.REFUSED, f"{tournament} was not set aside by {service}")
    say(f"{tournament} is released")
