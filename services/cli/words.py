"""Events in words, in English and Russian: one sentence each, as an arbiter would say it."""

from collections.abc import Callable, Mapping

import msgspec

from events.envelope import Recorded
from events.facts import AnyFact, ByeKind, Colour, PairingPublished, ResultCorrected

Name = Callable[[str], str]  # a player's id → how he is called

_ENGLISH: Mapping[str, str] = {
    "tournament-announced": "announced “{name}”: {rounds} rounds, {system}",
    "timetable-set": "the timetable is set; appeals are taken for {appeal_minutes} min after posting",
    "lots-drawn": "lots are drawn: number 1 begins with {colour} ({method})",
    "player-registered": "{player} entered{rating_words}",
    "presence-confirmed": "{player} is present",
    "numbers-assigned": "numbers 1 to {count} are given, valid from round {for_round}",
    "acceleration-groups-fixed": "the upper group of the Baku acceleration is all down to {last}",
    "bye-requested": "{player} takes a {kind} bye in round {round}",
    "player-withdrawn": "{player} is withdrawn from round {from_round} on",
    "result-recorded": "round {round}, board {board}: {white} {result} {black}",
    "result-corrected": "round {round}, board {board}: {white} {result} {black}, was {was}; {effect_words}",
    "game-adjourned": "round {round}, board {board}: {white} – {black} is adjourned, a draw for pairing only",
    "round-ended": "round {round} ended",
    "results-posted": "the results of round {round} are posted; appeals close at {appeals_close}",
    "venue-reports-complete": "venue {venue} has reported round {round} complete",
    "appeal-window-closed": "appeals of round {round} are closed; the cutoff is version {cutoff}",
    "cutoff-moved": "the cutoff of round {round} moved to version {cutoff}: {reason}",
    "pairing-sealed": "the pairing of round {round} is sealed, attempt {attempt}: {seal:.16}…",
    "no-pairing-found": "no complete pairing of round {round} exists: {detail}",
    "pairing-disputed": "the pairing of round {round} is not sealed, the second opinion differs: {detail}",
    "pairing-published": "round {round} is published: {count} boards{pab_words}",
    "tournament-closed": "the tournament is closed",
}
_RUSSIAN: Mapping[str, str] = {
    "tournament-announced": "объявлен турнир «{name}»: туров {rounds}, {system}",
    "timetable-set": "утверждено расписание; апелляции принимаются {appeal_minutes} мин после публикации результатов",
    "lots-drawn": "проведена жеребьёвка цвета: номер 1 начинает {colour} ({method})",
    "player-registered": "заявлен игрок {player}{rating_words}",
    "presence-confirmed": "игрок {player} прибыл",
    "numbers-assigned": "присвоены номера 1–{count}, действуют с {for_round}-го тура",
    "acceleration-groups-fixed": "верхняя группа ускорения Баку — все до игрока {last} включительно",
    "bye-requested": "{player}: {kind} за пропуск {round}-го тура",
    "player-withdrawn": "{player} выбывает с {from_round}-го тура",
    "result-recorded": "тур {round}, доска {board}: {white} {result} {black}",
    "result-corrected": "тур {round}, доска {board}: {white} {result} {black}, было {was}; {effect_words}",
    "game-adjourned": "тур {round}, доска {board}: {white} – {black} отложена, для жеребьёвки — ничья",
    "round-ended": "{round}-й тур закончен",
    "results-posted": "результаты {round}-го тура опубликованы; апелляции принимаются до {appeals_close}",
    "venue-reports-complete": "площадка {venue} завершила {round}-й тур",
    "appeal-window-closed": "приём апелляций {round}-го тура закрыт; отсечка — версия {cutoff}",
    "cutoff-moved": "отсечка {round}-го тура перенесена на версию {cutoff}: {reason}",
    "pairing-sealed": "жеребьёвка {round}-го тура запечатана, попытка {attempt}: {seal:.16}…",
    "no-pairing-found": "полной жеребьёвки {round}-го тура не существует: {detail}",
    "pairing-disputed": "жеребьёвка {round}-го тура не запечатана, проверка её не подтверждает: {detail}",
    "pairing-published": "опубликован {round}-й тур: досок {count}{pab_words}",
    "tournament-closed": "турнир закрыт",
}
SENTENCES: Mapping[str, Mapping[str, str]] = {"en": _ENGLISH, "ru": _RUSSIAN}
_ENTRIES_CLOSED = {
    "en": "the list of entries is closed; the cutoff is version {cutoff}",
    "ru": "список участников закрыт; отсечка — версия {cutoff}",
}
_TERMS: Mapping[str, Mapping[str, str]] = {
    "en": {
        Colour.WHITE: "White",
        Colour.BLACK: "Black",
        ByeKind.ZERO_POINT: "zero-point",
        ByeKind.HALF_POINT: "half-point",
        ByeKind.FULL_POINT: "full-point",
        "bye": ", bye for {}",
        "rating": " (rating {})",
        "both": "counts for the standings of round {} and the pairing of round {}",
        "standings": "counts for the standings of round {} on",
        "rating_only": "counts for the rating report alone",
    },
    "ru": {
        Colour.WHITE: "белыми",
        Colour.BLACK: "чёрными",
        ByeKind.ZERO_POINT: "ноль очков",
        ByeKind.HALF_POINT: "пол-очка",
        ByeKind.FULL_POINT: "очко",
        "bye": ", свободен {}",
        "rating": " (рейтинг {})",
        "both": "учитывается в положении после {}-го тура и в жеребьёвке {}-го",
        "standings": "учитывается в положении начиная с {}-го тура",
        "rating_only": "учитывается только в отчёте по рейтингу",
    },
}


