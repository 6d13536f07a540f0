"""No operator, one, two: what each leaves alone. On a control plane of its own, whose audit log
nobody else writes to. The tests stand in the order of one story."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cluster.live_objects import WRITES, Audit, Object, Place, kstatus, new_place, until
from controlplane import ControlPlane
from installation import OperatorProcess, install
from installation.install import NAMESPACE, SERVICE_ACCOUNT

REST_SECONDS = 20.0
QUIET_SECONDS = 3.0
SETTLE_SECONDS = 60.0
TAKEOVER_SECONDS = 17.0
"""A Lease lasts 10 s and may be seen 2.4 s late; the rest is for a busy machine."""
ROUTERS = [f"r{number}" for number in range(5)]
SCALED = {"autoscaling": {"enabled": True}, "resources": {"requests": {"cpu": "1000m"}}}


class Scene(NamedTuple):
    """A control plane, a namespace in it, and operators that can be started."""

    plane: ControlPlane
    place: Place

    def operator(self, name: str, **environment: str) -> OperatorProcess:
        """One with that identity and a token of its own, which hasn't been started."""
        theirs = self.plane.kubeconfig_for_service_account(NAMESPACE, SERVICE_ACCOUNT)
        kubeconfig = theirs.rename(self.plane.directory / f"{name}.kubeconfig")
        log = self.plane.directory / f"{name}.log"
        return OperatorProcess(kubeconfig, log, environment={"POD_NAME": name, **environment})

    def lease(self) -> str:
        """Who leads."""
        path = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"
        found = self.place.kube.ask("GET", path)["items"]
        return found[0]["spec"].get("holderIdentity") or "" if found else ""


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    directory = tmp_path_factory.mktemp("operators")
    log = directory / "audit.log"
    with ControlPlane.start(directory, audit_log=log) as plane:
        install(plane)
        with new_place(plane, "story") as place:
            place.service("model")
            yield Scene(plane, place)


@pytest.fixture(scope="module")
def first(scene: Scene) -> Iterator[OperatorProcess]:
    operator = scene.operator("first", RELIST_SECONDS="36000", RESYNC_SECONDS="5")
    yield operator
    operator.stop()


def test_a_router_made_while_no_operator_runs_is_in_progress(
    scene: Scene, kstatus_binary: Path
) -> None:
    place = scene.place
    for name in ROUTERS:
        place.router(name, **SCALED)
    router = place.the("sr", ROUTERS[0])
    assert router["status"] == {"observedGeneration": -1}
    assert kstatus(kstatus_binary, [router]) == ["InProgress"]


def test_an_operator_that_starts_makes_them_ready(scene: Scene, first: OperatorProcess) -> None:
    first.start()
    assert scene.lease() in {"", "first"}
    for name in ROUTERS:
        scene.place.ready(name)
    assert scene.lease() == "first"


def test_at_rest_nothing_is_written_and_nothing_read(scene: Scene, first: OperatorProcess) -> None:
    """With a resync of each router every 5 s: a pass with nothing to do costs no request."""
    until(lambda: _asked(scene, QUIET_SECONDS) == [], seconds=SETTLE_SECONDS)
    passes = _passes(first)
    assert _asked(scene, REST_SECONDS) == []
    assert _passes(first) - passes >= 3 * len(ROUTERS)


def _asked(scene: Scene, seconds: float) -> list[str]:
    """What the operator asks for within the seconds, the Lease and watches apart."""
    audit = Audit.of(scene.plane)
    time.sleep(seconds)
    return [
        f"{event['verb']} {event['requestURI']}"
        for event in audit.requests()
        if event["verb"] != "watch" and "/leases/" not in event["requestURI"]
    ]


def _passes(operator: OperatorProcess) -> float:
    _, text = operator.get("/metrics")
    name = 'semantic_router_operator_reconcile_duration_seconds_count{result="success"} '
    return next(float(line.removeprefix(name)) for line in text.splitlines() if name in line)


def test_a_standby_writes_nothing_and_takes_over_when_the_leader_is_killed(
    scene: Scene, first: OperatorProcess
) -> None:
    place = scene.place
    (leader,) = _tokens(Audit(scene.plane.directory / "audit.log", 0))
    with scene.operator("second") as second:
        audit = Audit.of(scene.plane)
        place.edit("r0", podAnnotations={"example.com/edit": "1"})
        place.ready("r0")
        status, text = second.get("/metrics")
        assert (status, second.get("/readyz")[0]) == (200, 200)
        assert "semantic_router_operator_leader 0.0" in text
        assert _tokens(audit, WRITES) == {leader}
        first.stop(signal.SIGKILL)
        place.edit("r0", podAnnotations={"example.com/edit": "2"})
        until(lambda: _template(place, "r0") == "2", seconds=TAKEOVER_SECONDS)
        assert scene.lease() == "second"
        assert len(_tokens(audit, WRITES)) == 2
        assert "semantic_router_operator_leader 1.0" in second.get("/metrics")[1]
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert scene.lease() == ""


def test_a_lease_that_was_given_back_is_taken_at_once(scene: Scene) -> None:
    began = time.monotonic()
    with scene.operator("third"):
        scene.place.edit("r1", podAnnotations={"example.com/edit": "3"})
        until(lambda: _template(scene.place, "r1") == "3", seconds=10)
    assert time.monotonic() - began < 15


def test_a_router_is_deleted_and_cleaned_up_while_no_operator_runs(scene: Scene) -> None:
    place = scene.place
    for name in ROUTERS:
        assert "finalizers" not in place.the("sr", name)["metadata"]
        place.delete("sr", name)
    until(lambda: not place.all("sr"))
    until(lambda: not _owned(place), seconds=40)


def test_a_change_made_while_no_operator_ran_is_made_good(scene: Scene) -> None:
    place = scene.place
    with scene.operator("fourth"):
        place.router("r")
        place.ready("r")
    place.merge("service", "r", {"spec": {"type": "NodePort"}})
    place.edit("r", replicas=2)
    place.delete("configmap", "r-config")
    with scene.operator("fifth"):
        until(lambda: place.get("configmap", "r-config"))
        place.ready("r")
        assert place.the("service", "r")["spec"]["type"] == "ClusterIP"
        assert place.the("deployment", "r")["status"]["availableReplicas"] == 2


def _tokens(audit: Audit, verbs: frozenset[str] = frozenset()) -> set[str]:
    """Ids of the operators' tokens with which somebody did this, the Lease apart."""
    return {
        event["user"]["extra"]["authentication.kubernetes.io/credential-id"][0]
        for event in audit.requests()
        if (not verbs or event["verb"] in verbs) and "/leases" not in event["requestURI"]
    }


def _owned(place: Place) -> list[Object]:
    """What routers own."""
    kinds = ("deployment", "hpa", "configmap", "service", "serviceaccount")
    found = (item for kind in kinds for item in place.all(kind))
    return [
        item
        for item in found
        if any(o["kind"] == "SemanticRouter" for o in item["metadata"].get("ownerReferences", ()))
    ]


def _template(place: Place, name: str) -> object:
    metadata = place.the("deployment", name)["spec"]["template"]["metadata"]
    return metadata["annotations"].get("example.com/edit")
