"""The yardstick of event sourcing: pyeventsourcing (`eventsourcing` on PyPI) on SQLite, doing what we do.

A program for an environment of its own, which holds that library and nothing of ours: `PYTHON peer.py FOLDER`. It is
told what to do on standard input, a line each, and answers with a line of JSON:

    load FILE    take in a tournament's facts, one JSON object a line, and save them; answers their number
    replay       get that tournament from the database; answers seconds
    append N     save N events of one new tournament, one transaction each; answers events a second
    about        answers versions, and how the database is set

Everything is as its documentation shows it: an aggregate with an event a fact, the JSON transcoder, no snapshots, no
cache. The database is a file, write-ahead logged (its default), with `synchronous=FULL`: a transaction is on the disk
before it is answered. The aggregate keeps about what our own state does, in dictionaries that it changes in place.
"""

import json
import sqlite3
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

import eventsourcing.sqlite
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.sqlite import SQLiteConnection, SQLiteConnectionPool

SYNCHRONOUS = {0: "OFF", 1: "NORMAL", 2: "FULL", 3: "EXTRA"}


class Tournament(Aggregate):
    """A tournament: its frequent facts as events of their own, the others as notes."""

    @event("Announced")
    def __init__(self, tournament: str, name: str, rounds: int) -> None:
        self.regulations = (tournament, name, rounds)
        self.players: dict[str, dict[str, Any]] = {}
        self.rounds: dict[int, dict[str, Any]] = {}
        self.notes: dict[str, Any] = {}

    @event("PlayerRegistered")
    def register(self, player: str, person: str, rating: int = 0) -> None:
        self.players[player] = {"person": person, "rating": rating, "present": False}

    @event("PresenceConfirmed")
    def confirm_presence(self, player: str) -> None:
        self.players[player]["present"] = True

    @event("PairingPublished")
    def publish(self, round: int, pairs: list[list[str]], salt: str, pab: str | None = None) -> None:  # noqa: A002 - the fact's field
        boards = [{"white": white, "black": black} for white, black in pairs]
        self.rounds[round] = {"boards": boards, "pab": pab, "salt": salt}

    @event("ResultRecorded")
    def record(self, round: int, board: int, white: str, black: str, result: str) -> None:  # noqa: A002 - the fact's field
        there = self.rounds[round]["boards"][board - 1]
        assert (there["white"], there["black"]) == (white, black)
        there["result"] = result

    @event("Noted")
    def note(self, kind: str, fields: dict[str, Any]) -> None:
        self.notes[kind] = fields


FIELDS = {  # kind of fact → the method that takes it in, and the fields that it takes
    "player-registered": ("register", ("player", "person", "rating")),
    "presence-confirmed": ("confirm_presence", ("player",)),
    "pairing-published": ("publish", ("round", "pairs", "salt", "pab")),
    "result-recorded": ("record", ("round", "board", "white", "black", "result")),
}


class Peer:
    """The application on a new database in `folder`, and the tournament that was loaded into it."""

    def __init__(self, folder: Path) -> None:
        self._app = Application(
            env={
                "PERSISTENCE_MODULE": "eventsourcing.sqlite",
                "SQLITE_DBNAME": str(folder / f"peer-{time.monotonic_ns()}.sqlite"),
            }
        )
        self._loaded: UUID | None = None

    def load(self, file: str) -> int:
        """Save the facts in `file`, of which the first is the announcement; return how many events they became."""
        with Path(file).open("rb") as lines:
            announced, *facts = [json.loads(line) for line in lines]
        tournament = Tournament(announced["tournament"], announced["name"], announced["rounds"])
        for fact in facts:
            kind = fact.pop("type")
            if kind in FIELDS:
                name, fields = FIELDS[kind]
                getattr(tournament, name)(**{field: fact[field] for field in fields if field in fact})
            else:
                tournament.note(kind, fact)
        self._app.save(tournament)
        self._loaded = tournament.id
        return len(facts) + 1

    def replay(self) -> float:
        """Return how long it takes to get the tournament that was loaded, in seconds."""
        assert self._loaded is not None
        start = time.perf_counter()
        self._app.repository.get(self._loaded)
        return time.perf_counter() - start

    def append(self, count: str) -> float:
        """Return at how many events a second so many are saved, one a transaction."""
        tournament = Tournament("t", "Appends", 9)
        tournament.register("p1", "ab" * 32)
        self._app.save(tournament)
        start = time.perf_counter()
        for _ in range(int(count)):
            tournament.confirm_presence("p1")
            self._app.save(tournament)
        return int(count) / (time.perf_counter() - start)

    def about(self) -> str:
        """Return in words what answers, asked of the database itself."""
        with self._app.factory.datastore.get_connection(commit=True) as connection:
            journal = _pragma(connection, "journal_mode").upper()
            synchronous = SYNCHRONOUS[int(_pragma(connection, "synchronous"))]
        return (
            f"pyeventsourcing {version('eventsourcing')} on SQLite {sqlite3.sqlite_version}, journal {journal}, "
            f"synchronous {synchronous}"
        )


class DurablePool(SQLiteConnectionPool):
    """Connections whose commits wait for the disk; SQLite's own default depends on how it was built."""

    def _create_connection(self) -> SQLiteConnection:
        connection = super()._create_connection()
        connection.cursor().execute("PRAGMA synchronous=FULL")
        return connection


def _pragma(connection: SQLiteConnection, name: str) -> str:
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA {name}")
    return str(cursor.fetchone()[0])


def main() -> None:
    """Answer until the input ends."""
    eventsourcing.sqlite.SQLiteConnectionPool = DurablePool  # the library has no setting for it
    peer = Peer(Path(sys.argv[1]))
    for line in sys.stdin:
        name, *arguments = line.split(maxsplit=1)
        answer = getattr(peer, name)(*(argument.strip() for argument in arguments))
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
