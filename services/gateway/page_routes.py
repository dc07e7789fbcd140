"""The routes of the public pages, made from the public views and from nothing else. No cookies, no script of others."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence

from litestar import route
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromPath
from litestar.response import Response

from services.gateway.answers import SAFE, AnyRequest, tagged
from services.gateway.metrics import Metrics
from services.gateway.pages import shapes
from services.gateway.pages.language import Language, choose
from services.gateway.pages.markup import Html
from services.gateway.pages.rendering import (
    Scene,
    boards_page,
    cross_table_page,
    etag_of,
    integrity_page,
    list_page,
    nothing_page,
    standings_page,
    start_list_page,
)
from services.gateway.pages.static import CONTENT, MEDIA_TYPES, path_of
from services.gateway.problems import Problem
from services.gateway.view_routes import READ, existing, round_number
from services.gateway.views import View, Views

HTML = "text/html; charset=utf-8"
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "Referrer-Policy": "no-referrer",
    "Vary": "Accept-Language",
}
PAGES_MAX = 512  # that are kept as they were made

Make = Callable[[], Html]


class Pages:
    """Makes pages, each once for the views that it is made of."""

    def __init__(self, views: Views, metrics: Metrics) -> None:
        self._views = views
        self._metrics = metrics
        self._made: OrderedDict[tuple[str, ...], tuple[bytes, str]] = OrderedDict()

    async def list(self, request: AnyRequest) -> Response[bytes]:
        """Answer the page of all tournaments."""
        language = _language(request)
        view = await self._views.tournaments()

        def make() -> Html:
            return list_page(language, shapes.tournaments(view.body))

        return self._answer(request, "list", language, [view], make)

    async def of_tournament(
        self, request: AnyRequest, tournament: str, section: str, shown: str | None = None
    ) -> Response[bytes]:
        """Answer a page of a tournament; `shown` is the round asked for, as it stands in the path."""
        language = _language(request)
        try:
            number = None if shown is None else round_number(shown)
            summary = await existing(self._views, tournament, "summary")
            about = shapes.summary(summary.body)
            own = await self._own_view(tournament, section, about, number)
        except Problem as problem:
            return self._missing(request, problem, language)
        names, entries = await asyncio.gather(
            self._views.get(tournament, "names"), self._views.get(tournament, "start-list")
        )

        def make() -> Html:
            scene = Scene(
                language=language,
                about=about,
                names=shapes.names(names.body) if names else {},
                entries=shapes.entries(entries.body) if entries else {},
            )
            return _made(scene, section, own, number)

        return self._answer(request, f"{section}:{number}", language, [summary, own, names, entries], make)

    async def _own_view(
        self, tournament: str, section: str, about: shapes.Listed, number: int | None
    ) -> View | None:
        if section != "pairings":
            return await self._views.get(tournament, section)
        round_ = number or about.published_rounds
        if number is not None:
            return await existing(self._views, tournament, f"boards:{number}")
        return await self._views.get(tournament, f"boards:{round_}") if round_ else None

    def _answer(
        self, request: AnyRequest, page: str, language: Language, views: Sequence[View | None], make: Make
    ) -> Response[bytes]:
        key = (page, language.code, request.url.path, *(view.etag if view else "" for view in views))
        if key not in self._made:
            html = make()
            self._made[key] = html.encode(), etag_of(html)
            if len(self._made) > PAGES_MAX:
                self._made.popitem(last=False)
        self._made.move_to_end(key)
        body, etag = self._made[key]
        answer = tagged(request, body, etag, HTML, HEADERS)
        self._metrics.note_view(f"page-{page.partition(':')[0]}", answer.status_code or 200)
        return answer

    def _missing(self, request: AnyRequest, problem: Problem, language: Language) -> Response[bytes]:
        body = b"" if request.method == "HEAD" else nothing_page(language).encode()
        self._metrics.note_view("page-missing", problem.status)
        return Response(
            body,
            status_code=problem.status,
            headers={**HEADERS, **SAFE, "Cache-Control": "no-cache", "Content-Type": HTML},
        )


def page_routes(pages: Pages) -> Sequence[HTTPRouteHandler]:
    """Return the routes of pages."""

    @route("/", http_method=READ)
    async def list_(request: AnyRequest) -> Response[bytes]:
        return await pages.list(request)

    @route("/t/{tournament:str}", http_method=READ)
    async def latest(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await pages.of_tournament(request, tournament, "pairings")

    @route("/t/{tournament:str}/rounds/{round_:str}", http_method=READ)
    async def round_(
        request: AnyRequest, tournament: FromPath[str], round_: FromPath[str]
    ) -> Response[bytes]:
        return await pages.of_tournament(request, tournament, "pairings", round_)

    sections = [
        _section_route(pages, name) for name in ("standings", "cross-table", "start-list", "integrity")
    ]
    return list_, latest, round_, *sections, *(_static_route(name) for name in CONTENT)


def _section_route(pages: Pages, section: str) -> HTTPRouteHandler:
    @route(f"/t/{{tournament:str}}/{section}", http_method=READ)
    async def page(request: AnyRequest, tournament: FromPath[str]) -> Response[bytes]:
        return await pages.of_tournament(request, tournament, section)

    return page


def _static_route(name: str) -> HTTPRouteHandler:
    etag = f'"{path_of(name).rpartition("=")[2]}"'

    @route(f"/static/{name}", http_method=READ)
    async def static(request: AnyRequest) -> Response[bytes]:
        return tagged(request, CONTENT[name], etag, MEDIA_TYPES[name])

    return static


def _made(scene: Scene, section: str, own: View | None, number: int | None) -> Html:
    match section:
        case "pairings":
            return boards_page(scene, shapes.boards(own.body) if own else None, number)
        case "standings":
            return standings_page(scene, shapes.standings(own.body) if own else shapes.NO_STANDINGS)
        case "cross-table":
            return cross_table_page(scene, shapes.cross_table(own.body) if own else ())
        case "integrity":
            return integrity_page(scene, shapes.departures(own.body) if own else ())
        case _:
            return start_list_page(scene)


def _language(request: AnyRequest) -> Language:
    return choose(request.query_params.get("lang"), request.headers.get("accept-language"))
