"""The load generator, a process of its own: `python -m tests.benchmarks.load`.

Reads plans on standard input, one JSON line each, carries each out against the gateway, and answers with a line of JSON.
At a given rate, a request is due at its minute whether or not the one before was answered in time, and its latency
counts from there: a server that stalls is not spared. Without a rate, each lane sends as soon as it was answered.
"""

import asyncio
import sys
import time
from collections.abc import Sequence

import msgspec

POLL_S = 0.005  # between two looks at a view
SHOWN_S_MAX = 20.0  # for a result to be shown
HEADER_END = b"\r\n\r\n"
OK = 200


class Watch(msgspec.Struct, frozen=True):
    """How to see that a result is public: the boards of its round show it."""

    get: bytes  # the request for the view
    board: int
    result: str


class Shot(msgspec.Struct, frozen=True):
    """One request as it is sent, and what is to be seen afterwards."""

    request: bytes
    watch: Watch | None = None


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What to send. Each lane is one connection and sends in order; the lanes run side by side."""

    host: str
    port: int
    lanes: tuple[tuple[Shot, ...], ...]
    expected: int  # status of each answer
    rate: float | None = None  # of all lanes together, a second
    for_s: float | None = None  # without a rate: how long, if the shots last


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What was answered."""

    took_s: float
    latencies_ms: tuple[float, ...]  # of the answers, in no order
    shown_ms: tuple[float, ...]  # from the answer until the view showed it
    failure: str = ""  # the first answer that was not as expected; nothing is sent after it
    cpu_s: float  # used by the generator itself

    @property
    def rate(self) -> float:
        """Answers a second."""
        return len(self.latencies_ms) / self.took_s


class Unexpected(Exception):
    """An answer other than expected."""


class _Boards(msgspec.Struct):
    """As much of the view of a round as we look at."""

    boards: list["_Board"]


class _Board(msgspec.Struct):
    result: str | None = None


_boards = msgspec.json.Decoder(_Boards)


class _Lane:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.latencies_ms: list[float] = []
        self.shown_ms: list[float] = []

    async def run(self, plan: Plan, shots: Sequence[Shot], due: Sequence[float], ends: float) -> None:
        """Send `shots`, each when it is due; stop at the time `ends`."""
        for shot, at in zip(shots, due, strict=True):
            now = time.perf_counter()
            if at > now:
                await asyncio.sleep(at - now)
            start = at or now
            await self._answered(shot.request, plan.expected)
            answered = time.perf_counter()
            self.latencies_ms.append((answered - start) * 1000)
            if shot.watch is not None:
                await self._shown(shot.watch, answered)
            if answered >= ends:
                return

    def close(self) -> None:
        self._writer.close()

    async def _shown(self, watch: Watch, since: float) -> None:
        while True:
            body = await self._answered(watch.get, OK)
            now = time.perf_counter()
            if _boards.decode(body).boards[watch.board - 1].result == watch.result:
                self.shown_ms.append((now - since) * 1000)
                return
            if now - since > SHOWN_S_MAX:
                raise Unexpected(f"board {watch.board} does not show {watch.result} after {SHOWN_S_MAX} s")
            await asyncio.sleep(POLL_S)

    async def _answered(self, request: bytes, expected: int) -> bytes:
        self._writer.write(request)
        head = await self._reader.readuntil(HEADER_END)
        body = await self._reader.readexactly(_length(head))
        status = int(head[9:12])
        if status != expected:
            raise Unexpected(f"{status} instead of {expected}: {body[:500].decode(errors='replace')}")
        return body


def _length(head: bytes) -> int:
    """Return the length of the body that follows `head`; every answer of the gateway states it."""
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    raise Unexpected(f"no content-length: {head.decode(errors='replace')}")


async def carry_out(plan: Plan) -> Outcome:
    """Carry out a plan."""
    lanes = [_Lane(*await asyncio.open_connection(plan.host, plan.port)) for _ in plan.lanes]
    used, start = time.process_time(), time.perf_counter()
    ends = start + plan.for_s if plan.for_s is not None else float("inf")
    running = [
        asyncio.create_task(lane.run(plan, shots, _dues(plan, number, len(shots), start), ends))
        for number, (lane, shots) in enumerate(zip(lanes, plan.lanes, strict=True))
    ]
    done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION)
    took, used = time.perf_counter() - start, time.process_time() - used
    failures = [str(task.exception()) for task in done if task.exception() is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    for lane in lanes:
        lane.close()
    return Outcome(
        took_s=took,
        latencies_ms=tuple(latency for lane in lanes for latency in lane.latencies_ms),
        shown_ms=tuple(shown for lane in lanes for shown in lane.shown_ms),
        failure=failures[0] if failures else "",
        cpu_s=used,
    )


def _dues(plan: Plan, lane: int, count: int, start: float) -> list[float]:
    """Return when each shot of a lane is due, spread evenly over all lanes; 0: at once."""
    if plan.rate is None:
        return [0.0] * count
    return [start + (turn * len(plan.lanes) + lane) / plan.rate for turn in range(count)]


def main() -> None:
    """Carry out plans until the input ends."""
    for line in sys.stdin.buffer:
        outcome = asyncio.run(carry_out(msgspec.json.decode(line, type=Plan)))
        sys.stdout.buffer.write(msgspec.json.encode(outcome) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
