"""The life of a backend, told once for each kind that is looked up, on a real API server.

Nobody touches the router meanwhile, and `here` makes sure in the end that the operator has left no
mark on it or on what it refers to.
"""

from collections.abc import Iterator

import pytest

from cluster.live_api import LiveApi, crds
from cluster.live_kinds import CRDS, KINDS, LiveKind
from cluster.live_objects import Kube
from cluster.live_routers import FINALIZER, Live

KEY = {"auth": {"secretKeyRef": {"name": "key", "key": "token"}}}


@pytest.fixture(scope="module", autouse=True)
def kserve(kube: Kube) -> Iterator[None]:
    with crds(LiveApi(kube), *CRDS):
        yield


@pytest.fixture(params=KINDS, ids=lambda kind: kind.id)
def kind(request: pytest.FixtureRequest) -> LiveKind:
    found: LiveKind = request.param
    return found


def kept(kind: LiveKind, namespace: str) -> list[object]:
    """What the document has of the model while nothing serves it."""
    return [*kind.refs(namespace)] if kind.keeps else []


def test_a_backend_that_is_there_from_the_start_is_written_exactly(
    here: Live, kind: LiveKind
) -> None:
    kind.make(here, here.namespace)
    here.route(kind.endpoint())
    found = here.resolved("b", kind.target(here.namespace))
    assert (found["model"], found["type"], found["reason"]) == (
        "m",
        kind.backend["type"],
        "Resolved",
    )
    assert here.refs("m") == kind.refs(here.namespace)
    assert [ref["name"] for ref in here.refs("anchor")] == ["anchor"]


def test_a_backend_that_comes_late_is_picked_up_and_no_pod_is_rolled(
    here: Live, kind: LiveKind
) -> None:
    here.route(kind.endpoint())
    here.unresolved("b", "NotFound" if kind.absent == "NoReadyEndpoints" else kind.absent)
    assert here.refs("m") == kept(kind, here.namespace)
    generation = here.deployment_generation()
    kind.make(here, here.namespace)
    here.resolved("b", kind.target(here.namespace))
    assert here.refs("m") == kind.refs(here.namespace)
    assert here.deployment_generation() == generation


def test_a_backend_that_is_deleted_is_reported_and_returns_under_a_new_uid(
    here: Live, kind: LiveKind
) -> None:
    kind.make(here, here.namespace)
    here.route(kind.endpoint())
    here.resolved("b", kind.target(here.namespace))
    generation, uid = here.deployment_generation(), here.uid(*kind.main)
    kind.delete(here)
    here.unresolved("b", kind.absent)
    assert here.refs("m") == kept(kind, here.namespace)
    kind.make(here, here.namespace)
    here.resolved("b", kind.target(here.namespace))
    assert here.refs("m") == kind.refs(here.namespace)
    assert here.uid(*kind.main) != uid
    assert here.deployment_generation() == generation


def test_a_backend_that_is_being_deleted_serves_no_longer(here: Live, kind: LiveKind) -> None:
    kind.make(here, here.namespace)
    here.route(kind.endpoint())
    here.resolved("b", kind.target(here.namespace))
    kind.hold(here)
    kind.delete(here)
    here.unresolved("b", kind.deleting)
    assert here.refs("m") == kept(kind, here.namespace)
    leaving = here.api.get(kind.main[0], here.namespace, kind.main[1])
    assert leaving is not None
    assert leaving["metadata"]["finalizers"] == [FINALIZER]
    kind.release(here)
    here.unresolved("b", kind.absent)
    kind.make(here, here.namespace)
    here.resolved("b", kind.target(here.namespace))


def test_a_backend_of_another_namespace_is_followed_there(here: Live, kind: LiveKind) -> None:
    other = here.other()
    kind.make(here, here.namespace)
    here.route(kind.endpoint(other))
    here.unresolved("b", "NotFound" if kind.absent == "NoReadyEndpoints" else kind.absent)
    kind.make(here, other)
    here.resolved("b", kind.target(other))
    assert here.refs("m") == kind.refs(other)
    kind.delete(here, other)
    here.unresolved("b", kind.absent)


def test_a_credential_is_sent_to_no_other_namespace(here: Live, kind: LiveKind) -> None:
    other = here.other()
    kind.make(here, other)
    kind.make(here, here.namespace)
    here.route(kind.endpoint(other, connection=KEY))
    why = "a backend with a credential must be in the router's own namespace"
    here.unresolved("b", "Invalid", why)
    assert here.refs("m") == []
    here.route(kind.endpoint(connection=KEY))
    here.resolved("b", kind.target(here.namespace))
    (ref,) = here.refs("m")
    variable = ref.pop("api_key_env")
    assert [ref] == kind.refs(here.namespace)
    pod = here.pod_template()["spec"]["containers"][0]
    (env,) = [item for item in pod["env"] if item["name"] == variable]
    assert env["valueFrom"]["secretKeyRef"] == {"name": "key", "key": "token"}
