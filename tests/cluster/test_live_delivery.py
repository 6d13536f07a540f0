"""A changed ConfigMap is brought into the pods at once: each is touched, none is replaced."""

import pytest

from cluster.live_objects import Audit, Object, Place, by_service, until
from controlplane import ControlPlane
from semantic_router_operator import names

TOUCHED = names.ANNOTATION_CONFIG_VERSION


def pods(place: Place) -> dict[str, str | None]:
    """Each pod's uid, and with which version of the ConfigMap it was touched."""
    found = place.all("pod", "app.kubernetes.io/instance=r")
    annotations = ((pod["metadata"], pod["metadata"].get("annotations") or {}) for pod in found)
    return {metadata["uid"]: own.get(TOUCHED) for metadata, own in annotations}


def version(place: Place) -> str:
    return str(place.the("configmap", "r-config")["metadata"]["resourceVersion"])


@pytest.fixture
def running(place: Place) -> dict[str, str | None]:
    """Two pods of the router r, which nobody has touched."""
    place.service("model")
    place.router("r", replicas=2)
    place.ready("r")
    return pods(place)


def test_every_pod_is_touched_once_when_the_document_changes(
    place: Place, control_plane: ControlPlane, running: dict[str, str | None]
) -> None:
    assert set(running.values()) == {None}
    audit = Audit.of(control_plane)
    place.edit("r", vllmEndpoints=[by_service("model", weight=7)])
    until(lambda: None not in pods(place).values())
    assert pods(place) == dict.fromkeys(running, version(place))
    place.ready("r")
    writes = audit.writes(namespace=place.namespace)
    assert len([one for one in writes if one.startswith("patch pods ")]) == 2


def test_pods_that_are_replaced_anyway_are_left_alone(
    place: Place, control_plane: ControlPlane, running: dict[str, str | None]
) -> None:
    """A document that comes with new pods may need what only they have."""
    audit = Audit.of(control_plane)
    env = [{"name": "NEW", "value": "1"}]
    place.edit("r", vllmEndpoints=[by_service("model", weight=7)], env=env)
    until(lambda: not set(running) & set(pods(place)))
    writes = audit.writes(namespace=place.namespace)
    assert [one for one in writes if one.startswith("patch pods ")] == []


def test_a_pod_of_somebody_else_is_not_touched(
    place: Place, running: dict[str, str | None]
) -> None:
    labels = place.all("pod", "app.kubernetes.io/instance=r")[0]["metadata"]["labels"]
    spec: Object = {"containers": [{"name": "c", "image": "example.com/c"}]}
    foreign = place.create("pod", "foreign", metadata={"labels": without_hash(labels)}, spec=spec)
    place.edit("r", vllmEndpoints=[by_service("model", weight=7)])
    ours = set(running)
    until(lambda: all(pods(place).get(uid) for uid in ours))
    assert pods(place)[foreign["metadata"]["uid"]] is None


def without_hash(labels: dict[str, str]) -> dict[str, str]:
    """With it, the ReplicaSet would take the pod for its own."""
    return {name: value for name, value in labels.items() if name != "pod-template-hash"}
