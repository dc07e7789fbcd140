"""A service behind the feeds, whatever it does: its doorbells and its desk at work together."""

from typing import NoReturn

import structlog

from services.doorbell.crew import Crew
from services.doorbell.desk import Desk
from services.doorbell.doorbells import Doorbells
from services.process import say_ready
from services.settings import Settings
from services.store import RedisStore

log = structlog.get_logger(__name__)


async def attend(
    settings: Settings, store: RedisStore, desk: Desk, service: str, ready_fd: int | None
) -> NoReturn:
    """Go wherever the feeds of `store` ring, for ever; `service` is the group that hears them."""
    doorbells = Doorbells(
        settings.store_url,
        store.partitions,
        desk.visit,
        group=service,
        claim_idle_ms=settings.claim_idle_ms,
    )
    async with Crew() as tasks:
        tasks.start(desk.run())
        tasks.start(doorbells.run())
        say_ready(ready_fd)
        log.info(
            "worker_ready",
            service=service,
            address=store.address,
            partitions=store.partitions,
            engine=desk.engine,
        )
        await tasks.stay()
