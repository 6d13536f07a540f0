"""WATCH_NAMESPACES with rights in these namespaces only: Roles, no ClusterRole."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from cluster.live_objects import Kube, Object, Place, new_place, until
from controlplane import ControlPlane
from installation import OperatorProcess, install

RBAC = Path(__file__).parents[2] / "manifests" / "rbac"
ACCOUNT = "roles-only"


@dataclass
class Scene:
    """A control plane and one namespace in which the operator has rights."""

    plane: ControlPlane
    place: Place
    operator: OperatorProcess


def roles(kube: Kube, namespace: str) -> None:
    """The ServiceAccount and, as Roles, what the manifests grant; CRDs are cluster-scoped."""
    rules: list[Object] = []
    for name in ("cluster_role", "leader_election_role"):
        rules += yaml.safe_load((RBAC / f"{name}.yaml").read_text())["rules"]
    rules = [rule for rule in rules if rule["resources"] != ["customresourcedefinitions"]]
    metadata = {"name": ACCOUNT}
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    kube.ask("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts", {"metadata": metadata})
    kube.ask("POST", f"{rbac}/roles", {"metadata": metadata, "rules": rules})
    binding = {
        "metadata": metadata,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": ACCOUNT},
        "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": namespace}],
    }
    kube.ask("POST", f"{rbac}/rolebindings", binding)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    directory = tmp_path_factory.mktemp("namespaced")
    with ControlPlane.start(directory) as plane:
        install(plane)
        with new_place(plane, "ours") as place:
            ours = place.namespace
            roles(place.kube, ours)
            kubeconfig = plane.kubeconfig_for_service_account(ours, ACCOUNT)
            environment = {"WATCH_NAMESPACES": ours, "POD_NAMESPACE": ours}
            log = directory / "operator.log"
            with OperatorProcess(kubeconfig, log, environment=environment) as operator:
                yield Scene(plane, place, operator)


def test_a_router_gets_ready_and_follows_its_backend(scene: Scene) -> None:
    place = scene.place
    place.router("r")
    until(lambda: _reason(place) == "BackendsUnresolved")
    place.service("model")
    place.ready("r")
    place.delete("service", "model")
    until(lambda: _reason(place) == "BackendsUnresolved")


def test_nothing_is_asked_again_and_again_that_is_refused(scene: Scene) -> None:
    """Only the CustomResourceDefinitions, with pauses that grow."""
    _, text = scene.operator.get("/metrics")
    counted = "semantic_router_operator_api_requests_total{"
    refused = [
        line for line in text.splitlines() if line.startswith(counted) and 'code="403"' in line
    ]
    assert all('resource="customresourcedefinitions"' in line for line in refused)
    assert sum(float(line.rsplit(" ", 1)[1]) for line in refused) < 10


def test_ko_07_a_namespace_without_rights_does_not_keep_the_operator_from_the_others(
    scene: Scene, tmp_path: Path
) -> None:
    with new_place(scene.plane, "also") as place, new_place(scene.plane, "theirs") as other:
        also, theirs = place.namespace, other.namespace
        roles(place.kube, also)
        kubeconfig = scene.plane.kubeconfig_for_service_account(also, ACCOUNT)
        environment = {"WATCH_NAMESPACES": f"{also},{theirs}", "POD_NAMESPACE": also}
        log = tmp_path / "operator.log"
        with OperatorProcess(kubeconfig, log, environment=environment):
            place.service("model")
            place.router("r")
            place.ready("r")
        assert f"{theirs}: no right to list semanticrouters" in log.read_text()


def _reason(place: Place) -> str:
    found = (place.the("sr", "r").get("status") or {}).get("conditions") or ()
    return next((item["reason"] for item in found if item["type"] == "BackendsResolved"), "")
