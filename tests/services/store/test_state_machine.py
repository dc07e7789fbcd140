"""Whatever is done to a real server's log, in whatever order, with kills in between: a list and a dict know better."""

import asyncio
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from events.envelope import Recorded
from services.server import Server
from services.store import EMPTY, CommandClash, Head, LogBroken, Outcome, RedisStore, VersionConflict
from services.store.reader import Copy, Reader
from tests.support.entries import OTHER_REQUEST, REQUEST, T, batch

NOTHING: tuple[str, ...] = ()


def fold(history: Iterable[Recorded], causes: tuple[str, ...]) -> tuple[str, ...]:
    return (*causes, *(recorded.cause for recorded in history))


class LogOfOneTournament(RuleBasedStateMachine):
    server: Server  # one for all examples; each begins with an empty one

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.Runner()
        self.entries: list[bytes] = []
        self.commands: dict[str, Outcome] = {}
        self.heads = [EMPTY]  # at every version
        self.store: RedisStore | None = None

    def do(self, work: Any) -> Any:
        return self.loop.run(work)

    @property
    def log(self) -> RedisStore:
        assert self.store
        return self.store

    @initialize()
    def open(self) -> None:
        self.store = self.do(RedisStore.open(self.server.url))
        self.do(self.log._connection.command(T, "FLUSHALL"))
        self.do(self.store.close())
        self.reopen()

    def reopen(self) -> None:
        if self.store:
            self.do(self.store.close())
        self.store = self.do(RedisStore.open(self.server.url, partitions=1))
        self.reader = Reader(self.log, NOTHING, fold)

    def append(self, expected: Head, cause: str, count: int, request: str = REQUEST) -> Any:
        entries = batch(expected, cause, count, request)
        return self.do(self.log.append(T, entries, expected=expected, cause=cause, request=request))

    @rule(count=st.integers(1, 4))
    def append_at_the_head(self, count: int) -> None:
        cause, first, head = f"c{len(self.commands)}", len(self.entries) + 1, self.heads[-1]
        answer = self.append(head, cause, count)
        assert (answer.first, answer.last, answer.duplicate) == (first, first + count - 1, False)
        for entry in batch(head, cause, count):
            self.entries.append(entry)
            self.heads.append(self.heads[-1].after(entry))
        self.commands[cause] = Outcome(answer.first, answer.last, REQUEST)

    @precondition(lambda self: self.entries)
    @rule(data=st.data())
    def append_where_somebody_was_faster(self, data: st.DataObject) -> None:
        version = data.draw(st.integers(0, len(self.entries) - 1))
        with pytest.raises(VersionConflict) as refusal:
            self.append(self.heads[version], "late", 1)
        assert refusal.value.found == self.heads[-1]

    @rule(ahead=st.integers(0, 3))
    def append_to_a_history_that_is_not_there(self, ahead: int) -> None:
        with pytest.raises(LogBroken):
            self.append(Head(len(self.entries) + ahead, "ab" * 32), "elsewhere", 1)

    @precondition(lambda self: self.commands)
    @rule(data=st.data())
    def repeat_a_command(self, data: st.DataObject) -> None:
        cause = data.draw(st.sampled_from(sorted(self.commands)))
        known = self.commands[cause]
        answer = self.append(
            self.heads[data.draw(st.sampled_from([known.first - 1, len(self.entries)]))],
            cause,
            known.last - known.first + 1,
        )
        assert (answer.first, answer.last, answer.duplicate) == (known.first, known.last, True)

    @precondition(lambda self: self.commands)
    @rule(data=st.data())
    def reuse_a_command_id(self, data: st.DataObject) -> None:
        cause = data.draw(st.sampled_from(sorted(self.commands)))
        with pytest.raises(CommandClash):
            self.append(self.heads[-1], cause, 1, OTHER_REQUEST)

    @rule()
    def lose_the_table_of_commands(self) -> None:
        self.do(self.log._connection.command(T, "DEL", self.log._keys(T).commands))

    @rule()
    def kill_the_server_and_start_it_again(self) -> None:
        self.server.kill()
        self.server.start()
        assert not self.server.truncated

    @rule()
    def restart_the_server_in_good_order(self) -> None:
        self.server.stop()
        self.server.start()

    @rule()
    def have_the_file_rewritten(self) -> None:
        assert self.do(self.log._connection.rewrite_file())

    @rule()
    def open_another_store(self) -> None:
        self.reopen()

    @rule(data=st.data())
    def look_back(self, data: st.DataObject) -> None:
        version = data.draw(st.integers(0, len(self.entries)))
        causes = tuple(
            cause for cause, known in self.commands.items() for _ in range(known.first, known.last + 1)
        )
        assert self.do(self.log.since(T, self.heads[version])) == self.entries[version:]
        assert self.do(self.reader.at(T, version)) == Copy(self.heads[version], causes[:version])

    @invariant()
    def the_log_is_what_was_answered(self) -> None:
        if not self.store:
            return
        assert self.do(self.log.head(T)) == self.heads[-1]
        assert self.do(self.log.read(T)) == self.entries
        assert self.do(self.reader.catch_up(T)).head == self.heads[-1]
        assert self.do(self.log.heads()) == ({T: len(self.entries)} if self.entries else {})
        for cause, known in self.commands.items():
            assert self.do(self.log.outcome(T, cause)) == known

    def teardown(self) -> None:
        if self.store:
            self.do(self.store.close())
        self.loop.close()


@pytest.mark.parametrize(
    "examples", [15, pytest.param(200, marks=[pytest.mark.full, pytest.mark.timeout(900)])]
)
def test_a_log_is_a_list_and_its_commands_a_dict(examples: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder)) as server:

        class OnItsServer(LogOfOneTournament):
            pass

        OnItsServer.server = server
        OnItsServer.TestCase.settings = settings(max_examples=examples, stateful_step_count=20, deadline=None)
        OnItsServer.TestCase().runTest()
