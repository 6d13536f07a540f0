"""Field case KO-06: other operators on kopf can't freeze us, and two of ours that both write, since
election was switched off by mistake, come to rest. On a control plane of its own."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster.live_objects import Audit, Object, Place, by_label, new_place, until
from controlplane import ControlPlane
from installation import NAMESPACE, SERVICE_ACCOUNT, OperatorProcess, install

DATA = Path(__file__).parent / "data"
PEERINGS = "/apis/kopf.dev/v1/clusterkopfpeerings"
PRIORITY = 1000
ROUTERS = [f"r{number}" for number in range(5)]
EDITS = 3
CHANGES = 1 + 2 * EDITS
"""Of a router: it is made, edited, and more backends come."""
QUIET_SECONDS = 3.0


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    directory = tmp_path_factory.mktemp("peering")
    with ControlPlane.start(directory, audit_log=directory / "audit.log") as found:
        install(found)
        yield found


@contextmanager
def foreign_operator(plane: ControlPlane, place: Place, log: Path) -> Iterator[Object]:
    """Somebody's operator over all namespaces, with every right and a high priority; what it says
    of itself in the peering."""
    plane.kubectl("apply", "--server-side", "-f", str(DATA / "peerings.yaml"))
    crds = ("crd/clusterkopfpeerings.kopf.dev", "crd/kopfpeerings.kopf.dev")
    plane.kubectl("wait", "--for=condition=Established", *crds)
    peering = {"apiVersion": "kopf.dev/v1", "kind": "ClusterKopfPeering"}
    place.kube.ask("POST", PEERINGS, {**peering, "metadata": {"name": "default"}})
    path = f"/apis/kopf.dev/v1/namespaces/{place.namespace}/kopfpeerings"
    place.kube.ask(
        "POST", path, {**peering, "kind": "KopfPeering", "metadata": {"name": "default"}}
    )
    arguments = ("run", "--all-namespaces", "--peering=default", f"--priority={PRIORITY}")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "kopf", *arguments, str(DATA / "foreign_operator.py")],
            env={"KUBECONFIG": str(plane.kubeconfig), "PYTHONWARNINGS": "ignore"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        yield until(lambda: peers(place), seconds=40)
    finally:
        process.kill()
        process.wait()


def peers(place: Place) -> Object:
    """Who is in the peering `default`, by identity."""
    found: Object = place.kube.ask("GET", f"{PEERINGS}/default").get("status") or {}
    return found


def test_ko_06_an_operator_of_somebody_else_with_a_higher_priority_freezes_nothing(
    plane: ControlPlane, tmp_path: Path
) -> None:
    """Ours runs with every right, so that only its own will keeps it out of the peering."""
    with (
        new_place(plane, "peered") as place,
        foreign_operator(plane, place, tmp_path / "foreign.log") as before,
        OperatorProcess(plane.kubeconfig, tmp_path / "ours.log"),
    ):
        assert [peer["priority"] for peer in before.values()] == [PRIORITY]
        place.service("model")
        place.router("r")
        place.ready("r")
        for number in range(3):
            place.edit("r", podAnnotations={"example.com/edit": str(number)})
            place.ready("r")
        after = peers(place)
        assert after.keys() == before.keys()
        assert "paus" not in (tmp_path / "ours.log").read_text().lower()


def test_ko_06_two_that_both_write_by_mistake_come_to_rest(
    plane: ControlPlane, tmp_path: Path
) -> None:
    with new_place(plane, "alone") as place, _unelected(plane, tmp_path, "only"):
        alone = _life(plane, place)
    with (
        new_place(plane, "doubled") as place,
        _unelected(plane, tmp_path, "one"),
        _unelected(plane, tmp_path, "two"),
    ):
        doubled = _life(plane, place)
        told = Counter(
            (event["regarding"]["name"], event["reason"])
            for event in place.all("event")
            if event["regarding"]["kind"] == "SemanticRouter"
        )
    assert len(doubled) <= 4 * len(alone), "what two write when each takes the other's for a slip"
    assert max(told.values()) <= 2 * CHANGES, "each of them tells each change at most once"
    assert {"NameConflict", "UnexpectedError"} & {reason for _, reason in told} == set()


def _unelected(plane: ControlPlane, folder: Path, name: str) -> OperatorProcess:
    theirs = plane.kubeconfig_for_service_account(NAMESPACE, SERVICE_ACCOUNT)
    environment = {"POD_NAME": name, "LEADER_ELECTION": "false"}
    kubeconfig = theirs.rename(folder / f"{name}.kubeconfig")
    return OperatorProcess(kubeconfig, folder / f"{name}.log", environment=environment)


def _life(plane: ControlPlane, place: Place) -> list[str]:
    """Routers are made and edited, backends come; all writes until nothing is written any more."""
    audit = Audit.of(plane)
    place.service("model", app="model")
    for name in ROUTERS:
        place.router(name, vllmEndpoints=[by_label("model")])
    for name in ROUTERS:
        place.ready(name)
    for number in range(EDITS):
        for name in ROUTERS:
            place.edit(name, podAnnotations={"example.com/edit": str(number)})
        place.service(f"other-{number}", app="model")
    for name in ROUTERS:
        place.ready(name)

    def still() -> bool:
        before = len(audit.writes(namespace=place.namespace))
        time.sleep(QUIET_SECONDS)
        return len(audit.writes(namespace=place.namespace)) == before

    until(still, seconds=60)
    for name in ROUTERS:
        backends = place.ready(name)["status"]["backends"]
        assert len(backends) == 1
        text = "".join(place.the("configmap", f"{name}-config")["data"].values())
        assert all(f"other-{number}." in text for number in range(EDITS))
    return audit.writes(namespace=place.namespace)
