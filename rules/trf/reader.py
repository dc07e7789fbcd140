"""Reads a tournament report file, TRF16 with the engines' extensions or TRF26, and checks that it agrees with itself."""

from itertools import product

import msgspec
from msgspec.structs import replace

from events.facts import ByeKind, Scoring
from rules.acceleration import baku_group, baku_points, takes_baku
from rules.trf import records, scoring, systems
from rules.trf.checks import (
    bye_points,
    check_games,
    check_no_bye_in_advance,
    check_points,
    points_of,
    requested_kind,
)
from rules.trf.draft import Draft, Mention
from rules.trf.errors import NotOffered, TrfError
from rules.trf.lines import ROUND_MAX, Line, decode, split
from rules.trf.model import Header, Player, Prohibited, RequestedBye, ResultCode, TournamentFile
from rules.trf.players import block_columns

COMPANY = 2  # fewer cannot meet each other


def read(data: bytes) -> TournamentFile:
    """Return the tournament in a file; raise `TrfError` where it cannot be read or contradicts itself.

    `NotOffered`, a `TrfError`, means that the file is sound but asks for what would change the pairing
    and is not honoured here.
    """
    text, notes = decode(data)
    draft = Draft()
    for line in split(text):
        records.add(draft, line)
    if not draft.players:
        raise TrfError(0, None, "the file has no player record (001)")
    return _whole(draft, notes)


def _whole(draft: Draft, notes: tuple[str, ...]) -> TournamentFile:
    rounds = draft.rounds[0] if draft.rounds else None
    paired = _rounds_paired(draft, rounds)
    code = _system_code(draft)
    check_no_bye_in_advance(draft.players, draft.lines, paired)
    check_games(draft.players, draft.lines)
    terms = _Terms(
        paired,
        _scoring(draft),
        draft.scoring_162.get("X"),
        _requested(draft, paired, rounds),
        _virtual(draft, rounds),
    )
    if code.endswith(systems.BAKU) and not any(terms.virtual.values()):
        virtual, note = _baku(draft, code, terms.scoring, rounds)
        terms, notes = replace(terms, virtual=virtual), (*notes, note)
    players = tuple(_finished(player, draft.lines[player.tpn], terms) for player in draft.players)
    return TournamentFile(
        header=Header(**draft.header, deputies=tuple(draft.deputies), round_dates=draft.round_dates),
        players=players,
        rounds=rounds,
        initial_colour=draft.initial_colour,
        scoring=terms.scoring,
        unknown_result=terms.unknown,
        system_code=draft.system[0] if draft.system else "",
        requested=_listed(terms.requested),
        prohibited=_prohibited(draft, rounds),
        kept_head=tuple(draft.kept_head),
        kept=tuple(draft.kept),
        adjustments=notes,
    )


def _rounds_paired(draft: Draft, rounds: int | None) -> int:
    """Return the last round with any game; byes alone may stand in the columns of rounds not yet paired."""
    paired = 0
    for player in draft.players:
        if rounds is not None and len(player.entries) > rounds:
            draft.lines[player.tpn].fail(
                *block_columns(len(player.entries)), f"nothing after the last round, {rounds}"
            )
        for round_, entry in enumerate(player.entries, start=1):
            if round_ > paired and entry is not None and entry.opponent is not None:
                paired = round_
    return paired


def _system_code(draft: Draft) -> str:
    code, line = draft.system or ("", None)
    code = systems.code_of(code, draft.header.get("type_text", ""))
    why = systems.refusal(code, draft.header.get("start_date", ""))
    if why is not None:
        raise NotOffered(line.number if line else 0, None, why)
    return code


def _scoring(draft: Draft) -> Scoring:
    """Return the scoring; where records of several engines give it, they must agree."""
    given = []
    if draft.scoring_162.keys() - {"X"}:
        given.append(scoring.from_162(draft.scoring_162))
    if draft.scoring_xxs:
        assert draft.scoring_line is not None
        if scoring.depends_on_colour(draft.scoring_xxs):
            draft.scoring_line.refuse(
                "results worth more with one colour (WW and BW and the like) are not yet offered"
            )
        given.append(scoring.from_xxs(draft.scoring_xxs))
    if draft.scoring_bb:
        given.append(scoring.from_bb(draft.scoring_bb))
    if any(other != given[0] for other in given[1:]):
        assert draft.scoring_line is not None
        draft.scoring_line.fail(
            1, len(draft.scoring_line.text), "the values that the file's other scoring records give"
        )
    return given[0] if given else Scoring()


def _requested(draft: Draft, paired: int, rounds: int | None) -> dict[int, dict[int, ByeKind]]:
    """Return the byes of rounds not yet paired, by starting rank and round, however the file tells them."""
    requested: dict[int, dict[int, ByeKind]] = {}
    for player in draft.players:
        for round_, entry in enumerate(player.entries[paired:], start=paired + 1):
            kind = requested_kind(entry)
            if kind is not None:
                requested.setdefault(player.tpn, {})[round_] = kind
    by_tpn = {player.tpn: player for player in draft.players}
    for mention in draft.byes:
        round_ = mention.first_round or paired + 1
        if mention.first_round is not None and rounds is not None and round_ > rounds:
            mention.line.fail(7, 9, f"a round of the {rounds} of this tournament")
        for _, tpn in mention.ids:
            _check_bye(mention, tpn, round_, by_tpn, paired)
            if (
                round_ > paired
                and requested.setdefault(tpn, {}).setdefault(round_, mention.kind) is not mention.kind
            ):
                mention.fail(tpn, f"one kind of bye for player {tpn} in round {round_}")
    return requested


