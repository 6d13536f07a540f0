"""What the cluster doesn't serve, the operator may not see, or the API server can't answer.

On a control plane of its own: it has none of the kinds at first, and the operator comes and goes.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import pytest

from cluster.live_api import LiveApi, within
from cluster.live_kinds import (
    CRDS,
    INFERENCE_SERVICE,
    LLM_INFERENCE_SERVICE,
    SERVICE,
    SLICE,
    LiveKind,
    kserve_status,
)
from cluster.live_objects import Kube, Object
from cluster.live_routers import DEADLINE_SECONDS, Backend, Live, live, said
from controlplane import ControlPlane
from installation import OperatorProcess, install

CRD_OF = dict(zip(("InferenceService", "LLMInferenceService"), CRDS, strict=True))
GATEWAYS = "gateways.gateway.networking.k8s.io"
KEPT = "the last known targets are kept"
AWAY_SECONDS = 30.0
"""The operator asks less and less often while nobody answers."""

Run = Callable[..., AbstractContextManager[OperatorProcess]]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    with ControlPlane.start(tmp_path_factory.mktemp("outside"), with_kwok=False) as plane:
        yield plane


@pytest.fixture(scope="module")
def bare_kube(plane: ControlPlane) -> Iterator[Kube]:
    kube = Kube(plane)
    yield kube
    kube.close()


@pytest.fixture(scope="module")
def run(plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`with run(SETTING="value")`: the operator, one at a time."""
    kubeconfig = install(plane)
    log = tmp_path_factory.mktemp("operators") / "operator.log"
    return lambda **settings: OperatorProcess(kubeconfig, log, environment=settings)


@pytest.fixture
def there(bare_kube: Kube) -> Iterator[Live]:
    with live(bare_kube) as found:
        yield found


@pytest.mark.parametrize(
    "kind", [INFERENCE_SERVICE, LLM_INFERENCE_SERVICE], ids=lambda kind: kind.id
)
def test_ks_06_a_kind_that_is_installed_later_is_picked_up_without_a_restart(
    there: Live, run: Run, kind: LiveKind
) -> None:
    with run():
        there.route(kind.endpoint())
        there.unresolved("b", "KindNotInstalled", f"doesn't serve kind {kind.main[0]}; install it")
        assert there.refs("m") == []
        generation = there.deployment_generation()
        there.api.install_crd(CRD_OF[kind.main[0]])
        kind.make(there, there.namespace)
        there.resolved("b", kind.target(there.namespace))
        assert there.refs("m") == kind.refs(there.namespace)
        kind.delete(there)
        there.unresolved("b", "NotFound")
        there.api.remove_crd(CRD_OF[kind.main[0]])
        there.unresolved("b", "KindNotInstalled")
        there.api.install_crd(CRD_OF[kind.main[0]])
        there.unresolved("b", "NotFound")
        assert there.deployment_generation() == generation
        there.api.remove_crd(CRD_OF[kind.main[0]])


def test_a_kind_that_moves_to_another_version_is_never_taken_for_gone(
    there: Live, run: Run
) -> None:
    """As an upgrade of KServe does: the old version is no longer served, the objects stay."""
    kind, name = LLM_INFERENCE_SERVICE, CRD_OF["LLMInferenceService"]
    there.api.install_crd(name)
    crd = there.api.get("CustomResourceDefinition", "", name)
    assert crd is not None
    (old,) = crd["spec"]["versions"]
    with run():
        kind.make(there, there.namespace)
        there.route(kind.endpoint())
        there.resolved("b", kind.target(there.namespace))
        there.forget(*kind.main)
        versions = [{**old, "served": False}, {**old, "name": "v1alpha2", "storage": False}]
        there.api.patch("CustomResourceDefinition", "", name, {"spec": {"versions": versions}})
        path = f"/apis/serving.kserve.io/v1alpha2/namespaces/{there.namespace}"
        path = f"{path}/llminferenceservices/m"
        within(lambda: there.api.serves(path), "the new version", seconds=AWAY_SECONDS)
        unready = kserve_status(kind.target(there.namespace), ready="False")
        kube = there.api.kube
        kube.ask("PATCH", f"{path}/status", unready, "application/merge-patch+json")
        there.until(
            lambda found: found["reason"] == "NotReady", "b", "b NotReady", seconds=AWAY_SECONDS
        )
        within(lambda: told(there, "NotReady"), "an Event", seconds=DEADLINE_SECONDS)
        assert not told(there, "KindNotInstalled")
        assert not told(there, "NotFound")
    there.api.remove_crd(name)


