"""Pages as HTML: escaped, in the language asked for, under an entity tag, from the views alone."""

import json
from functools import reduce
from html.parser import HTMLParser
from typing import Any, get_args, get_type_hints

import pytest

from projections import Known, project, views
from projections.integrity import Departure
from services.gateway.page_routes import HEADERS
from services.gateway.pages.language import LANGUAGES, choose
from services.gateway.pages.markup import Html, element, joined
from services.projector.folding import as_written
from tests.services.gateway.scene import House
from tests.services.gateway.shown import show
from tests.services.projector.scene import some_ledger

NASTY = "<script>alert('1')</script> & \"Žižka\""


class Checker(HTMLParser):
    """Fails on elements that are not closed in order, and notes what stands in them."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name == "style"]
        if tag not in {"meta", "link", "input", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    assert not checker.open
    return checker


PAGES = (
    "/",
    "/t/t",
    "/t/t/rounds/1",
    "/t/t/standings",
    "/t/t/cross-table",
    "/t/t/start-list",
    "/t/t/integrity",
)


def test_text_is_escaped_wherever_it_stands() -> None:
    made = element("p", NASTY, Html("<b>x</b>"), None, 7, title=NASTY, hidden=True, class_=None)

    assert made.count("<script>") == 0
    assert "<b>x</b>7</p>" in made
    assert " hidden>" in made
    assert joined("<", element("br")) == "&lt;<br>"


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
async def test_every_page_is_whole_in_every_language(house: House, path: str, code: str) -> None:
    show(house.views, players={"p1": NASTY, "p2": "Ян"}, rounds=2)

    answer = await house.client.get(path, params={"lang": code})

    assert answer.status_code == 200
    assert f'<html lang="{code}">' in answer.text
    assert check(answer.text).seen.count("script") == 1
    assert "<script>alert" not in answer.text
    assert "{" not in answer.text  # a blank that nobody filled in


@pytest.mark.parametrize("path", PAGES)
async def test_a_page_comes_with_a_tag_and_is_not_sent_twice(house: House, path: str) -> None:
    show(house.views, players={"p1": "A", "p2": "B"}, rounds=2)
    first = await house.client.get(path)

    again = await house.client.get(path, headers={"If-None-Match": first.headers["etag"]})
    head = await house.client.head(path)

    assert (again.status_code, again.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-length"] == str(len(first.content))
    for answer in (first, again, head):
        assert answer.headers["etag"] == first.headers["etag"]
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "set-cookie" not in answer.headers
        assert answer.headers.get("content-type", "text/html; charset=utf-8") == "text/html; charset=utf-8"
        assert HEADERS.items() <= {name: answer.headers.get(name) for name in HEADERS}.items()
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


async def test_a_new_round_is_another_page(house: House) -> None:
    show(house.views, players={"p1": "A", "p2": "B"}, rounds=1)
    before = await house.client.get("/t/t")
    show(house.views, players={"p1": "A", "p2": "B"}, rounds=2)

    after = await house.client.get("/t/t", headers={"If-None-Match": before.headers["etag"]})

    assert after.status_code == 200
    assert "Round 2" in after.text


async def test_a_corrected_result_shows_what_it_was_and_since_when_it_counts(house: House) -> None:
    show(house.views, players={"p1": "A", "p2": "B"}, rounds=1)
    board: dict[str, Any] = {"board": 1, "white": "p1", "black": "p2", "result": "1/2-1/2"}
    board["corrections"] = [{"was": "1-0", "standings_from": 2}, {"was": "0-1"}]
    house.views.views["t", "boards:1"] = json.dumps({"round": 1, "boards": [board]}).encode()

    page = await house.client.get("/t/t", params={"lang": "en"})

    assert "was 1 – 0; counts from round 2" in page.text
    assert "was 0 – 1; for the rating alone" in page.text


@pytest.mark.parametrize("kind", get_args(get_type_hints(Departure)["kind"]))
async def test_every_departure_from_the_rules_is_told_with_its_reason(house: House, kind: str) -> None:
    show(house.views, players={"p1": "A", "p2": "B"}, rounds=1)
    entry = {"kind": kind, "round": 1, "board": 7, "at": "2026-10-05T15:00:01Z", "reason": NASTY}
    other = {**entry, "reason": "later", "confirmed_by": "the chief"}
    house.views.views["t", "integrity"] = json.dumps([entry, other]).encode()

    page = await house.client.get("/t/t/integrity", params={"lang": "ru"})

    assert page.status_code == 200
    assert page.text.index("later") < page.text.index("&lt;script&gt;")
    assert "2026-10-05 15:00 UTC" in page.text


async def test_every_page_can_be_made_of_what_the_projections_give_at_any_moment(house: House) -> None:
    ledger = some_ledger()
    for end in range(1, len(ledger.history) + 1):
        known = reduce(project, ledger.history[:end], Known())
        given = views(known)
        house.views.views = {("t", name): as_written(view) for name, view in given.items()}
        house.views.listed = b"[" + as_written(given["summary"]) + b"]"
        for page in ("/", "/t/t", *PAGES[3:], *(f"/t/t/rounds/{n}" for n in range(1, len(known.rounds) + 1))):
            answer = await house.client.get(page, params={"lang": "en"})
            assert answer.status_code == 200, (end, page)
            check(answer.text)


async def test_before_the_first_round_the_page_says_so(house: House) -> None:
    show(house.views, players={"p1": "A"}, rounds=0)

    answer = await house.client.get("/t/t")

    assert "No round has been published yet." in answer.text


@pytest.mark.parametrize(
    "path", ["/t/none", "/t/none/standings", "/t/t/rounds/7", "/t/t/rounds/x", "/t/T%20T"]
)
async def test_where_there_is_nothing_a_page_says_so(house: House, path: str) -> None:
    show(house.views, players={"p1": "A", "p2": "B"}, rounds=1)

    answer = await house.client.get(path, headers={"Accept-Language": "ru"})

    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "Здесь ничего нет." in answer.text


async def test_tournaments_stand_under_their_events(house: House) -> None:
    house.views.listed = json.dumps(
        [
            {"tournament": "a", "name": "Group A", "event": "Open", "rounds": 9, "published_rounds": 2},
            {"tournament": "c", "name": "Club", "rounds": 5, "published_rounds": 5, "closed": True},
            {"tournament": "b", "name": "Group B", "event": "Open", "rounds": 9},
        ]
    ).encode()

    text = (await house.client.get("/?lang=en")).text

    places = [text.index(words) for words in (">Open<", "Group A", "Group B", "Other tournaments", "Club")]
    assert places == sorted(places)
    assert "round 2 of 9" in text
    assert 'href="/t/a?lang=en"' in text


@pytest.mark.parametrize("name", ["page.css", "page.js", "icon.svg"])
async def test_style_and_script_come_from_here(house: House, name: str) -> None:
    answer = await house.client.get(f"/static/{name}")

    assert answer.status_code == 200
    assert "http:" not in answer.text.replace("http://www.w3.org/2000/svg", "")
    assert "https:" not in answer.text


def test_every_language_has_the_same_words_with_the_same_blanks() -> None:
    english = LANGUAGES["en"].words
    for language in LANGUAGES.values():
        assert language.words.keys() == english.keys()
        for key, words in language.words.items():
            assert words.count("{") == english[key].count("{"), (language.code, key)


@pytest.mark.parametrize(
    ("asked", "accepted", "code"),
    [
        ("ru", "en", "ru"),
        (None, "ru-RU, en;q=0.5", "ru"),
        (None, "en;q=0.2, ru;q=0.9", "ru"),
        (None, "de, fr", "en"),
        (None, "ru;q=nonsense", "en"),
        (None, None, "en"),
        ("../../etc", "", "en"),
    ],
)
def test_the_language_is_the_one_asked_for_else_the_one_preferred(
    asked: str | None, accepted: str | None, code: str
) -> None:
    assert choose(asked, accepted).code == code
