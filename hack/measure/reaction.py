"""Seconds from a change in the cluster to the router's status that tells of it.

    python -m measure.reaction [--rounds 20] [--idle 20]

One router for each kind of reference, beside idle ones. The clock starts when the API server has
answered the change and stops when a watch sees the status; nothing touches the CR.
"""

import argparse
import json
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from controlplane import locate
from measure.figures import quantile
from measure.stage import NAMESPACE, Stage, by_service, router, say, service, stage

LIMIT_SECONDS = 2.0
GIVE_UP_SECONDS = 30.0


@dataclass
class Watcher:
    """The newest status.backends of each router, by a watch of our own."""

    here: Stage
    seen: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def start(self) -> None:
        """Begins to watch, in the background."""
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        command = [
            locate().path("kubectl"),
            "get",
            "sr",
            "-n",
            NAMESPACE,
            "--watch",
            "-o",
            r'jsonpath={.metadata.name}{" "}{.status.backends}{"\n"}',
            "--kubeconfig",
            str(self.here.plane.kubeconfig),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None  # noqa: S101 - PIPE
            for line in process.stdout:
                name, _, backends = line.partition(" ")
                with self.changed:
                    self.seen[name] = json.loads(backends) if backends.strip() else []
                    self.changed.notify_all()

    def until(self, name: str, check: Callable[[dict[str, Any]], bool]) -> float:
        """Waits until the router's first backend is as `check` wants; the seconds."""
        began = time.monotonic()
        with self.changed:
            arrived = self.changed.wait_for(
                lambda: bool(self.seen.get(name)) and check(self.seen[name][0]), GIVE_UP_SECONDS
            )
        if not arrived:
            message = f"{name}: no reaction within {GIVE_UP_SECONDS:.0f} s: {self.seen.get(name)}"
            raise SystemExit(message)
        return time.monotonic() - began


def main() -> int:
    """Prints p50 and p99 by kind of change; exit code 1 when p99 is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--idle", type=int, default=20, help="idle routers beside")
    options = parser.parse_args()
    with stage() as here:
        _populate(here, options.idle)
        watcher = Watcher(here)
        watcher.start()
        here.wait("routers", lambda: here.ready() >= options.idle + 3)
        times: dict[str, list[float]] = {}
        for number in range(options.rounds):
            say(f"round {number + 1} of {options.rounds}")
            _round(here, watcher, times)
    return _report(times)


def _populate(here: Stage, idle: int) -> None:
    objects = [service("one"), service("two", {"model": "two"}), service("three"), _slice(1)]
    objects += [
        router("by-service", [by_service("one")]),
        router("by-selector", [_endpoint("two", "serviceSelector", _two_selected())]),
        router("by-slice", [_endpoint("three", "endpointslice", _three_slices())]),
    ]
    for number in range(idle):
        objects += [service(f"idle{number}"), router(f"i{number}", [by_service(f"idle{number}")])]
    here.apply(objects)


def _endpoint(name: str, kind: str, backend: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "model": name, "backend": {"type": kind, **backend}}


def _two_selected() -> dict[str, Any]:
    return {"serviceSelector": {"matchLabels": {"model": "two"}}}


def _three_slices() -> dict[str, Any]:
    return {"endpointSlice": {"serviceName": "three"}}


def _slice(count: int) -> dict[str, Any]:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": "three-by-hand",
            "namespace": NAMESPACE,
            "labels": {"kubernetes.io/service-name": "three"},
        },
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": 8000, "protocol": "TCP"}],
        "endpoints": [
            {"addresses": [f"10.20.0.{number + 1}"], "conditions": {"ready": True}}
            for number in range(count)
        ],
    }


def _round(here: Stage, watcher: Watcher, times: dict[str, list[float]]) -> None:
    """Each change once, and back; the clock starts when the API server has answered."""

    def measure(what: str, name: str, check: Callable[[dict[str, Any]], bool]) -> None:
        times.setdefault(what, []).append(watcher.until(name, check))

    api = here.plane.api
    services = f"/api/v1/namespaces/{NAMESPACE}/services"
    api.delete(f"{services}/one")
    measure("Service deleted", "by-service", lambda b: b["reason"] == "NotFound")
    api.create(services, service("one"))
    measure("Service created again", "by-service", lambda b: b["state"] == "Resolved")
    api.merge(f"{services}/two", {"metadata": {"labels": {"model": None}}})
    measure("label lost", "by-selector", lambda b: b["reason"] == "NoMatch")
    api.merge(f"{services}/two", {"metadata": {"labels": {"model": "two"}}})
    measure("label back", "by-selector", lambda b: b["state"] == "Resolved")
    slices = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices/three-by-hand"
    for what, count in (("EndpointSlice grown", 3), ("EndpointSlice shrunk", 1)):
        api.merge(slices, {"endpoints": _slice(count)["endpoints"]})
        measure(what, "by-slice", lambda b, wanted=count: len(b["targets"]) == wanted)  # type: ignore[misc]


def _report(times: dict[str, list[float]]) -> int:
    everything = sorted(second for found in times.values() for second in found)
    print(f"{'change':28} {'n':>4} {'p50 ms':>8} {'p99 ms':>8} {'max ms':>8}")
    for what, found in [*times.items(), ("all", everything)]:
        row = sorted(found)
        print(
            f"{what:28} {len(row):4} {quantile(row, 0.5) * 1000:8.0f} "
            f"{quantile(row, 0.99) * 1000:8.0f} {row[-1] * 1000:8.0f}"
        )
    return 0 if quantile(everything, 0.99) <= LIMIT_SECONDS else 1


if __name__ == "__main__":
    raise SystemExit(main())
