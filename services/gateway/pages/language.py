"""What the pages say, by language: one JSON file each in `languages/`; another file is another language."""

import json
from importlib.resources import files

import msgspec

FALLBACK = "en"


class Language(msgspec.Struct, frozen=True):
    """The words of one language. `code` is as in HTML's `lang`."""

    code: str
    words: dict[str, str]

    def say(self, key: str, **blanks: object) -> str:
        """Return the words for `key` with its blanks filled in."""
        return self.words[key].format(**blanks)


def load() -> dict[str, Language]:
    """Return every language by its code, English first."""
    folder = files("services.gateway.pages") / "languages"
    found = {
        file.name.removesuffix(".json"): json.loads(file.read_text("utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".json")
    }
    codes = sorted(found, key=lambda code: (code != FALLBACK, code))
    return {code: Language(code, found[code]) for code in codes}


LANGUAGES = load()


def choose(asked: str | None, accepted: str | None) -> Language:
    """Return the language asked for by name, else the first that an `Accept-Language` prefers, else English.

    >>> choose(None, "de, ru;q=0.8, en;q=0.9").code, choose("ru", "en").code, choose("xx", None).code
    ('en', 'ru', 'en')
    """
    if asked in LANGUAGES:
        return LANGUAGES[asked]
    preferred = [_preference(part) for part in (accepted or "").split(",")]
    for _, code in sorted(preferred, key=lambda one: -one[0]):
        if code in LANGUAGES:
            return LANGUAGES[code]
    return LANGUAGES[FALLBACK]


def _preference(part: str) -> tuple[float, str]:
    """Return weight and primary code of one part of an `Accept-Language`."""
    tag, _, weight = part.strip().partition(";q=")
    try:
        return float(weight or 1), tag.strip().lower().partition("-")[0]
    except ValueError:
        return 0.0, ""