def told(there: Live, reason: str) -> list[str]:
    """Notes of the Events so far in which the reason stands."""
    events = there.api.all("Event", there.namespace)
    return [event["note"] for event in events if reason in event["note"]]


def gateway(name: str) -> Object:
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": {"name": name},
        "spec": {"gatewayClassName": "any"},
    }


def test_a_gateway_whose_kind_is_installed_later_lets_the_document_through(
    there: Live, run: Run
) -> None:
    ref = {"name": "g", "namespace": there.namespace}
    with run():
        there.route(gateway={"existingRef": ref})
        there.condition("ConfigAccepted", "False", "KindNotInstalled")
        assert there.document() is None
        there.api.install_crd(GATEWAYS)
        there.condition("ConfigAccepted", "False", "GatewayNotFound")
        there.apply(gateway("g"))
        there.condition("ConfigAccepted", "True", "Accepted")
        before = there.document()
        assert before is not None
        there.delete("Gateway", "g")
        there.condition("ConfigAccepted", "False", "GatewayNotFound")
        assert there.document() == before
        there.api.remove_crd(GATEWAYS)
        there.condition("ConfigAccepted", "False", "KindNotInstalled")
        assert there.document() == before


def test_ko_07_a_namespace_that_is_not_watched_keeps_the_last_known_target(
    there: Live, run: Run
) -> None:
    other = there.other()
    SERVICE.make(there, other)
    with run():
        there.route(SERVICE.endpoint(other))
        there.resolved("b", SERVICE.target(other))
        before, generation = there.document(), there.deployment_generation()
    with run(WATCH_NAMESPACES=there.namespace):
        found = there.unresolved("b", "Forbidden", f"Service {other}/m")
        assert "WATCH_NAMESPACES" in said(found)
        assert_kept(there, found, SERVICE.target(other))
        assert there.document() == before
    with run():
        there.resolved("b", SERVICE.target(other))
        assert there.document() == before
        assert there.deployment_generation() == generation


def assert_kept(there: Live, found: Backend, target: str) -> None:
    assert KEPT in said(found)
    assert [item["url"] for item in found["targets"]] == [target]
    assert len(there.refs("m")) == 1


def test_a_namespace_that_was_never_seen_has_no_last_known_target(there: Live, run: Run) -> None:
    other = there.other()
    SLICE.make(there, other)
    with run(WATCH_NAMESPACES=there.namespace):
        there.route(SLICE.endpoint(other))
        found = there.unresolved("b", "Forbidden")
        assert KEPT not in said(found)
        assert there.refs("m") == []


def test_cross_namespace_backends_that_are_switched_off_are_refused(there: Live, run: Run) -> None:
    other = there.other()
    SERVICE.make(there, other)
    with run(ALLOW_CROSS_NAMESPACE_BACKENDS="false"):
        there.route(SERVICE.endpoint(other))
        there.unresolved("b", "Invalid", "backends of other namespaces switched off")
        assert there.refs("m") == []
        SERVICE.make(there, there.namespace)
        there.route(SERVICE.endpoint())
        there.resolved("b", SERVICE.target(there.namespace))


