"""The status of a live router: what kubectl, kstatus and the scale subresource make of it."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from cluster.live_objects import (
    Kube,
    Object,
    Place,
    by_label,
    by_service,
    conditions,
    kstatus,
    new_place,
    until,
)
from controlplane import ControlPlane
from installation import OperatorProcess

BAD_ROUTING = {"routing": {"decisions": [{"name": "d", "modelRefs": [{"model": "nobody"}]}]}}
CONDITIONS = [
    "Ready",
    "ConfigAccepted",
    "BackendsResolved",
    "ResourcesApplied",
    "Available",
    "Progressing",
    "Degraded",
    "Stalled",
    "Reconciling",
]


@dataclass
class Recorder:
    """Every version of the routers of a namespace, as a watch sees them."""

    kube: Kube
    path: str
    seen: list[Object] = field(default_factory=list)
    _stop: bool = False

    def watch(self) -> None:
        """Until `stop`."""
        connection = self.kube.connect()
        connection.request("GET", f"{self.path}?watch=1", headers={"Accept": "application/json"})
        response = connection.getresponse()
        while not self._stop:
            event = json.loads(response.readline())
            if event["object"]["metadata"]["name"] == "last":
                break
            self.seen.append(event["object"])
        connection.close()


@contextmanager
def recorded(place: Place) -> Iterator[Recorder]:
    """Records for as long as the block lasts."""
    recorder = Recorder(place.kube, place.path("sr"))
    thread = threading.Thread(target=recorder.watch, daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        place.router("last")
        thread.join(timeout=10)
    assert not thread.is_alive()


def test_a_router_that_no_operator_has_seen_is_in_progress(
    installed: Path, control_plane: ControlPlane, kstatus_binary: Path
) -> None:
    with new_place(control_plane, "unwatched") as place:
        identity = {"apiVersion": "vllm.ai/v1alpha1", "kind": "SemanticRouter"}
        body = {**identity, "metadata": {"name": "r"}}
        path = place.path("sr") + "?dryRun=All"
        created = place.kube.ask("POST", path, body)
    assert created["status"] == {"observedGeneration": -1}
    assert kstatus(kstatus_binary, [created]) == ["InProgress"]


def test_kstatus_reads_every_version_of_a_life_as_it_is(place: Place, kstatus_binary: Path) -> None:
    with recorded(place) as recorder:
        points = _life(place)
    expected = [verdict for verdict, _ in points]
    assert kstatus(kstatus_binary, [router for _, router in points]) == expected
    verdicts = kstatus(kstatus_binary, recorder.seen)
    assert len(recorder.seen) > 10
    assert set(verdicts) == {"InProgress", "Current", "Failed", "Terminating"}
    for router, verdict in zip(recorder.seen, verdicts, strict=True):
        found = conditions(router)
        current = found.get("Ready", {}).get("status") == "True"
        gone = "deletionTimestamp" in router["metadata"]
        assert (verdict == "Current") == (current and not gone), found
        if found:
            true = {kind for kind, item in found.items() if item["status"] == "True"}
            assert len(true & {"Ready", "Reconciling", "Stalled"}) == 1
            assert sorted(found) == sorted(CONDITIONS)


def _life(place: Place) -> list[tuple[str, Object]]:
    """(what kstatus should say, the router) of each point of a life, all observed."""
    points = []

    def point(verdict: str, router: Object) -> None:
        points.append((verdict, router))

    routing = {"decisions": [{"name": "d", "modelRefs": [{"model": "model-model"}]}]}
    created = place.router("r", vllmEndpoints=[by_label("model")], config={"routing": routing})
    point("InProgress", created)
    place.condition("r", "Ready", "False", reason="WaitingForBackends")
    point("InProgress", place.the("sr", "r"))
    place.service("model", app="model")
    point("Current", place.ready("r"))
    point("InProgress", place.edit("r", podAnnotations={"example.com/a": "1"}))
    point("Current", place.ready("r"))
    point("InProgress", place.edit("r", config=BAD_ROUTING))
    place.condition("r", "Stalled", "True", reason="InvalidConfig")
    point("Failed", place.the("sr", "r"))
    point("InProgress", place.edit("r", config={"routing": {"decisions": None}}))
    point("Current", place.ready("r"))
    place.edit("r", nodeSelector={"no": "node"})
    place.condition("r", "Reconciling", "True", reason="Unschedulable")
    point("InProgress", place.the("sr", "r"))
    place.edit("r", nodeSelector=None, replicas=0)
    point("Current", place.ready("r"))
    place.merge("sr", "r", {"metadata": {"finalizers": ["example.com/hold"]}})
    place.delete("sr", "r")
    point("Terminating", place.the("sr", "r"))
    place.merge("sr", "r", {"metadata": {"finalizers": None}})
    return points


def test_kubectl_scale_changes_the_replicas_and_the_pods_follow(
    place: Place, kubectl: Callable[..., str]
) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    kubectl("scale", "sr/r", "-n", place.namespace, "--replicas=3")
    router = place.ready("r")
    assert router["spec"]["replicas"] == 3
    assert router["status"]["readyReplicas"] == 3
    assert place.the("deployment", "r")["status"]["availableReplicas"] == 3
    scale = place.kube.ask("GET", place.path("sr", "r", "scale"))
    assert scale["status"]["replicas"] == 3
    assert len(place.all("pod", scale["status"]["selector"])) == 3


def test_an_explicit_null_is_as_good_as_nothing(place: Place, kubectl: Callable[..., str]) -> None:
    place.service("model")
    nulls = dict.fromkeys(
        ("env", "args", "openshift", "affinity", "autoscaling", "config", "gateway", "hardware")
    )
    endpoint = {**by_service("model"), "connection": None, "loras": None, "weight": 1}
    spec = {**nulls, "vllmEndpoints": [endpoint], "serviceAccount": {"name": None}}
    body = {"apiVersion": "vllm.ai/v1alpha1", "kind": "SemanticRouter"}
    text = json.dumps({**body, "metadata": {"name": "r"}, "spec": spec})
    kubectl("apply", "-n", place.namespace, "-f", "-", input=text)
    place.ready("r")


def test_the_status_is_small_ordered_and_keeps_its_transition_times(place: Place) -> None:
    for number in range(20):
        place.service(f"model-{number}")
    endpoints = [by_service(f"model-{number}") for number in range(20)]
    place.router("r", vllmEndpoints=endpoints)
    first = place.ready("r")["status"]
    order = [item["type"] for item in first["conditions"]]
    assert sorted(order) == sorted(CONDITIONS)
    assert order[0] == "Ready"
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+", item["reason"]) for item in first["conditions"])
    assert len(json.dumps(first)) < 8192
    time.sleep(1.1)  # a transition time has whole seconds
    place.edit("r", vllmEndpoints=endpoints[:19])
    until(lambda: len(place.the("sr", "r")["status"]["backends"]) == 19)
    second = place.ready("r")["status"]
    assert [item["type"] for item in second["conditions"]] == order
    for kind in ("ConfigAccepted", "BackendsResolved", "Available"):
        assert _since(second, kind) == _since(first, kind)


def _since(status: Object, kind: str) -> str:
    return next(str(c["lastTransitionTime"]) for c in status["conditions"] if c["type"] == kind)


def test_the_metrics_and_probes_tell_of_the_work(place: Place, operator: OperatorProcess) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    status, text = operator.get("/metrics")
    assert status == 200
    for pattern in (
        r'reconcile_duration_seconds_count\{result="success"\} [1-9]',
        r"queue_wait_seconds_count [1-9]",
        r"queue_depth \d",
        r'router_conditions\{status="True",type="Ready"\} [1-9]',
        r'backends\{state="Resolved"\} [1-9]',
        r'api_requests_total\{code="200",resource="[a-z]+",verb="PATCH"\} [1-9]',
        r"build_info\{[^}]*version=",
        r"leader 1",
        r"routers [1-9]",
    ):
        names = re.findall(r"^\S+", text, re.MULTILINE)
        assert re.search(f"^semantic_router_operator_{pattern}", text, re.MULTILINE), names
    assert operator.get("/healthz")[0] == 200
    assert operator.get("/readyz")[0] == 200
