"""The public pages as HTML: pure functions of what the views say and of a language."""

from collections.abc import Mapping, Sequence

import msgspec

from events.codec import sha256_hex
from rules.scores import points_text
from services.gateway.pages.language import LANGUAGES, Language
from services.gateway.pages.markup import Html, element, joined
from services.gateway.pages.shapes import Boards, Cell, CrossRow, Departure, Entry, Game, Listed, Standings
from services.gateway.pages.static import path_of

NOTHING = Html("")
HALF = "½"
RESULTS = {
    "1-0": "1 – 0",
    "1/2-1/2": f"{HALF} – {HALF}",
    "0-1": "0 – 1",
    "0-0": "0 – 0",
    "1/2-0": f"{HALF} – 0",
    "0-1/2": f"0 – {HALF}",
    "+/-": "+ – −",
    "-/+": "− – +",
    "-/-": "− – −",
}
SECTIONS = (
    ("pairings", ""),
    ("standings", "/standings"),
    ("cross-table", "/cross-table"),
    ("start-list", "/start-list"),
    ("integrity", "/integrity"),
)


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """What every page of a tournament needs beside its own view."""

    language: Language
    about: Listed
    entries: Mapping[str, Entry] = {}
    names: Mapping[str, str] = {}

    def name(self, player: str) -> str:
        """Return the name of a player; his id when the register does not know him, or not any more."""
        return self.names.get(player, player)


def list_page(language: Language, listed: Sequence[Listed]) -> Html:
    """Return the page of all tournaments, by event in the order in which they are listed."""
    events: dict[str | None, list[Listed]] = {}
    for one in listed:
        events.setdefault(one.event, []).append(one)
    sections = []
    for event, tournaments in sorted(events.items(), key=lambda pair: pair[0] is None):
        heading = event or (language.say("without-event") if len(events) > 1 else None)
        rows = [_listed(language, one) for one in tournaments]
        sections.append(
            element(
                "section", element("h2", heading) if heading else None, element("ul", *rows, class_="event")
            )
        )
    body = joined(*sections) if sections else element("p", language.say("no-tournaments"))
    return _page(language, language.say("tournaments"), "/", NOTHING, element("main", body))


def boards_page(scene: Scene, boards: Boards | None, shown: int | None) -> Html:
    """Return the page of a round; `shown` is the round asked for by its number, None for the latest."""
    say = scene.language.say
    if boards is None:
        return _tournament_page(scene, "pairings", "", element("main", element("p", say("no-round"))))
    head = element(
        "tr",
        element("th", say("board"), scope="col", class_="n"),
        element("th", say("white"), scope="col"),
        element("th", say("result"), scope="col", class_="c"),
        element("th", say("black"), scope="col"),
    )
    rows = [_game(scene, game) for game in boards.boards]
    byes = [
        element("p", say(f"bye-{out.kind}", player=scene.name(out.player)), class_="bye")
        for out in boards.byes
    ]
    main = element(
        "main",
        element("h2", say("round", round=boards.round)),
        element("table", element("thead", head), element("tbody", *rows), class_="pairs"),
        *byes,
        data_news=say("published", round=boards.round),
    )
    path = f"/rounds/{shown}" if shown else ""
    return _tournament_page(scene, "pairings", path, main, _rounds(scene, boards.round))


def standings_page(scene: Scene, standings: Standings) -> Html:
    """Return the page of the standings."""
    say = scene.language.say
    head = element(
        "tr",
        element("th", say("rank"), scope="col", class_="n"),
        element("th", say("name"), scope="col"),
        element("th", say("federation"), scope="col", class_="c roomy"),
        element("th", say("rating"), scope="col", class_="n"),
        element("th", say("points"), scope="col", class_="n"),
    )
    rows = []
    for row in standings.rows:
        entry = scene.entries.get(row.player)
        cells = (
            element("td", row.rank, class_="n"),
            element("th", _titled(scene, row.player), scope="row"),
            element("td", entry.federation if entry else "", class_="c roomy"),
            element("td", (entry.rating if entry else 0) or "", class_="n"),
            element("td", element("b", points_text(row.points)), class_="n"),
        )
        rows.append(element("tr", *cells, data_find=_findable(scene, row.player)))
    main = element(
        "main",
        element("h2", say("after-round", round=standings.after_round)) if standings.after_round else None,
        element("table", element("thead", head), element("tbody", *rows)),
    )
    return _tournament_page(scene, "standings", "/standings", main)