@pytest.fixture
def without_slices(bare_kube: Kube) -> Iterator[Callable[[], None]]:
    """Takes the right to see EndpointSlices from the operator's own role, until the test ends."""
    api, name = LiveApi(bare_kube), "semantic-router-operator-manager"
    role = api.get("ClusterRole", "", name)
    assert role is not None
    rest = [rule for rule in role["rules"] if rule["resources"] != ["endpointslices"]]
    assert len(rest) == len(role["rules"]) - 1

    def take() -> None:
        api.patch("ClusterRole", "", name, {"rules": rest})

    yield take
    api.patch("ClusterRole", "", name, {"rules": role["rules"]})


def test_a_right_that_is_missing_keeps_the_last_known_target(
    there: Live, run: Run, without_slices: Callable[[], None]
) -> None:
    SLICE.make(there, there.namespace)
    with run():
        there.route(SLICE.endpoint())
        there.resolved("b", SLICE.target(there.namespace))
        before = there.document()
    without_slices()
    with run():
        found = there.unresolved("b", "Forbidden", "EndpointSlice")
        assert_kept(there, found, SLICE.target(there.namespace))
        assert there.document() == before


def test_a_kind_that_the_api_server_fails_to_list_keeps_the_last_known_target(
    there: Live, run: Run
) -> None:
    """A conversion webhook that is away, as KServe's may be: LIST answers 500."""
    name = CRD_OF["InferenceService"]
    there.api.install_crd(name)
    crd = there.api.get("CustomResourceDefinition", "", name)
    assert crd is not None
    (version,) = crd["spec"]["versions"]
    versions = [{**version, "storage": False}, {**version, "name": "v1"}]
    there.api.patch("CustomResourceDefinition", "", name, {"spec": {"versions": versions}})
    INFERENCE_SERVICE.make(there, there.namespace)
    target = INFERENCE_SERVICE.target(there.namespace)
    with run():
        there.route(INFERENCE_SERVICE.endpoint())
        there.resolved("b", target)
        before, generation = there.document(), there.deployment_generation()
        convert(there, "Webhook")
        SERVICE.make(there, there.namespace)
    with run():
        found = there.unresolved("b", "Unreachable", "did not say whether there is")
        assert_kept(there, found, target)
        assert there.document() == before
        convert(there, "None")
        there.until(
            lambda found: found["state"] == "Resolved", "b", "b again", seconds=AWAY_SECONDS
        )
        assert there.document() == before
        assert there.deployment_generation() == generation
    there.api.remove_crd(name)


def convert(there: Live, strategy: str) -> None:
    """How versions of InferenceService become each other: not at all, or by a dead webhook."""
    webhook = {
        "clientConfig": {"url": "https://127.0.0.1:1/convert"},
        "conversionReviewVersions": ["v1"],
    }
    conversion = {"strategy": strategy, "webhook": webhook if strategy == "Webhook" else None}
    name = CRD_OF["InferenceService"]
    there.api.patch("CustomResourceDefinition", "", name, {"spec": {"conversion": conversion}})


def test_an_api_server_that_was_away_moves_nothing_and_is_followed_again(
    there: Live, run: Run, plane: ControlPlane
) -> None:
    SERVICE.make(there, there.namespace)
    with run() as process:
        there.route(SERVICE.endpoint())
        found = there.resolved("b", SERVICE.target(there.namespace))
        before = there.document()
        plane.stop_program("kube-apiserver")
        plane.start_program("kube-apiserver")
        assert there.document() == before
        assert there.backend("b") == found
        SERVICE.delete(there)
        there.until(
            lambda found: found["reason"] == "NotFound", "b", "b gone", seconds=AWAY_SECONDS
        )
        within(lambda: told(there, "NotFound"), "an Event", seconds=DEADLINE_SECONDS)
        assert not told(there, "Forbidden")
        within(lambda: process.get("/readyz")[0] == 200, "readyz", seconds=DEADLINE_SECONDS)
