"""An example of every command, as the API's description shows them; in this order they make a short tournament.

Every one is carried out in a test, between them the pairing worker and the clock do their part.
"""

from typing import Any

TOURNAMENT = "open-2026"


def _times(round_: int, day: str) -> dict[str, Any]:
    return {
        "round": round_,
        "published": f"{day}T09:00:00Z",
        "start": f"{day}T10:00:00Z",
        "end": f"{day}T14:00:00Z",
        "results_posted": f"{day}T14:30:00Z",
        "appeals_close": f"{day}T15:00:00Z",
    }


COMMANDS: dict[str, dict[str, Any]] = {
    "announce-tournament": {
        "type": "announce-tournament",
        "tournament": TOURNAMENT,
        "name": "Open 2026, group A",
        "event": "Open 2026",
        "rounds": 2,
        "system": "fide-dutch@2026",
        "venues": [{"venue": "main", "name": "Main hall", "time_zone": "Europe/Belgrade"}],
    },
    "set-timetable": {
        "type": "set-timetable",
        "rounds": [_times(1, "2026-10-05"), _times(2, "2026-10-06")],
        "appeal_minutes": 15,
        "final_appeal": "2026-10-06T18:00:00Z",
    },
    "draw-lots": {"type": "draw-lots", "initial_colour": "w", "method": "by hand", "witnesses": ["arb-2"]},
    "register-player": {
        "type": "register-player",
        "player": "p1",
        "person": {"name": "Kovalenko, Olena", "birth_date": "2001"},
        "rating": 2310,
        "title": "WIM",
        "federation": "UKR",
        "sex": "w",
        "fide_id": "14100000",
    },
    "confirm-presence": {"type": "confirm-presence", "player": "p1"},
    "fix-numbers": {"type": "fix-numbers", "for_round": 1, "players": ["p1", "p2", "p3", "p4"]},
    "close-appeal-window": {"type": "close-appeal-window", "round": 0},
    "request-bye": {"type": "request-bye", "player": "p4", "round": 2, "kind": "half"},
    "record-result": {
        "type": "record-result",
        "round": 1,
        "board": 1,
        "white": "p1",
        "black": "p3",
        "result": "1-0",
    },
    "correct-result": {
        "type": "correct-result",
        "round": 1,
        "board": 1,
        "white": "p1",
        "black": "p3",
        "was": "1-0",
        "result": "1/2-1/2",
        "reason": "the slip was misread",
        "revision": 1,
    },
    "post-results": {"type": "post-results", "round": 1},
    "complete-venue-reports": {"type": "complete-venue-reports", "round": 1, "venue": "main"},
    "withdraw-player": {"type": "withdraw-player", "player": "p3", "reason": "illness"},
    "close-tournament": {"type": "close-tournament"},
}

ANSWER = {
    "first": 17,
    "last": 17,
    "duplicate": False,
    "facts": [
        {
            "type": "result-recorded",
            "round": 1,
            "board": 1,
            "white": "p1",
            "black": "p3",
            "result": "1-0",
        }
    ],
}
REHEARSAL = {
    "would": [
        {
            "type": "result-corrected",
            "round": 1,
            "board": 1,
            "white": "p1",
            "black": "p3",
            "was": "1-0",
            "result": "1/2-1/2",
            "reason": "the slip was misread",
            "effect": {"pairing_from": 2, "standings_from": 1, "rating": True},
        }
    ],
    "first": 19,
    "last": 19,
    "duplicate": False,
    "effect": "The standings count it from round 1, pairings from round 2.",
}
PROBLEM = {
    "type": "/problems/no-such-board",
    "title": "No such board in that round",
    "status": 409,
    "detail": "round 1 has no board 9; it has 2",
    "fields": {"round": 1, "board": 9, "boards": 2},
}