def cross_table_page(scene: Scene, table: Sequence[CrossRow]) -> Html:
    """Return the page of the cross table; an opponent is named by his row."""
    say = scene.language.say
    rounds = max((len(row.cells) for row in table), default=0)
    head = element(
        "tr",
        element("th", say("rank"), scope="col", class_="n"),
        element("th", say("name"), scope="col"),
        *(element("th", number, scope="col", class_="c") for number in range(1, rounds + 1)),
        element("th", say("points"), scope="col", class_="n"),
    )
    rows = [
        element(
            "tr",
            element("td", row.rank, class_="n"),
            element("th", _titled(scene, row.player), scope="row"),
            *(element("td", _cell(scene.language, cell), class_="c") for cell in row.cells),
            *(element("td", class_="c") for _ in range(rounds - len(row.cells))),
            element("td", element("b", points_text(row.points)), class_="n"),
            data_find=_findable(scene, row.player),
        )
        for row in table
    ]
    content = element("table", element("thead", head), element("tbody", *rows), class_="cross")
    main = element("main", element("div", content, class_="wide", tabindex="0"))
    return _tournament_page(scene, "cross-table", "/cross-table", main)


def start_list_page(scene: Scene) -> Html:
    """Return the page of who takes part."""
    say = scene.language.say
    head = element(
        "tr",
        element("th", say("number"), scope="col", class_="n"),
        element("th", say("name"), scope="col"),
        element("th", say("federation"), scope="col", class_="c"),
        element("th", say("rating"), scope="col", class_="n"),
    )
    rows = [
        element(
            "tr",
            element("td", entry.number or "", class_="n"),
            element("th", _titled(scene, entry.player), scope="row"),
            element("td", entry.federation, class_="c"),
            element("td", entry.rating or "", class_="n"),
            data_find=_findable(scene, entry.player),
        )
        for entry in scene.entries.values()
    ]
    main = element("main", element("table", element("thead", head), element("tbody", *rows)))
    return _tournament_page(scene, "start-list", "/start-list", main)


def integrity_page(scene: Scene, departures: Sequence[Departure]) -> Html:
    """Return the page of what departed from the plain course of the rules, the latest first."""
    say = scene.language.say
    items = [
        element(
            "li",
            element("b", say(f"departure-{one.kind}", round=one.round, board=one.board or "")),
            " ",
            one.reason,
            element("span", f" ({one.confirmed_by})", class_="more") if one.confirmed_by else None,
            " ",
            element("time", f"{one.at[:10]} {one.at[11:16]} UTC", datetime=one.at, class_="more"),
        )
        for one in reversed(departures)
    ]
    body = element("ul", *items, class_="event") if items else element("p", say("no-departures"))
    main = element("main", element("p", say("integrity-why"), class_="quiet"), body)
    return _tournament_page(scene, "integrity", "/integrity", main)


def nothing_page(language: Language) -> Html:
    """Return the page where there is nothing."""
    return _page(language, "Tirage", "/", NOTHING, element("main", element("p", language.say("not-found"))))


def etag_of(page: Html) -> str:
    """Return the entity tag of a page."""
    return f'"{sha256_hex(page.encode())[:32]}"'


def _listed(language: Language, one: Listed) -> Html:
    link = element("a", one.name, href=_address(f"/t/{one.tournament}", language))
    return element("li", link, " ", element("span", _progress(language, one), class_="quiet"))


def _progress(language: Language, one: Listed) -> str:
    if one.closed:
        return language.say("ended")
    if not one.published_rounds:
        return language.say("not-begun")
    return language.say("of-rounds", round=one.published_rounds, rounds=one.rounds)


def _game(scene: Scene, game: Game) -> Html:
    return element(
        "tr",
        element("td", game.board, class_="n"),
        element("td", *_player(scene, game.white, game.white_points)),
        element("td", _of_board(scene.language, game), *_corrected(scene.language, game), class_="c"),
        element("td", *_player(scene, game.black, game.black_points)),
        data_find=f"{_findable(scene, game.white)} {_findable(scene, game.black)}",
    )


