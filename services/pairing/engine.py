"""The engine off the event loop: pairing is long arithmetic, and the worker must keep its minutes meanwhile.

Each bench is one process, so a pairing that dies, hangs or is given up takes no other with it.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Protocol

from services.pairing.work import Failed, Pair, Verdict, hold_leash, work

PAIRING_S_MAX = 900.0  # a pairing that takes longer is given up, and its tournament parked
BENCHES_MAX = 4

Read = Callable[
    [], Awaitable[Sequence[bytes]]
]  # the entries up to the cutoff, asked for when there is a place


class Engine(Protocol):
    """Pairs rounds; `name` is name and version, as proofs state it."""

    @property
    def name(self) -> str:
        """Name and version."""

    async def pair(self, read: Read, round_: int) -> Verdict:
        """Return the pairing of `round_` that the entries returned by `read` give."""


class InlineEngine:
    """Pairs where it is called: for tests and dry runs."""

    def __init__(self, name: str, pair: Pair) -> None:
        self.name = name
        self._pair = pair

    async def pair(self, read: Read, round_: int) -> Verdict:
        """Return the pairing of `round_`."""
        return work(await read(), round_, self._pair)


class ProcessEngine:
    """Pairs in processes of its own, one at a time in each; who comes later waits.

    `pair` must be importable by name. The processes end with `close`, and with this process even if that is
    killed.
    """

    def __init__(
        self, name: str, pair: Pair, *, benches: int | None = None, limit_s: float = PAIRING_S_MAX
    ) -> None:
        self.name = name
        count = benches or max(1, min(BENCHES_MAX, (os.cpu_count() or 1) - 1))
        self._benches = [_Bench(pair, limit_s) for _ in range(count)]
        # Last in, first out: a quiet worker keeps to one process.
        self._free: asyncio.LifoQueue[_Bench] = asyncio.LifoQueue()
        for bench in self._benches:
            self._free.put_nowait(bench)

    def warm(self) -> None:
        """Start the first process, so that the first pairing need not wait for it."""
        self._benches[-1].start()

    async def pair(self, read: Read, round_: int) -> Verdict:
        """Return the pairing of `round_`."""
        bench = await self._free.get()
        try:
            return await bench.run(await read(), round_)
        finally:
            self._free.put_nowait(bench)

    def close(self) -> None:
        """End the processes, in the middle of a pairing too."""
        for bench in self._benches:
            bench.close()


class _Bench:
    """One process: started when first needed, ended when its pairing is given up, then started anew."""

    def __init__(self, pair: Pair, limit_s: float) -> None:
        self._pair = pair
        self._limit_s = limit_s
        self._process: tuple[ProcessPoolExecutor, Connection] | None = None

    def start(self) -> ProcessPoolExecutor:
        if self._process is None:
            self._process = _start()
        return self._process[0]

    async def run(self, entries: Sequence[bytes], round_: int) -> Verdict:
        pool = self.start()
        try:
            async with asyncio.timeout(self._limit_s):
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(pool, work, entries, round_, self._pair)
        except TimeoutError:
            failed = Failed(reason=f"the engine had no pairing after {self._limit_s:g} s")
        except BrokenProcessPool:
            failed = Failed(reason="the engine's process died, perhaps for want of memory")
        except asyncio.CancelledError:
            self.close()
            raise
        self.close()
        return failed

    def close(self) -> None:
        if self._process is not None:
            pool, leash = self._process
            self._process = None
            leash.close()
            pool.shutdown(wait=False, cancel_futures=True)


def _start() -> tuple[ProcessPoolExecutor, Connection]:
    # A pool of one: its children would outlive us if we were killed, hence the leash, whose other end they watch.
    # Spawned, because a forked child would hold our own end of the leash and of every connection.
    theirs, ours = multiprocessing.Pipe(duplex=False)
    pool = ProcessPoolExecutor(
        1, multiprocessing.get_context("spawn"), initializer=hold_leash, initargs=(theirs,)
    )
    pool.submit(int)  # only now is the process made
    return pool, ours