def sentence(fact: AnyFact, language: str, name: Name = str) -> str:
    """Return `fact` in words; `name` says what a player is called."""
    tag = fact.__struct_config__.tag
    assert isinstance(tag, str)
    template = SENTENCES[language][tag]
    if tag == "appeal-window-closed" and getattr(fact, "round", None) == 0:
        template = _ENTRIES_CLOSED[language]
    return template.format(**_values(fact, language, name))


def line(recorded: Recorded, language: str, name: Name = str) -> str:
    """Return an entry in one line: version, time, sentence, who."""
    when = recorded.at.replace("T", " ").removesuffix("Z")
    words = sentence(recorded.fact, language, name)
    told = f" [{recorded.reported_at}]" if recorded.reported_at else ""
    return f"{recorded.v:>6}  {when}  {words}{told}  — {recorded.actor}"


def _values(fact: AnyFact, language: str, name: Name) -> dict[str, object]:
    terms = _TERMS[language]
    values: dict[str, object] = msgspec.structs.asdict(fact)
    for side in ("player", "last", "white", "black"):
        if isinstance(values.get(side), str):
            values[side] = name(str(values[side]))
    if (colour := values.get("initial_colour")) is not None:
        values["colour"] = terms[str(colour)]
    if (kind := values.get("kind")) is not None:
        values["kind"] = terms[str(kind)]
    values["rating_words"] = terms["rating"].format(values["rating"]) if values.get("rating") else ""
    values["count"] = len(values.get("players") or values.get("pairs") or ())  # type: ignore[arg-type]  # both are tuples
    if isinstance(fact, PairingPublished):
        values["pab_words"] = terms["bye"].format(name(fact.pab)) if fact.pab else ""
    if isinstance(fact, ResultCorrected):
        values["effect_words"] = _effect(fact, terms)
    return values


def _effect(fact: ResultCorrected, terms: Mapping[str, str]) -> str:
    effect = fact.effect
    if effect.pairing_from is not None:
        return terms["both"].format(effect.standings_from, effect.pairing_from)
    if effect.standings_from is not None:
        return terms["standings"].format(effect.standings_from)
    return terms["rating_only"]
