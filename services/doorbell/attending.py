"""A service behind the feeds, whatever it does: its doorbells, its desk and what it sets aside, wired together."""

from typing import NoReturn

import structlog

from services.doorbell.crew import Crew
from services.doorbell.desk import Desk, Worker
from services.doorbell.doorbells import Doorbells
from services.doorbell.parking import RedisParking
from services.process import say_ready
from services.settings import Settings
from services.store import RedisStore

log = structlog.get_logger(__name__)


async def attend(
    settings: Settings, store: RedisStore, worker: Worker, parking: RedisParking, ready_fd: int | None
) -> NoReturn:
    """Send `worker` wherever the store's feeds ring, for ever; `parking` says for which service."""
    desk = Desk(store, worker, parking, sweep_s=settings.sweep_s)
    doorbells = Doorbells(
        settings.store_url,
        store.partitions,
        desk.visit,
        group=parking.service,
        claim_idle_ms=settings.claim_idle_ms,
    )
    async with Crew() as tasks:
        tasks.start(desk.run())
        tasks.start(doorbells.run())
        say_ready(ready_fd)
        log.info(
            "worker_ready",
            service=parking.service,
            address=store.address,
            partitions=store.partitions,
            engine=worker.engine,
        )
        await tasks.stay()
