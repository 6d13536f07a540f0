"""Each kind of backend, answered by the model that it stands for."""

import secrets
from collections.abc import Iterator

import pytest

from cluster.live_api import LiveApi
from cluster.live_kinds import inference_service, kserve_status
from cluster.live_objects import Kube, Object, by_service, until
from e2e.stage import POD_SECONDS, Stage

KSERVE = "inferenceservices.serving.kserve.io"
MODELS = {
    "by-service": {},
    "by-selector-1": {"serves": "by-selector"},
    "by-selector-2": {"serves": "by-selector"},
    "by-slices": {},
    "by-kserve-predictor": {},
    "by-llamastack": {"app": "llama-stack"},
    "by-endpoint": {},
    "by-url": {},
    "by-provider": {},
}
"""Service -> its labels. A model is asked for by the name without its last part."""


@pytest.fixture
def kserve(kube: Kube) -> Iterator[LiveApi]:
    """KServe's kind; whoever has the real one keeps it."""
    api = LiveApi(kube)
    own = api.get("CustomResourceDefinition", "", KSERVE) is None
    if own:
        api.install_crd(KSERVE)
    yield api
    if own:
        api.remove_crd(KSERVE)


def backends(namespace: str) -> dict[str, Object]:
    """Model -> backend, each as samples/backend-*.yaml have it."""
    host = f"{namespace}.svc.cluster.local:8000"
    return {
        "by-service": {"type": "service", "service": {"name": "by-service", "port": 8000}},
        "by-selector": {
            "type": "serviceSelector",
            "serviceSelector": {"matchLabels": {"serves": "by-selector"}, "port": "http"},
        },
        "by-slices": {"type": "endpointslice", "endpointSlice": {"serviceName": "by-slices"}},
        "by-kserve": {"type": "kserve", "inferenceServiceName": "by-kserve"},
        "by-llamastack": {
            "type": "llamastack",
            "llamastack": {"matchLabels": {"app": "llama-stack"}, "basePath": "/v1"},
        },
        "by-endpoint": {"type": "endpoint", "endpoint": f"by-endpoint.{host}"},
        "by-url": {"type": "url", "url": f"http://by-url.{host}/deep/v1"},
        "by-provider": {
            "type": "provider",
            "provider": {"type": "openai", "baseURL": f"http://by-provider.{host}/v1"},
        },
    }


def kserve_serves(api: LiveApi, stage: Stage, name: str) -> None:
    """What a user makes, and what KServe says of it."""
    api.apply(inference_service(name, stage.namespace))
    url = f"http://{name}-predictor.{stage.namespace}.svc.cluster.local:8000"
    api.patch("InferenceService", stage.namespace, name, kserve_status(url), sub="status")


def test_each_kind_of_backend_is_answered_by_its_own_model(stage: Stage, kserve: LiveApi) -> None:
    key = secrets.token_hex(16)
    stage.create("secret", "provider", stringData={"key": key})
    reference = {"secretKeyRef": {"name": "provider", "key": "key"}}
    for name, labels in MODELS.items():
        env = [{"name": "API_KEY", "valueFrom": reference}] if name == "by-provider" else []
        stage.model(name, labels=labels, env=env)
    kserve_serves(kserve, stage, "by-kserve")
    kinds = backends(stage.namespace)
    entries: list[Object] = [
        {"name": name, "model": name, "backend": backend} for name, backend in kinds.items()
    ]
    entries[-1]["connection"] = {"auth": reference}
    stage.quick("r", *entries)
    for name in MODELS:
        stage.available(name)
    assert states(stage) == {"Resolved"}
    selected = [name for name, labels in MODELS.items() if "serves" in labels]
    until(lambda: all(f"{name}." in document(stage) for name in selected))
    stage.in_effect("r")
    for name in kinds:
        stage.wait_for_answer("r", name)
    said = {name: stage.answers("r", name, times=4) for name in kinds}
    wanted = {name: {name} for name in said}
    wanted["by-selector"] = {"by-selector-1", "by-selector-2"}
    wanted["by-kserve"] = {"by-kserve-predictor"}
    assert said == wanted
    seen = {name: stage.ask("r", name)["standin"] for name in ("by-url", "by-llamastack")}
    assert seen["by-url"]["path"] == "/deep/v1/chat/completions"
    assert seen["by-llamastack"]["path"] == "/v1/chat/completions"


def document(stage: Stage) -> str:
    """The live one, and what else its ConfigMap has."""
    return "".join(stage.the("configmap", "r-config")["data"].values())


def states(stage: Stage) -> set[str]:
    """What the status says of the backends."""
    found = stage.the("sr", "r").get("status", {}).get("backends", ())
    return {backend["state"] for backend in found}


def test_a_model_that_comes_later_answers_by_itself(stage: Stage) -> None:
    stage.models("model")
    wanted = (by_service("model", model="model"), by_service("later", model="later"))
    stage.quick("r", *wanted, wait=False)
    stage.condition("r", "Available", "True", seconds=POD_SECONDS)
    assert stage.answers("r", "model") == {"model"}
    stage.models("later")
    stage.in_effect("r")
    stage.wait_for_answer("r", "later", "later")