def _check_bye(mention: Mention, tpn: int, round_: int, by_tpn: dict[int, Player], paired: int) -> None:
    """Raise unless the player exists and, in a round already paired, has the bye that the record tells again."""
    if tpn not in by_tpn:
        mention.fail(tpn, "a starting rank of this file")
    if round_ > paired:
        return
    entries = by_tpn[tpn].entries
    entry = entries[round_ - 1] if round_ <= len(entries) else None
    told = ByeKind.ZERO_POINT if entry is None else requested_kind(entry)
    if told is not mention.kind:
        mention.fail(tpn, f"what the entry of player {tpn} in round {round_} says")


def _virtual(draft: Draft, rounds: int | None) -> dict[int, tuple[int, ...]]:
    """Return virtual points by starting rank, trailing zeros left out. 250 and XXA may both be there if they agree."""
    ranges = {player.tpn: _virtual_of(player.tpn, draft, rounds) for player in draft.players}
    for tpn, (line, values) in draft.virtual_rows.items():
        if tpn not in ranges:
            line.fail(5, 8, "a starting rank of this file")
        row = _trimmed(values)
        if rounds is not None and len(row) > rounds:
            line.fail(10, len(line.text), f"points for the {rounds} rounds of this tournament")
        if draft.virtual_ranges and row != ranges[tpn]:
            line.fail(1, len(line.text), "the virtual points that the 250 records give")
        ranges[tpn] = row
    return ranges


def _virtual_of(tpn: int, draft: Draft, rounds: int | None) -> tuple[int, ...]:
    values = [0] * (rounds or ROUND_MAX)
    for given in draft.virtual_ranges:
        if not given.first_tpn <= tpn <= given.last_tpn:
            continue
        for round_ in range(given.first_round, min(given.last_round, len(values)) + 1):
            if values[round_ - 1]:
                given.line.fail(
                    15, 31, f"one value for player {tpn} in round {round_}; an earlier record has one"
                )
            values[round_ - 1] = given.points
    return _trimmed(values)


def _trimmed(values: tuple[int, ...] | list[int]) -> tuple[int, ...]:
    end = len(values)
    while end and values[end - 1] == 0:
        end -= 1
    return tuple(values[:end])


def _baku(
    draft: Draft, code: str, points: Scoring, rounds: int | None
) -> tuple[dict[int, tuple[int, ...]], str]:
    """Return the virtual points of C.04.7 by starting rank, and in words what was assumed to derive them."""
    line = draft.system[1] if draft.system else None
    if rounds is None or not takes_baku(points):
        why = "the number of rounds" if rounds is None else "a win worth two draws and a loss worth nothing"
        raise TrfError(line.number if line else 0, None, f"{code}: Baku acceleration needs {why}")
    numbers = sorted(player.tpn for player in draft.players)
    upper = numbers[: baku_group(len(numbers))]
    note = (
        f"{code}: virtual points are derived; starting ranks up to {upper[-1]} are the upper group "
        "(late entries can have moved its border: records 250 or XXA would say)"
    )
    return dict.fromkeys(numbers, ()) | dict.fromkeys(upper, _trimmed(baku_points(rounds, points.win))), note


def _prohibited(draft: Draft, rounds: int | None) -> tuple[Prohibited, ...]:
    groups = []
    last = rounds or ROUND_MAX
    for mention in draft.prohibited:
        numbers = tuple(tpn for _, tpn in mention.ids)
        if len(numbers) < COMPANY:
            mention.line.fail(1, len(mention.line.text), "at least two starting ranks")
        for position, tpn in enumerate(numbers):
            if tpn not in draft.lines or tpn in numbers[:position]:
                mention.fail(tpn, "starting ranks of this file, each once")
        first = mention.first_round or 1
        if first > last:
            mention.line.fail(5, 7, f"a round of the {rounds} of this tournament")
        groups.append(
            Prohibited(players=numbers, first_round=first, last_round=min(mention.last_round or last, last))
        )
    return tuple(groups)


class _Terms(msgspec.Struct, frozen=True):
    """What the points of every player depend on."""

    paired: int
    scoring: Scoring
    unknown: int | None
    requested: dict[int, dict[int, ByeKind]]
    virtual: dict[int, tuple[int, ...]]


def _finished(player: Player, line: Line, terms: _Terms) -> Player:
    """Return the player with the rounds paired, the points of those rounds, and the virtual points."""
    entries = player.entries[: terms.paired] + (None,) * (terms.paired - len(player.entries))
    unknown = terms.scoring.draw if terms.unknown is None else terms.unknown
    scored = sum(points_of(entry, terms.scoring, 0) for entry in entries)
    pending = unknown * sum(entry is not None and entry.code is ResultCode.PENDING for entry in entries)
    virtual = terms.virtual[player.tpn]
    ahead = virtual[terms.paired] if len(virtual) > terms.paired else 0
    extras = (_points_in_advance(player, terms), (0, pending), (0, ahead))
    check_points(line, player.points, scored, [sum(chosen) for chosen in product(*extras)])
    return msgspec.structs.replace(player, entries=entries, points=scored + pending, virtual=virtual)


def _points_in_advance(player: Player, terms: _Terms) -> tuple[int, ...]:
    """Return what the points may hold beyond the rounds paired: nothing, the next round's bye, all byes to come."""
    byes = terms.requested.get(player.tpn, {})
    worth = {round_: bye_points(kind, terms.scoring) for round_, kind in byes.items()}
    return 0, worth.get(terms.paired + 1, 0), sum(worth.values())


def _listed(requested: dict[int, dict[int, ByeKind]]) -> tuple[RequestedBye, ...]:
    byes = [(round_, kind, tpn) for tpn, rounds in requested.items() for round_, kind in rounds.items()]
    return tuple(RequestedBye(tpn=tpn, round=round_, kind=kind) for round_, kind, tpn in sorted(byes))
