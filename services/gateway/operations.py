"""Health and metrics: whether the gateway can do its work, and how far the services behind the feeds are.

Without a token, readiness says yes or no. How far the services are moves before a publication does, so that it is
only told to tokens with the scope `operate`, as are the metrics.
"""

from collections.abc import Sequence

import structlog
from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response

from services.gateway.answers import SAFE, AnyRequest, json_answer
from services.gateway.metrics import CONTENT_TYPE, Metrics
from services.gateway.observation import PartitionSeen, look, refusal
from services.gateway.problems import Problem
from services.gateway.tokens import OPERATE, Tokens
from services.store.connection import Connection
from services.store.errors import StoreError, StoreRefused

BEHIND_S = 10.0  # age of a doorbell that nobody answered, from which on a service counts as behind

log = structlog.get_logger(__name__)


class Operations:
    """Looks at the store's server on behalf of operators."""

    def __init__(
        self, connection: Connection, partitions: int, durability: str, tokens: Tokens, metrics: Metrics
    ) -> None:
        self._connection = connection  # one without patience: a look that waits is no look
        self._partitions = partitions
        self._durability = durability
        self._tokens = tokens
        self._metrics = metrics

    async def ready(self, request: AnyRequest) -> Response[bytes]:
        """Answer 200 when the store answers, else 503. One that takes no writes is still good for views."""
        detailed = request.headers.get("authorization") is not None
        if detailed:
            self._check(request)
        try:
            await self._connection.command("(server)", "PING")
            seen = await look(self._connection, self._partitions) if detailed else []
            refuses = await refusal(self._connection) if detailed else ""
        except StoreError as error:
            log.warning("not_ready", reason=str(error))
            store = "refuses" if isinstance(error, StoreRefused) else "unreachable"
            return json_answer({"status": "not ready", "store": store}, 503)
        if not detailed:
            return json_answer({"status": "ready"})
        return json_answer(
            {
                "status": "ready",
                "store": f"takes no writes: {refuses}" if refuses else "reachable",
                "durability": self._durability,
                "behind": [seen_of for partition in seen for seen_of in _behind(partition)],
                "partitions": seen,
            }
        )

    async def metrics(self, request: AnyRequest) -> Response[bytes]:
        """Answer all metrics in Prometheus' text format."""
        self._check(request)
        try:
            seen = await look(self._connection, self._partitions)
            writable = not await refusal(self._connection)
        except StoreError as error:
            log.warning("not_ready", reason=str(error))
            seen, writable = None, False
        return Response(
            self._metrics.text(seen, writable=writable),
            media_type=CONTENT_TYPE,
            headers={**SAFE, "Content-Type": CONTENT_TYPE, "Cache-Control": "no-store"},
        )

    def _check(self, request: AnyRequest) -> None:
        token = self._tokens.token(request.headers.get("authorization"))
        if OPERATE not in token.scopes:
            raise Problem("not-authorised", "the token does not extend to operating the service")


def operation_routes(operations: Operations) -> Sequence[HTTPRouteHandler]:
    """Return the routes of operators."""

    @get("/health/live")
    async def live() -> Response[bytes]:
        return json_answer({"status": "live"})

    @get("/health/ready")
    async def ready(request: AnyRequest) -> Response[bytes]:
        return await operations.ready(request)

    @get("/metrics")
    async def metrics(request: AnyRequest) -> Response[bytes]:
        return await operations.metrics(request)

    return live, ready, metrics


def _behind(partition: PartitionSeen) -> list[str]:
    late = [
        f"{service} on partition {partition.partition}: {group.oldest_s:.0f} s"
        for service, group in partition.groups.items()
        if group.oldest_s > BEHIND_S
    ]
    parked = [
        f"{service} on partition {partition.partition}: {count} tournament(s) set aside"
        for service, count in partition.parked.items()
        if count
    ]
    return late + parked
