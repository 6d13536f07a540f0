"""The history of accepted documents on a real API server (docs/adr/0012-revisions.md)."""

import time

from cluster.live_objects import Audit, Object, Place, by_service, until
from controlplane import ControlPlane

WEIGHTED = [by_service("model", weight=2)]
QUIET_SECONDS = 1.0
SETTLE_SECONDS = 30.0
LOOK_SECONDS = 3.0


def recorded(place: Place) -> list[tuple[int, str]]:
    """(number, name) of every revision, the oldest first."""
    found = place.all("controllerrevision", "app.kubernetes.io/instance=r")
    return sorted((item["revision"], item["metadata"]["name"]) for item in found)


def config(place: Place) -> Object:
    """status.config of the router."""
    found: Object = place.the("sr", "r")["status"]["config"]
    return found


def asked(audit: Audit, place: Place) -> list[str]:
    """What the operator has asked about the namespace, watches apart."""
    return [
        f"{event['verb']} {event['requestURI']}"
        for event in audit.requests()
        if event["verb"] != "watch"
        and (event.get("objectRef") or {}).get("namespace") == place.namespace
    ]


def at_rest(plane: ControlPlane, place: Place) -> bool:
    """Whether it asks nothing for a while: what the last change brought is done with."""
    audit = Audit.of(plane)
    time.sleep(QUIET_SECONDS)
    return not asked(audit, place)


def test_each_accepted_document_is_a_revision_and_an_earlier_one_gets_the_highest_number(
    place: Place,
) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    ((one, first),) = recorded(place)
    assert one == 1
    text = place.the("configmap", "r-config")["data"]["config.yaml"]
    assert place.the("controllerrevision", first)["data"]["config.yaml"] == text
    place.edit("r", vllmEndpoints=WEIGHTED)
    until(lambda: len(recorded(place)) == 2)
    until(lambda: config(place).get("lastGoodRevision") == 2)
    place.edit("r", vllmEndpoints=[by_service("model")])
    until(lambda: (3, first) in recorded(place))
    assert len(recorded(place)) == 2
    until(lambda: config(place).get("revision") == 3)


def test_a_refused_document_is_no_revision(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    before = recorded(place)
    decision = {
        "name": "d",
        "rules": {"operator": "AND", "conditions": []},
        "modelRefs": [{"model": "unknown"}],
    }
    place.edit("r", config={"routing": {"decisions": [decision]}})
    place.condition("r", "ConfigAccepted", "False")
    assert recorded(place) == before
    assert config(place)["revision"] == 1


def test_only_so_many_revisions_are_kept(place: Place) -> None:
    place.service("model")
    place.router("r", revisionHistoryLimit=2)
    place.ready("r")
    for weight in (2, 3, 4):
        place.edit("r", vllmEndpoints=[by_service("model", weight=weight)])
        until(lambda wanted=weight: config(place).get("revision") == wanted)  # type: ignore[misc]
    until(lambda: [number for number, _ in recorded(place)] == [3, 4])


def test_a_suspended_router_is_left_as_it_is_until_it_goes_on(place: Place) -> None:
    place.service("model")
    place.router("r", replicas=1)
    place.ready("r")
    place.edit("r", suspend=True, replicas=2)
    place.condition("r", "Ready", "False", reason="Suspended")
    assert place.the("deployment", "r")["spec"]["replicas"] == 1
    place.edit("r", suspend=False)
    place.ready("r")
    assert place.the("deployment", "r")["spec"]["replicas"] == 2


def test_a_refused_router_costs_no_request_at_rest_and_its_document_is_still_guarded(
    place: Place, control_plane: ControlPlane
) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    text = place.the("configmap", "r-config")["data"]["config.yaml"]
    place.edit("r", defaultModel="unknown")
    place.condition("r", "ConfigAccepted", "False")
    until(lambda: at_rest(control_plane, place), seconds=SETTLE_SECONDS)
    audit = Audit.of(control_plane)
    for count in range(3):
        place.merge("service", "model", {"metadata": {"annotations": {"vllm.ai/port": str(count)}}})
        time.sleep(LOOK_SECONDS / 3)  # a pass each, which finds nothing to do
    assert asked(audit, place) == []
    place.merge("configmap", "r-config", {"data": {"config.yaml": "edited: true\n"}})
    until(lambda: place.the("configmap", "r-config")["data"]["config.yaml"] == text)
