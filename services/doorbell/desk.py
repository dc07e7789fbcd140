"""Which tournament is looked at, and when: at a doorbell, at its minute, and in a sweep over all heads.

The sweep makes a lost doorbell a delay and no more. A tournament that fails is parked alone; when the outside is
down, nothing is parked and the next sweep tries again.
"""

import asyncio
from contextlib import suppress
from typing import NoReturn, Protocol
from weakref import WeakValueDictionary

import structlog

from rules.instants import instant
from services.doorbell.crew import Crew
from services.doorbell.pace import Pace
from services.doorbell.parking import Parked, Parking
from services.store import (
    BadName,
    ClockSkew,
    EventStore,
    StoreError,
    StoreRefused,
    StoreUnreachable,
    VersionConflict,
)
from services.store.keys import check_tournament, partition_of
from services.wallclock import Clock, wall_clock

SWEEP_S = 3.0
NAP_S_MAX = 1.0  # while a publication is awaited, so that a clock that is set is noticed
REASON_LENGTH_MAX = 500
OUTSIDE = (StoreUnreachable, StoreRefused, ClockSkew, VersionConflict)  # none is the tournament's fault

log = structlog.get_logger(__name__)


class WorkFailed(Exception):
    """A tournament is at fault, in words that need no traceback; `trace` says where in an engine, when it was there."""

    def __init__(self, reason: str, trace: str = "") -> None:
        super().__init__(reason)
        self.trace = trace


class Worker(Protocol):
    """What the desk sends to a tournament: each service has its own, see `services.pairing.handler`."""

    @property
    def engine(self) -> str:
        """Name and version of what works: another one tries again what was set aside."""

    @property
    def gap_s(self) -> float:
        """How far apart visits to the same tournament are kept; see `Pace`."""

    async def catch_up(self, tournament: str) -> int | None:
        """Do what is due; return when to come again, ms since 1970, or None."""

    def reached(self, tournament: str) -> int:
        """Return the version that the log had when it was last looked at; 0 when that is not known."""


