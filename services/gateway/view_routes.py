"""The routes by which views are read: bytes as they were written, each under its entity tag."""

import re
from collections.abc import Sequence

from litestar import HttpMethod, route
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Response

from events.codec import sha256_hex
from services.gateway.answers import AnyRequest, tagged
from services.gateway.metrics import Metrics
from services.gateway.problems import Problem
from services.gateway.views import View, Views
from services.store.errors import BadName
from services.store.keys import check_tournament

READ = (HttpMethod.GET, HttpMethod.HEAD)
MESSAGES_MAX = 1_000  # of one answer
NUMBER_MAX = 2**53 - 1
DIGITS_MAX = 16
VIEWS = ("summary", "start-list", "names", "standings", "cross-table", "integrity", "seal")  # by their paths


class Reading:
    """Reads views on behalf of requests, and counts the answers."""

    def __init__(self, views: Views, metrics: Metrics) -> None:
        self._views = views
        self._metrics = metrics

    async def view(self, request: AnyRequest, tournament: str, name: str) -> Response[bytes]:
        """Answer the view of a tournament."""
        return self._noted(name, tagged_view(request, await existing(self._views, tournament, name)))

    async def boards(self, request: AnyRequest, tournament: str, round_: str) -> Response[bytes]:
        """Answer the boards of a round."""
        view = await existing(self._views, tournament, f"boards:{round_number(round_)}")
        return self._noted("boards", tagged_view(request, view))

    async def tournaments(self, request: AnyRequest) -> Response[bytes]:
        """Answer the list of tournaments."""
        return self._noted("tournaments", tagged_view(request, await self._views.tournaments()))

    async def public(self, request: AnyRequest, tournament: str) -> Response[bytes]:
        """Answer the public messages after a number, as a JSON array."""
        await existing(self._views, tournament, "summary")
        after = _number(request, "after", 0, NUMBER_MAX)
        limit = _number(request, "limit", MESSAGES_MAX, MESSAGES_MAX)
        messages = await self._views.public(tournament, after, limit)
        body = b"[" + b",".join(messages or ()) + b"]"
        return self._noted("public", tagged(request, body, f'"{sha256_hex(body)[:32]}"'))

    def _noted(self, name: str, answer: Response[bytes]) -> Response[bytes]:
        self._metrics.note_view(name, answer.status_code or 200)
        return answer


def view_routes(reading: Reading) -> Sequence[HTTPRouteHandler]:
    """Return the routes of views."""

    @route("/tournaments", http_method=READ)
    async def tournaments(request: AnyRequest) -> Response[bytes]:
        return await reading.tournaments(request)

    @route("/tournaments/{tournament:str}", http_method=READ)
    async def summary(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await reading.view(request, tournament, "summary")

    @route("/tournaments/{tournament:str}/rounds/{round_:str}", http_method=READ)
    async def boards(
        request: AnyRequest, tournament: FromPath[str], round_: FromPath[str]
    ) -> Response[bytes]:
        return await reading.boards(request, tournament, round_)

    @route("/tournaments/{tournament:str}/public", http_method=READ)
    async def public(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await reading.public(request, tournament)

    return tournaments, summary, boards, public, *(_view_route(reading, name) for name in VIEWS[1:])


def _view_route(reading: Reading, name: str) -> HTTPRouteHandler:
    @route(f"/tournaments/{{tournament:str}}/{name}", http_method=READ, name=name)
    async def view(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await reading.view(request, tournament, name)

    return view


async def existing(views: Views, tournament: str, name: str) -> View:
    """Return a view; raise `Problem` (404) saying whether it is the tournament or the view that is missing."""
    try:
        view = await views.get(check_tournament(tournament), name)
        if view is None and (name == "summary" or await views.get(tournament, "summary") is None):
            raise Problem("no-such-tournament", "there is no such tournament")
    except BadName:
        raise Problem("no-such-tournament", "there is no such tournament") from None
    if view is None:
        raise Problem("no-such-view", "the tournament has no such view, or not yet")
    return view


def round_number(text: str) -> int:
    """Return the number of a round as it stands in a path; raise `Problem` (404)."""
    if not re.fullmatch(r"[1-9][0-9]?", text):
        raise Problem("no-such-view", "there is no such round")
    return int(text)


def tagged_view(request: AnyRequest, view: View) -> Response[bytes]:
    """Return the answer that holds `view`."""
    return tagged(request, view.body, view.etag)


def _number(request: AnyRequest, name: str, default: int, most: int) -> int:
    given = request.query_params.getall(name, [str(default)])
    text = given[0]
    if len(given) != 1 or not (
        text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX and int(text) <= most
    ):
        raise Problem("bad-request", f"{name} is a whole number, at most {most}", path=name)
    return int(text)
