"""Somebody outside who has nothing but the public stream, and keeps boards and standings by it.

Written from the words of the messages alone: it shares no code with the projections.
"""

from dataclasses import dataclass, field
from typing import Any

PLAYED = {
    "1-0": ("win", "loss"),
    "1/2-1/2": ("draw", "draw"),
    "0-1": ("loss", "win"),
    "0-0": ("loss", "loss"),
    "1/2-0": ("draw", "loss"),
    "0-1/2": ("loss", "draw"),
    "+/-": ("forfeit_win", "forfeit_loss"),
    "-/+": ("forfeit_loss", "forfeit_win"),
    "-/-": ("forfeit_loss", "forfeit_loss"),
}
BYES = {
    "allocated": "pairing_allocated_bye",
    "full": "full_point_bye",
    "half": "half_point_bye",
    "zero": "zero_point_bye",
}


@dataclass
class Consumer:
    """Takes in messages as plain JSON data, in order."""

    rounds: int = 0
    scoring: dict[str, int] = field(default_factory=dict)
    players: list[str] = field(default_factory=list)
    withdrawn: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    published: list[dict[str, Any]] = field(default_factory=list)  # boards, as the views have them
    integrity: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False

    def take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        getattr(self, "on_" + kind.replace("-", "_"))({k: v for k, v in message.items() if k != "type"})

    def on_tournament_announced(self, said: dict[str, Any]) -> None:
        self.rounds, self.scoring = said["rounds"], said["regulations"]["scoring"]

    def on_timetable_set(self, said: dict[str, Any]) -> None:
        assert len(said["timetable"]["rounds"]) == self.rounds

    def on_lots_drawn(self, said: dict[str, Any]) -> None:
        assert said["initial_colour"] in {"w", "b"}

    def on_player_registered(self, said: dict[str, Any]) -> None:
        self.players.append(said["player"])

    def on_presence_confirmed(self, said: dict[str, Any]) -> None:
        for bye in said.get("byes", ()):
            boards = self.published[bye["round"] - 1]
            byes = [*boards["byes"], {"player": said["player"], "kind": bye["kind"]}]
            allocated = [one for one in byes if one["kind"] == "allocated"]
            others = [one for one in byes if one["kind"] != "allocated"]
            boards["byes"] = allocated + sorted(others, key=lambda one: boards["_numbers"][one["player"]])

    def on_player_withdrawn(self, said: dict[str, Any]) -> None:
        self.withdrawn.add(said["player"])

    def on_numbers_assigned(self, said: dict[str, Any]) -> None:
        self.numbers = {player: number for number, player in enumerate(said["players"], start=1)}

    def on_round_published(self, said: dict[str, Any]) -> None:
        games = [
            {
                "board": board,
                "white": white,
                "black": black,
                "white_number": self.numbers[white],
                "black_number": self.numbers[black],
                "white_points": of_white,
                "black_points": of_black,
            }
            for board, ((white, black), (of_white, of_black)) in enumerate(
                zip(said["pairs"], said["points"], strict=True), start=1
            )
        ]
        assert said["round"] == len(self.published) + 1
        self.published.append(
            {
                "round": said["round"],
                "boards": games,
                "byes": said.get("byes", []),
                "_numbers": self.numbers,
            }
        )

    def on_game_adjourned(self, said: dict[str, Any]) -> None:
        self._game(said)["adjourned"] = True

    def on_result_recorded(self, said: dict[str, Any]) -> None:
        game = self._game(said)
        assert "result" not in game
        game.pop("adjourned", None)
        game.update({key: said[key] for key in ("result", "revision", "rated") if key in said})

    def on_result_corrected(self, said: dict[str, Any]) -> None:
        game, correction = self._game(said), said["correction"]
        assert (game["result"], game["revision"] + 1) == (correction["was"], correction["revision"])
        assert game.pop("rated", True) == correction.get("was_rated", True)
        game["corrections"] = [*game.get("corrections", []), correction]
        game.update({key: correction[key] for key in ("result", "revision", "rated") if key in correction})

    def on_round_ended(self, said: dict[str, Any]) -> None:
        boards = self.published[said["round"] - 1]
        assert all("result" in game or "adjourned" in game for game in boards["boards"])
        assert "ended" not in boards
        boards["ended"] = True

    def on_results_posted(self, said: dict[str, Any]) -> None:
        boards = self.published[said["round"] - 1]
        assert all("result" in game for game in boards["boards"])
        boards["appeals_close"] = said["appeals_close"]

    def on_integrity_entry(self, said: dict[str, Any]) -> None:
        self.integrity.append(said["departure"])

    def on_tournament_closed(self, said: dict[str, Any]) -> None:
        assert said == {}
        self.closed = True

    def _game(self, said: dict[str, Any]) -> dict[str, Any]:
        game: dict[str, Any] = self.published[said["round"] - 1]["boards"][said["board"] - 1]
        assert (game["white"], game["black"]) == (said["white"], said["black"])
        return game

    def boards(self) -> list[dict[str, Any]]:
        """Return the published rounds as the views show them."""
        return [
            {key: value for key, value in boards.items() if key != "_numbers" and value != []}
            | {"boards": boards["boards"]}
            for boards in self.published
        ]

    def standings(self) -> dict[str, Any]:
        """Return the standings as the view shows them."""
        after = self._after()
        points = self._points(after)
        order = sorted(points, key=lambda player: (-points[player], self.numbers.get(player, 10_000)))
        view = {
            "after_round": after,
            "rows": [
                {"rank": rank, "player": player, "points": points[player]}
                for rank, player in enumerate(order, start=1)
            ],
        }
        pending = sum("result" not in game for boards in self.published[:after] for game in boards["boards"])
        return view | ({"pending": pending} if pending else {})

    def _after(self) -> int:
        for boards in reversed(self.published):
            played = any("result" in game for game in boards["boards"])
            over = boards["round"] < len(self.published) or not boards["boards"]
            if played or over:
                return int(boards["round"])
        return 0

    def _ranked(self) -> list[str]:
        if not self.published:
            return [player for player in self.players if player not in self.withdrawn]
        placed = {
            player
            for boards in self.published
            for player in (
                *(game[side] for game in boards["boards"] for side in ("white", "black")),
                *(bye["player"] for bye in boards["byes"]),
            )
        }
        return [player for player in self.players if player in placed]

    def _points(self, after: int) -> dict[str, int]:
        points = dict.fromkeys(self._ranked(), 0)
        for boards in self.published[:after]:
            scored = {bye["player"]: self.scoring[BYES[bye["kind"]]] for bye in boards["byes"]}
            for game in boards["boards"]:
                result = counted(game, after)
                white, black = PLAYED[result] if result else ("", "")
                scored[game["white"]] = self.scoring.get(white, 0)
                scored[game["black"]] = self.scoring.get(black, 0)
            for player in points:
                points[player] += scored.get(player, self.scoring["zero_point_bye"])
        return points


def counted(game: dict[str, Any], after: int) -> str | None:
    """Return the result that the standings after a round count."""
    result: str | None = game.get("result")
    if corrections := game.get("corrections"):
        result = corrections[0]["was"]
        for correction in corrections:
            if correction.get("standings_from", 100) <= after:
                result = correction["result"]
    return result
