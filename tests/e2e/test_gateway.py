"""Beside a Gateway: as an ext_proc server, and as a plain Service behind an HTTPRoute.

No Gateway runs here, only its kinds: what it would connect to is there, and answers.
"""

from collections.abc import Iterator

import pytest
import yaml

from cluster.live_api import LiveApi
from cluster.live_objects import by_service, until
from e2e import pods
from e2e.stage import POD_SECONDS, QUICK, Stage
from e2e.target import ROOT, ProxiedKube

KINDS = ("gateways.gateway.networking.k8s.io", "httproutes.gateway.networking.k8s.io")


@pytest.fixture(autouse=True)
def kinds(kube: ProxiedKube) -> Iterator[None]:
    """Gateway API's kinds; whoever has the real ones keeps them."""
    api = LiveApi(kube)
    own = [name for name in KINDS if api.get("CustomResourceDefinition", "", name) is None]
    for name in own:
        api.install_crd(name)
    yield
    for name in own:
        api.remove_crd(name)


def test_behind_a_gateway_it_serves_ext_proc_whose_health_is_asked_by_grpc(stage: Stage) -> None:
    stage.models("model")
    stage.create("gateway", "inference", spec={"gatewayClassName": "none", "listeners": []})
    existing = {"existingRef": {"name": "inference", "namespace": stage.namespace}}
    stage.quick("r", gateway=existing)
    (pod,) = stage.running("r").values()
    (container,) = pod["spec"]["containers"]
    assert container["readinessProbe"]["grpc"]["port"] == 50051
    assert stage.the("sr", "r")["status"]["gatewayMode"] == "gateway-integration"
    ports = {port["name"]: port["port"] for port in stage.the("service", "r")["spec"]["ports"]}
    assert 50051 in ports.values()
    assert 8801 not in ports.values()
    address = f"-address=r.{stage.namespace}.svc:50051"
    stage.create("pod", "asks", spec=pods.spec("asks", ["health", address], restart="Never"))
    until(
        lambda: stage.the("pod", "asks")["status"]["phase"] in {"Succeeded", "Failed"}, seconds=60
    )
    assert stage.api.text(stage.path("pod", "asks", "log")).strip() == "SERVING"


def test_an_http_route_to_a_standalone_router_names_a_port_that_answers(stage: Stage) -> None:
    text = (ROOT / "samples" / "standalone-httproute.yaml").read_text()
    router, route = yaml.safe_load_all(text)
    stage.models("qwen3-8b")
    name = router["metadata"]["name"]
    stage.create("sr", name, spec={**QUICK, **router["spec"]})
    stage.create("httproute", route["metadata"]["name"], spec=route["spec"])
    stage.ready(name, seconds=POD_SECONDS)
    (backend,) = route["spec"]["rules"][0]["backendRefs"]
    service = stage.the("service", backend["name"])
    assert backend["port"] in {port["port"] for port in service["spec"]["ports"]}
    assert stage.answers(backend["name"], "qwen3-8b") == {"qwen3-8b"}
    assert stage.the("sr", name)["status"]["gatewayMode"] == "standalone"


def test_a_gateway_that_comes_later_is_noticed(stage: Stage) -> None:
    stage.models("model")
    existing = {"existingRef": {"name": "later", "namespace": stage.namespace}}
    stage.quick("r", by_service("model", model="model"), wait=False, gateway=existing)
    stage.condition("r", "Ready", "False")
    stage.create("gateway", "later", spec={"gatewayClassName": "none", "listeners": []})
    stage.ready("r", seconds=POD_SECONDS)
