"""Edits of a running router: a bad one changes nothing that runs; each change is told once."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.live_objects import Object, Place, by_label, by_service, container, until
from controlplane import KubectlError
from installation import OperatorProcess

CANARY = "canary-7f3a9c"
ROUTING = {"decisions": [{"name": "d", "modelRefs": [{"model": "model-model"}]}]}


def test_a_bad_edit_keeps_what_runs_and_the_fix_clears_it(place: Place) -> None:
    place.service("model")
    place.router("r", config={"routing": ROUTING})
    place.ready("r")
    before = _running(place)
    bad = {"decisions": [{"name": "d", "modelRefs": [{"model": "nobody"}]}]}
    place.edit("r", config={"routing": bad})
    found = place.condition("r", "ConfigAccepted", "False", reason="InvalidConfig")
    path = "spec.config.routing.decisions[0].modelRefs[0].model"
    assert found["message"].startswith(path)
    router = place.the("sr", "r")
    assert router["status"]["observedGeneration"] == router["metadata"]["generation"] == 2
    conditions = place.conditions("r")
    assert conditions["Ready"]["status"] == "False"
    assert conditions["Available"]["status"] == "True"
    assert conditions["Degraded"]["status"] == "True"
    assert router["status"]["phase"] == "Degraded"
    assert _running(place) == before
    place.edit("r", config={"routing": {**ROUTING, "strategy": "confidence"}})
    place.ready("r")
    assert place.conditions("r")["ConfigAccepted"]["status"] == "True"
    assert _running(place) != before


def test_an_edit_that_cannot_be_read_keeps_what_runs(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    before = _running(place)
    backend = {"type": "endpoint", "endpoint": ["not", "an", "address"]}
    entry = {"name": "model", "model": "model-model", "backend": backend}
    place.edit("r", vllmEndpoints=[entry])
    found = place.condition("r", "Ready", "False", reason="InvalidSpec")
    assert found["message"].startswith("spec.vllmEndpoints[0].backend.endpoint")
    assert _running(place) == before
    assert place.the("sr", "r")["status"]["readyReplicas"] == 1


def test_a_refused_part_holds_back_that_part_alone(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    template = place.the("deployment", "r")["spec"]
    place.edit("r", args=["-gateway=extproc"], vllmEndpoints=[by_service("model", model="new")])
    place.condition("r", "ResourcesApplied", "False", reason="ObjectRejected")
    assert place.the("deployment", "r")["spec"] == template
    until(lambda: '"new"' in place.the("configmap", "r-config")["data"]["config.yaml"])
    place.edit("r", args=None)
    place.ready("r")


def _running(place: Place) -> tuple[str, Object]:
    """The live document, and what the Deployment is asked for."""
    text = place.the("configmap", "r-config")["data"]["config.yaml"]
    return text, place.the("deployment", "r")["spec"]


def test_without_any_backend_there_is_no_deployment_until_one_comes(place: Place) -> None:
    place.router("r", vllmEndpoints=[by_label("model")], config={"routing": ROUTING})
    found = place.condition("r", "ConfigAccepted", "False", reason="WaitingForBackends")
    assert found["message"].startswith("spec.")
    assert place.condition("r", "Stalled", "False")
    assert place.get("deployment", "r") is None
    assert place.get("configmap", "r-config") is None
    place.service("model", app="model")
    place.ready("r")
    assert place.get("deployment", "r") is not None


def test_each_change_is_an_event_once_whatever_wakes_the_router(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    bad = {"decisions": [{"name": "d", "modelRefs": [{"model": "nobody"}]}]}
    place.edit("r", config={"routing": bad})
    place.condition("r", "Ready", "False", reason="InvalidConfig")
    until(lambda: _counted(place)["InvalidConfig"])
    for number in range(4):  # wakes that change nothing
        place.merge("sr", "r", {"metadata": {"labels": {"example.com/n": str(number)}}})
        place.merge("service", "model", {"metadata": {"labels": {"example.com/n": str(number)}}})
        place.merge("deployment", "r", {"metadata": {"labels": {"example.com/n": str(number)}}})
    place.edit("r", config={"routing": None})
    place.ready("r")
    place.edit("r", vllmEndpoints=[by_service("model", weight=0)])
    until(lambda: _counted(place)["BackendDrained"])  # posted after whatever came before
    after = _counted(place)
    assert after["InvalidConfig"] == 1
    assert max(after.values()) == 1, after
    for event in place.events("r"):
        assert event["reportingController"] == "semantic-router-operator"
        assert event["regarding"]["kind"] == "SemanticRouter"
        assert event["type"] in {"Normal", "Warning"}


def _counted(place: Place) -> Counter[str]:
    return Counter(event["reason"] for event in place.events("r"))


def test_a_credential_reaches_the_pod_by_reference_and_stays_in_its_secret(
    place: Place, operator: OperatorProcess
) -> None:
    place.create("secret", "keys", stringData={"token": CANARY})
    auth = {"secretKeyRef": {"name": "keys", "key": "token"}}
    provider = {"type": "openai"}
    entry = {
        "name": "cloud",
        "model": "gpt",
        "backend": {"type": "provider", "provider": provider},
        "connection": {"auth": auth},
    }
    place.router("r", vllmEndpoints=[entry])
    place.ready("r")
    (variable,) = container(place.the("deployment", "r"))["env"]
    assert variable["valueFrom"] == {"secretKeyRef": {"name": "keys", "key": "token"}}
    text = place.the("configmap", "r-config")["data"]["config.yaml"]
    assert variable["name"] in text
    place.create("secret", "more", stringData={"other": CANARY})
    place.edit("r", vllmEndpoints=[{**entry, "connection": {"auth": {"secretKeyRef": None}}}])
    place.edit("r", vllmEndpoints=[entry])
    place.ready("r")
    kinds = ("sr", "configmap", "deployment", "service", "serviceaccount", "event", "replicaset")
    for kind in kinds:
        assert CANARY not in json.dumps(place.all(kind)), kind
    assert CANARY not in operator.log.read_text()


@pytest.mark.parametrize(
    "right",
    [
        "get secrets",
        "list secrets",
        "watch secrets",
        "update semanticrouters",
        "delete semanticrouters",
        "create pods",
        "create httproutes.gateway.networking.k8s.io",
    ],
)
def test_the_operator_has_not_this_right(
    installed: Path, kubectl: Callable[..., str], right: str
) -> None:
    verb, resource = right.split()
    with pytest.raises(KubectlError, match="exit 1"):
        kubectl("auth", "can-i", verb, resource, "-A", "-q", kubeconfig=installed)
