"""What the gateway counts and times, and what it reads off the store's server for whoever scrapes it."""

from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from services.gateway.observation import PartitionSeen

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

disable_created_metrics()  # type: ignore[no-untyped-call] # ships no types; twice the lines, for nothing that anybody asked

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """The gateway's own figures; one instance a process."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._commands = Histogram(
            "tirage_command_seconds",
            "Time to answer a command, by its type and what came of it.",
            ("type", "outcome"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._appends = Histogram(
            "tirage_append_seconds",
            "Time of one append to a log, until the store's answer.",
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._views = Counter(
            "tirage_view_requests_total",
            "Answers to requests for views and pages, by status.",
            ("view", "status"),
            registry=self._registry,
        )
        self.note_append_s = self._appends.observe

    def note_command(self, kind: str, outcome: str, took_s: float) -> None:
        """Count a command: `outcome` is done, duplicate, rehearsed, refused or failed."""
        self._commands.labels(kind, outcome).observe(took_s)

    def note_view(self, view: str, status: int) -> None:
        """Count an answer to a request for a view."""
        self._views.labels(view, str(status)).inc()

    def text(self, seen: list[PartitionSeen] | None, *, writable: bool) -> bytes:
        """Return everything in Prometheus' text format; `seen` is None when the store does not answer."""
        return generate_latest(self._registry) + generate_latest(_of_store(seen, writable=writable))


def _of_store(seen: list[PartitionSeen] | None, *, writable: bool) -> CollectorRegistry:
    registry = CollectorRegistry()

    def gauge(name: str, words: str, *labels: str) -> Gauge:
        return Gauge(name, words, labels, registry=registry)

    gauge("tirage_store_up", "Whether the store answers.").set(seen is not None)
    gauge("tirage_store_takes_writes", "Whether the store has room for what is new, as far as it tells.").set(
        writable
    )
    of_group: Any = ("service", "partition")
    lag = gauge("tirage_feed_lag", "Doorbells that a service has not been given yet.", *of_group)
    pending = gauge("tirage_feed_pending", "Doorbells given to a service and not answered yet.", *of_group)
    oldest = gauge(
        "tirage_feed_oldest_pending_seconds", "Age of the oldest doorbell of both kinds.", *of_group
    )
    parked = gauge("tirage_parked_tournaments", "Tournaments that a service has set aside.", *of_group)
    for partition in seen or ():
        for service, group in partition.groups.items():
            where = (service, str(partition.partition))
            lag.labels(*where).set(group.lag)
            pending.labels(*where).set(group.pending)
            oldest.labels(*where).set(group.oldest_s)
        for service, count in partition.parked.items():
            parked.labels(service, str(partition.partition)).set(count)
    return registry
