"""Prometheus metrics of the operator, on a registry of their own.

Gauges over routers are summed up at scrape time from the last published status of each router,
so that a deleted router leaves nothing behind and no router name becomes a label.
"""

import platform
from collections import Counter as Tally
from collections.abc import Iterable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from typing_extensions import override

from semantic_router_operator import __version__

_PREFIX = "semantic_router_operator"
_PASS_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Telemetry:
    """Every metric that the operator exports; the only place where one is defined."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._reconcile = Histogram(
            f"{_PREFIX}_reconcile_duration_seconds",
            "Duration of a pass over one router, by result (success, waiting, error).",
            ("result",),
            buckets=_PASS_BUCKETS,
            registry=self.registry,
        )
        self._queue_wait = Histogram(
            f"{_PREFIX}_queue_wait_seconds",
            "Time that a router waited in the work queue.",
            buckets=_PASS_BUCKETS,
            registry=self.registry,
        )
        self.queue_depth = Gauge(
            f"{_PREFIX}_queue_depth",
            "Routers that wait in the work queue.",
            registry=self.registry,
        )
        self.tasks = Gauge(
            f"{_PREFIX}_asyncio_tasks",
            "Tasks of the event loop; grows without an end only when something leaks.",
            registry=self.registry,
        )
        self._requests = Counter(
            f"{_PREFIX}_api_requests",
            "Requests to the API server, by verb, resource and status code (0: no answer).",
            ("verb", "resource", "code"),
            registry=self.registry,
        )
        self._request_seconds = Histogram(
            f"{_PREFIX}_api_request_duration_seconds",
            "Duration of requests to the API server, watches apart.",
            ("verb",),
            registry=self.registry,
        )
        self.leader = Gauge(
            f"{_PREFIX}_leader", "1 while this replica writes, else 0.", registry=self.registry
        )
        Gauge(
            f"{_PREFIX}_build_info",
            "1, labelled with the versions of the operator and of Python.",
            ("version", "python"),
            registry=self.registry,
        ).labels(__version__, platform.python_version()).set(1)
        self._routers = _RouterCollector()
        self.registry.register(self._routers)

    def passed(self, result: str, seconds: float) -> None:
        """A pass has ended."""
        self._reconcile.labels(result).observe(seconds)

    def waited(self, seconds: float) -> None:
        """A router has left the queue."""
        self._queue_wait.observe(seconds)

    def requested(self, verb: str, resource: str, code: int, seconds: float) -> None:
        """A request to the API server has ended; `code` 0 means no answer."""
        self._requests.labels(verb, resource, str(code)).inc()
        if verb != "WATCH":
            self._request_seconds.labels(verb).observe(seconds)

    def published(self, key: object, status: Mapping[str, Any]) -> None:
        """The status of a router is now this."""
        self._routers.statuses[key] = (
            tuple((item["type"], item["status"]) for item in status.get("conditions", ())),
            tuple(item["state"] for item in status.get("backends", ())),
        )

    def forgotten(self, key: object) -> None:
        """The router is gone."""
        self._routers.statuses.pop(key, None)


class _RouterCollector(Collector):
    """Sums over routers: conditions by type and status, backends by state."""

    def __init__(self) -> None:
        self.statuses: dict[object, tuple[tuple[tuple[str, str], ...], tuple[str, ...]]] = {}

    @override
    def collect(self) -> Iterable[GaugeMetricFamily]:
        """The gauges, as they are now."""
        conditions: Tally[tuple[str, str]] = Tally()
        backends: Tally[str] = Tally()
        for found, states in self.statuses.values():
            conditions.update(found)
            backends.update(states)
        routers = GaugeMetricFamily(f"{_PREFIX}_routers", "Routers that the operator looks after.")
        routers.add_metric((), len(self.statuses))
        by_condition = GaugeMetricFamily(
            f"{_PREFIX}_router_conditions",
            "Routers by condition type and status.",
            labels=("type", "status"),
        )
        for labels, count in sorted(conditions.items()):
            by_condition.add_metric(labels, count)
        by_state = GaugeMetricFamily(
            f"{_PREFIX}_backends", "Backends of all routers by state.", labels=("state",)
        )
        for state, count in sorted(backends.items()):
            by_state.add_metric((state,), count)
        return (routers, by_condition, by_state)