def _of_board(language: Language, game: Game) -> str:
    adjourned = game.adjourned and game.result is None
    return language.say("adjourned") if adjourned else _result(game.result)


def _result(result: str | None) -> str:
    return RESULTS.get(result or "", result or "")


def _corrected(language: Language, game: Game) -> Sequence[Html]:
    """Return what the result was before, and since when the right one counts, a line for each correction."""
    return [
        joined(
            element("br"),
            element(
                "span",
                language.say(
                    "corrected" if one.standings_from else "corrected-rating",
                    was=_result(one.was),
                    round=one.standings_from,
                ),
                class_="more",
            ),
        )
        for one in game.corrections
    ]


def _player(scene: Scene, player: str, score: int | None) -> tuple[Html | str, ...]:
    entry = scene.entries.get(player)
    more = [str(entry.rating)] if entry and entry.rating else []
    if score is not None:
        more.append(f"({points_text(score)})")
    return element("b", _titled(scene, player)), " ", element("span", " ".join(more), class_="more")


def _titled(scene: Scene, player: str) -> str:
    entry = scene.entries.get(player)
    return f"{entry.title} {scene.name(player)}" if entry and entry.title else scene.name(player)


def _findable(scene: Scene, player: str) -> str:
    return scene.name(player).lower()


def _cell(language: Language, cell: Cell) -> str:
    if cell.opponent is None:
        return cell.score
    return f"{cell.opponent}{language.say(cell.colour) if cell.colour else ''}{cell.score}"


def _find(language: Language) -> Html:
    words = language.say("find")
    return element("input", id="find", type="search", placeholder=words, aria_label=words, autocomplete="off")


def _tournament_page(scene: Scene, section: str, path: str, main: Html, rounds: Html = NOTHING) -> Html:
    language, about = scene.language, scene.about
    base = f"/t/{about.tournament}"
    sections = element(
        "ul",
        *(
            element("li", _link(language, base + rest, language.say(name), current=name == section))
            for name, rest in SECTIONS
        ),
    )
    # The list of rounds stands inside what is replaced, so that a new round appears there, too.
    head = joined(
        element("p", " · ".join(filter(None, (about.event, _progress(language, about)))), class_="quiet"),
        element("nav", sections, aria_label=about.name),
        rounds,
    )
    opening = main.index(">") + 1
    return _page(
        language, about.name, base + path, _find(language), Html(main[:opening] + head + main[opening:])
    )


def _rounds(scene: Scene, shown: int) -> Html:
    """Return links to all published rounds."""
    language, about = scene.language, scene.about
    items = [
        element(
            "li",
            _link(language, f"/t/{about.tournament}/rounds/{number}", str(number), current=number == shown),
        )
        for number in range(1, about.published_rounds + 1)
    ]
    return element("nav", element("ul", *items), class_="rounds", aria_label=language.say("pairings"))


def _link(language: Language, path: str, words: str, *, current: bool) -> Html:
    return element("a", words, href=_address(path, language), aria_current="page" if current else None)


def _address(path: str, language: Language) -> str:
    return f"{path}?lang={language.code}"


def _page(language: Language, title: str, path: str, tools: Html, main: Html) -> Html:
    say = language.say
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("link", rel="stylesheet", href=path_of("page.css")),
        element("link", rel="icon", href=path_of("icon.svg"), type="image/svg+xml"),
        element("script", src=path_of("page.js"), defer=True),
    )
    line = element(
        "p", say("stopped"), id="line", class_="quiet", data_live=say("live"), data_lost=say("lost")
    )
    others = [
        element("a", other.say("_name"), href=_address(path, other), lang=other.code, hreflang=other.code)
        for other in LANGUAGES.values()
        if other is not language
    ]
    home = element("a", say("tournaments"), href=_address("/", language))
    body = element(
        "body",
        element("header", element("h1", title), tools),
        main,
        element("p", id="news", class_="aside", aria_live="polite"),
        element(
            "footer", line, element("p", home, *_spaced(others), class_="langs"), element("p", say("made-by"))
        ),
    )
    return Html("<!doctype html>\n" + element("html", head, body, lang=language.code))


def _spaced(children: Sequence[Html]) -> Sequence[Html]:
    return [joined(" · ", child) for child in children]
