"""What discovery leaves behind in the cluster: the router's own objects and its status."""

from collections.abc import Iterator

import pytest

from cluster.live_api import LiveApi, crds, within
from cluster.live_kinds import CRDS, KINDS
from cluster.live_objects import WRITES, Audit, Kube, Object
from cluster.live_routers import FINALIZER, ROUTER, Live, service
from controlplane import ControlPlane

OWN = frozenset(
    (
        "configmaps",
        "controllerrevisions",
        "deployments",
        "horizontalpodautoscalers",
        "routes",
        "serviceaccounts",
        "services",
    )
)
"""Kinds that are made for a router."""
TOLD = "patch pods"
"""The kubelet is told of a changed ConfigMap (docs/adr/0016)."""


@pytest.fixture(scope="module", autouse=True)
def kserve(kube: Kube) -> Iterator[None]:
    with crds(LiveApi(kube), *CRDS):
        yield


def live_through_everything(here: Live) -> None:
    """Every kind of backend comes, is there, and goes."""
    for kind in KINDS:
        here.route(kind.endpoint(), name=ROUTER)
        kind.make(here, here.namespace)
        here.resolved("b", kind.target(here.namespace))
        kind.delete(here)
        here.unresolved("b", kind.absent)


def reference(event: Object) -> Object:
    found: Object = event.get("objectRef") or {}
    return found


def written(event: Object) -> tuple[str, str]:
    """(`verb resource/subresource`, name)."""
    about = event["objectRef"]
    what = "/".join(filter(None, (about["resource"], about.get("subresource"))))
    return f"{event['verb']} {what}", about.get("name", "")


def test_only_objects_of_the_router_and_its_status_are_written(
    here: Live, control_plane: ControlPlane
) -> None:
    audit = Audit.of(control_plane)
    live_through_everything(here)
    here.settled()
    seen = set()
    for event in audit.requests():
        about = event.get("objectRef") or {}
        if event["verb"] in WRITES and about.get("namespace") == here.namespace:
            what, name = written(event)
            seen.add(what)
            if what == "create events":
                continue
            assert name == ROUTER or name.startswith(f"{ROUTER}-"), what
            verb, _, resource = what.partition(" ")
            assert resource in OWN or what in {"patch semanticrouters/status", TOLD}, what
            assert verb in {"create", "patch", "delete"}, what
    assert {"patch semanticrouters/status", "patch configmaps", "create events"} <= seen


def test_in_the_whole_session_nothing_else_was_ever_written(
    here: Live, control_plane: ControlPlane
) -> None:
    live_through_everything(here)
    audit = Audit.of(control_plane)
    audit.offset = 0
    said = {written(event)[0] for event in audit.requests() if is_write(event)}
    said.discard("patch semanticrouters")  # the Go operator's finalizer, in test_live_adoption
    resources = {what.split()[1] for what in said}
    assert {"configmaps", "deployments", "leases", "semanticrouters/status"} <= resources
    assert resources <= OWN | {"semanticrouters/status", "events", "leases", "pods"}
    assert {what for what in said if what.endswith(" pods")} <= {TOLD}


def is_write(event: Object) -> bool:
    return event["verb"] in WRITES and "objectRef" in event


def test_what_people_wrote_on_the_router_and_on_its_backend_stays_to_the_last_byte(
    here: Live,
) -> None:
    theirs = {
        "annotations": {"example.com/note": "mine", "kopf.zalando.org/last": "another operator's"},
        "labels": {"team": "inference"},
        "finalizers": [FINALIZER],
    }
    kind = KINDS[0]
    here.apply(service("m", metadata=theirs))
    here.route(kind.endpoint(), metadata=theirs)
    here.resolved("b", kind.target(here.namespace))
    here.settled()
    here.assert_nothing_foreign_was_touched()
    router = here.api.get("SemanticRouter", here.namespace, ROUTER)
    assert router is not None
    metadata = router["metadata"]
    assert {key: metadata[key] for key in theirs} == theirs
    assert metadata["generation"] == 1
    assert router["status"]["observedGeneration"] == 1
    for mine in (("SemanticRouter", ROUTER), kind.main):
        here.patch(*mine, {"metadata": {"finalizers": None}})


def test_no_object_of_the_namespace_has_a_word_of_kopf(here: Live) -> None:
    live_through_everything(here)
    kinds = ("SemanticRouter", "Service", "EndpointSlice", "InferenceService", "ConfigMap")
    for kind in (*kinds, "Deployment", "LLMInferenceService"):
        for found in here.api.all(kind, here.namespace):
            assert "kopf" not in str(found["metadata"]), (kind, found["metadata"]["name"])
            own = found["metadata"].get("labels", {}).get("app.kubernetes.io/managed-by")
            assert own or not found["metadata"].get("ownerReferences"), kind
            assert not found["metadata"].get("finalizers"), kind


def test_a_change_of_a_backend_costs_one_write_of_each_object_that_differs_and_one_read(
    here: Live, control_plane: ControlPlane
) -> None:
    kind = KINDS[1]
    kind.make(here, here.namespace)
    here.route(kind.endpoint())
    here.resolved("b", kind.target(here.namespace))
    here.settled()
    audit = Audit.of(control_plane)
    kind.delete(here)
    here.unresolved("b", kind.absent)
    status = "patch semanticrouters/status"

    def asked() -> list[str]:
        """An answer is in the log some time after whoever asked has it."""
        events = audit.requests()
        here_alone = (
            event for event in events if reference(event).get("namespace") == here.namespace
        )
        found = (written(event)[0] for event in here_alone)
        return sorted(what for what in found if what != "create events")

    # the read: no cache is trusted on whether there is a revision of that name
    wanted = ["get controllerrevisions", "patch configmaps", "patch controllerrevisions", TOLD]
    within(lambda: {*wanted, status} <= set(asked()), "the audit log to follow", seconds=10)
    rest = asked()
    # a second one where the pods' last word on an earlier change comes in between
    assert rest.count(status) <= 2
    assert [what for what in rest if what != status] == wanted