class _Turn:
    """The visits to one tournament, one after the other."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.began = 0  # how often anybody had been sent anywhere when the last one began
        self.came_of = False


class Desk:
    """Sends `worker` to tournaments: to many at once, never twice at once to the same one."""

    def __init__(
        self,
        store: EventStore,
        worker: Worker,
        parking: Parking,
        *,
        sweep_s: float = SWEEP_S,
        clock: Clock = wall_clock,
    ) -> None:
        self._store = store
        self._worker = worker
        self._parking = parking
        self._sweep_s = sweep_s
        self._pace = Pace(worker.gap_s)
        self._clock = clock
        self._dues: dict[str, int] = {}  # tournament → when its publication is due, ms
        self._due_noted = asyncio.Event()
        self._seen: dict[str, int] = {}  # tournament → version by which it was last looked at
        self._reached: dict[str, int] = {}  # tournament → version up to which it was worked on
        self._parked: dict[int, dict[str, Parked]] = {}  # by partition, as last read
        self._turns: WeakValueDictionary[str, _Turn] = WeakValueDictionary()
        self._rung = 0  # how often anybody was sent
        self._sent: set[str] = set()

    @property
    def engine(self) -> str:
        """Name and version of what works."""
        return self._worker.engine

    async def visit(self, tournament: str, version: int = 0, *, again: bool = False) -> bool:
        """Catch `tournament` up, unless it is parked; `again` tries a parked one too.

        Nothing is to be done when a visit has come further than `version` already. Returns False when the outside was down, so that whoever asked should ask again. A tournament that fails
        is parked, and that is an answer.
        """
        self._rung += 1
        rung = self._rung
        turn = self._turns.setdefault(tournament, _Turn())
        async with turn.lock:
            if turn.began >= rung and not again:
                return turn.came_of  # of a visit that began after we were sent
            if (self._is_parked(tournament) or 0 < version <= self._reached.get(tournament, 0)) and not again:
                return True
            await self._pace.wait(tournament)
            turn.began, turn.came_of = self._rung, False
            turn.came_of = await self._answer(tournament)
            return turn.came_of

    async def _answer(self, tournament: str) -> bool:
        try:
            await self._visit(tournament)
        except StoreError as error:
            self._seen.pop(tournament, None)  # so that the next sweep comes back
            log.warning("tournament_postponed", tournament=tournament, reason=str(error))
            return False
        return True

    async def run(self) -> NoReturn:
        """Sweep and keep the minutes, for ever."""
        async with Crew() as visits:
            visits.start(self._keep_minutes(visits))
            visits.start(self._keep_sweeping(visits))
            await visits.stay()

    async def _keep_sweeping(self, visits: Crew) -> NoReturn:
        while True:
            await self._sweep(visits)
            await asyncio.sleep(self._sweep_s)

    async def _sweep(self, visits: Crew) -> None:
        """Start a visit to each tournament whose log has grown since it was last looked at."""
        for partition in range(self._store.partitions):
            try:
                heads = await self._store.heads(partition)
                self._note_parked(partition, await self._parking.parked(partition))
            except (StoreError, ValueError) as error:  # ValueError: an index that a foreign hand wrote
                log.warning("sweep_failed", partition=partition, reason=str(error))
                continue
            parked = self._parked[partition]
            for tournament, version in heads.items():
                if not is_tournament(tournament):
                    continue  # a foreign hand wrote the index
                held = parked.get(tournament)
                looked_at = self._seen.get(tournament), self._reached.get(tournament)
                if held is None and version not in looked_at:
                    self._send(visits, tournament, version)
                elif held is not None and (held.version, held.engine) != (version, self._worker.engine):
                    self._send(visits, tournament, version, again=True)

    async def _keep_minutes(self, visits: Crew) -> NoReturn:
        while True:
            now = self._clock()
            for tournament in [name for name, due in self._dues.items() if due <= now]:
                del self._dues[tournament]
                self._send(visits, tournament)
            self._due_noted.clear()
            wait_s = min((due - now) / 1000 for due in self._dues.values()) if self._dues else None
            with suppress(TimeoutError):
                async with asyncio.timeout(None if wait_s is None else min(wait_s, NAP_S_MAX)):
                    await self._due_noted.wait()

    def _send(
        self, visits: Crew, tournament: str, version: int | None = None, *, again: bool = False
    ) -> None:
        if tournament not in self._sent:  # who is there looks at the latest entries before leaving
            self._sent.add(tournament)
            visits.start(self._go(tournament, version, again=again))

    async def _go(self, tournament: str, version: int | None, *, again: bool) -> None:
        try:
            if await self.visit(tournament, again=again) and version is not None:
                self._seen[tournament] = version
        finally:
            self._sent.discard(tournament)

    async def _visit(self, tournament: str) -> None:
        before = self._reached.pop(tournament, None)
        try:
            due = await self._worker.catch_up(tournament)
        except OUTSIDE:
            raise
        except Exception as error:  # noqa: BLE001 - the door that parks: whatever it is, the others go on
            await self._park(tournament, error)
            return
        self._reached[tournament] = reached = self._worker.reached(tournament)
        if before is not None:
            self._pace.count(max(0, reached - before))
        if self._is_parked(tournament):
            await self._parking.release(tournament)
            self._parked_near(tournament).pop(tournament)
            log.info("tournament_released", tournament=tournament)
        if due is None:
            self._dues.pop(tournament, None)
        else:
            self._dues[tournament] = due
            self._due_noted.set()

    async def _park(self, tournament: str, error: Exception) -> None:
        partition = partition_of(tournament, self._store.partitions)
        parked = Parked(
            version=(await self._store.heads(partition)).get(tournament, 0),
            engine=self._worker.engine,
            reason=f"{type(error).__name__}: {error}"[:REASON_LENGTH_MAX],
            at=instant(self._clock()),
        )
        self._parked_near(tournament)[tournament] = parked
        await self._parking.park(tournament, parked)
        trace = {"trace": error.trace} if isinstance(error, WorkFailed) and error.trace else {}
        known = isinstance(error, WorkFailed | StoreError)
        log.error(
            "tournament_parked",
            tournament=tournament,
            version=parked.version,
            reason=parked.reason,
            exc_info=None if known else error,
            **trace,
        )

    def _note_parked(self, partition: int, parked: dict[str, Parked]) -> None:
        for released in self._parked.get(partition, {}).keys() - parked.keys():
            self._seen.pop(released, None)
        self._parked[partition] = parked

    def _is_parked(self, tournament: str) -> bool:
        return tournament in self._parked_near(tournament)

    def _parked_near(self, tournament: str) -> dict[str, Parked]:
        return self._parked.setdefault(partition_of(tournament, self._store.partitions), {})


def is_tournament(name: str) -> bool:
    """Return whether `name` can be the id of a tournament."""
    try:
        check_tournament(name)
    except BadName:
        return False
    return True
