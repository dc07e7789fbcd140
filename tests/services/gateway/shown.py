"""Views of a tournament "t", as the projector would write them."""

import json
from collections.abc import Mapping

from tests.services.gateway.scene import MemoryViews


def show(views: MemoryViews, *, players: Mapping[str, str], rounds: int, name: str = "Test") -> None:
    """Put a tournament there in which `rounds` rounds are public; the players play each other in pairs."""
    ids = list(players)
    about = {"tournament": "t", "name": name, "event": "Open 2026", "rounds": 3, "published_rounds": rounds}
    shown: dict[str, object] = {
        "summary": about,
        "names": players,
        "start-list": [
            {"player": player, "number": number, "rating": 2500 - number, "federation": "SRB", "title": ""}
            for number, player in enumerate(ids, start=1)
        ],
        "standings": {
            "after_round": rounds,
            "rows": [
                {"rank": rank, "player": player, "points": 5} for rank, player in enumerate(ids, start=1)
            ],
        },
        "cross-table": [
            {
                "rank": rank,
                "player": player,
                "points": 5,
                "cells": [{"opponent": 1, "colour": "w", "score": "1"}],
            }
            for rank, player in enumerate(ids, start=1)
        ],
    }
    for number in range(1, rounds + 1):
        pairs = zip(ids[::2], ids[1::2], strict=False)
        shown[f"boards:{number}"] = {
            "round": number,
            "boards": [
                {"board": board, "white": white, "black": black, "result": "1-0", "white_points": 5}
                for board, (white, black) in enumerate(pairs, start=1)
            ],
            "byes": [{"player": ids[-1], "kind": kind} for kind in ("allocated", "half", "zero", "full")],
        }
    for view, content in shown.items():
        views.views["t", view] = json.dumps(content).encode()
    views.listed = json.dumps([about]).encode()
