"""The CRD and manifests/ on a real API server: what it accepts, refuses, fills in and prints."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from controlplane.errors import KubectlError

ROOT = Path(__file__).parents[2]
ACCOUNT = (
    "system:serviceaccount:semantic-router-operator-system:"
    "semantic-router-operator-controller-manager"
)
ENDPOINT: dict[str, Any] = {
    "name": "a",
    "model": "m",
    "backend": {"type": "service", "service": {"name": "s", "port": 8000}},
}

Kubectl = Callable[..., str]


@pytest.fixture(scope="module", autouse=True)
def _installed(kubectl: Kubectl) -> None:
    kubectl("apply", "--server-side", "-k", str(ROOT / "manifests"))
    crd = "crd/semanticrouters.vllm.ai"
    kubectl("wait", "--for=condition=Established", "--timeout=30s", crd)


class Routers:
    """SemanticRouters of one namespace, as kubectl sees them."""

    def __init__(self, kubectl: Kubectl, namespace: str) -> None:
        self._kubectl, self._namespace = kubectl, namespace

    def __call__(self, *args: str, body: dict[str, Any] | None = None) -> str:
        text = None if body is None else json.dumps(body)
        return self._kubectl("--namespace", self._namespace, *args, input=text)

    def create(self, spec: object, *, name: str = "r", how: tuple[str, ...] = ("create",)) -> Any:
        """The object as it was stored."""
        body = {
            "apiVersion": "vllm.ai/v1alpha1",
            "kind": "SemanticRouter",
            "metadata": {"name": name},
            "spec": spec,
        }
        return json.loads(self(*how, "-f", "-", "-o", "json", body=body))

    def refusal(self, spec: object, *, how: tuple[str, ...] = ("create",)) -> str:
        with pytest.raises(KubectlError) as caught:
            self.create(spec, how=how)
        return str(caught.value)

    def status(self, status: dict[str, Any]) -> None:
        """Merged into the status of router `r`."""
        patch = json.dumps({"status": status})
        self("patch", "sr", "r", "--subresource=status", "--type=merge", "-p", patch)


@pytest.fixture
def routers(kubectl: Kubectl, namespace: str) -> Routers:
    return Routers(kubectl, namespace)


def test_the_crd_is_structural_and_its_names_are_accepted(kubectl: Kubectl) -> None:
    crd = json.loads(kubectl("get", "crd", "semanticrouters.vllm.ai", "-o", "json"))
    conditions = {x["type"]: x["status"] for x in crd["status"]["conditions"]}
    assert conditions == {"NamesAccepted": "True", "Established": "True"}


def test_the_crd_can_be_applied_as_a_folder_and_all_as_one_file(kubectl: Kubectl) -> None:
    kubectl("apply", "--dry-run=server", "-f", str(ROOT / "crds"))
    kubectl("apply", "--dry-run=server", "-k", str(ROOT / "crds"))
    kubectl("apply", "--dry-run=server", "-f", str(ROOT / "manifests" / "install.yaml"))


NULLS: dict[str, Any] = {
    "openshift": None,
    "env": None,
    "replicas": None,
    "autoscaling": None,
    "nodeSelector": None,
    "affinity": {"nodeAffinity": None},
    "image": {"tag": None, "imageRegistry": None},
    "config": {"routing": None, "reasoning_families": None},
    "resources": {"claims": None},
    "vllmEndpoints": [{**ENDPOINT, "weight": None, "connection": None, "loras": None}],
}


@pytest.mark.parametrize(
    "how", [("create",), ("apply",), ("apply", "--server-side")], ids=lambda how: how[-1]
)
def test_an_explicit_null_counts_as_absent(routers: Routers, how: tuple[str, ...]) -> None:
    """OP-17"""
    spec = routers.create(NULLS, how=how)["spec"]
    assert spec["replicas"] == 1
    assert spec["image"]["tag"] == "latest"
    assert spec["vllmEndpoints"][0]["weight"] == 1
    assert not spec.get("openshift")
    assert not spec.get("env")


def test_a_null_in_an_enum_is_dropped_but_for_a_server_side_apply(routers: Routers) -> None:
    spec = {"config": {"strategy": None}}
    assert routers.create(spec)["spec"]["config"] == {}
    assert "spec.config.strategy" in routers.refusal(spec, how=("apply", "--server-side"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"vllmEndpoints": [{**ENDPOINT, "weight": "5"}]}, "spec.vllmEndpoints[0].weight"),
        ({"vllmEndpoints": [{**ENDPOINT, "weight": -1}]}, "greater than or equal to 0"),
        ({"vllmEndpoints": [{**ENDPOINT, "weight": 101}]}, "less than or equal to 100"),
        ({"vllmEndpoints": [{**ENDPOINT, "name": ""}]}, "spec.vllmEndpoints[0].name"),
        ({"vllmEndpoints": [{"name": "a", "model": "m"}]}, "spec.vllmEndpoints[0].backend"),
        (
            {"vllmEndpoints": [{**ENDPOINT, "backend": {"type": "magic"}}]},
            'Unsupported value: "magic"',
        ),
        ({"vllmEndpoints": [{**ENDPOINT, "loras": [{"name": "l"}] * 51}]}, "at most 50 items"),
        ({"replicas": 3_000_000_000}, "int32"),
        ({"replicas": -1}, "spec.replicas"),
        ({"service": {"api": {"port": 0}}}, "spec.service.api.port"),
        ({"args": [None]}, "spec.args[0]"),
        ({"resources": {"limits": {"cpu": "a lot"}}}, "spec.resources.limits.cpu"),
        ({"resources": {"claims": [{"name": "a"}, {"name": "a"}]}}, "Duplicate value"),
        ({"vllmEndpoint": []}, 'unknown field "spec.vllmEndpoint"'),
        ({"persistance": {}}, 'unknown field "spec.persistance"'),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_bad_value_is_refused_with_its_path(routers: Routers, spec: object, said: str) -> None:
    assert said in routers.refusal(spec)


@pytest.mark.parametrize("port", [8000, "http", "8000"])
def test_a_port_is_kept_as_it_was_written(routers: Routers, port: object) -> None:
    backend = {"type": "service", "service": {"name": "s", "port": port}}
    stored = routers.create({"vllmEndpoints": [{**ENDPOINT, "backend": backend}]})
    assert stored["spec"]["vllmEndpoints"][0]["backend"] == backend


@pytest.mark.parametrize("port", [0, 65536, "", "a b", True])
def test_what_is_no_port_is_refused(routers: Routers, port: object) -> None:
    backend = {"type": "service", "service": {"name": "s", "port": port}}
    refusal = routers.refusal({"vllmEndpoints": [{**ENDPOINT, "backend": backend}]})
    assert "spec.vllmEndpoints[0].backend.service.port" in refusal


@pytest.mark.parametrize("value", ["a:1", {"host": "a", "port": 1}])
def test_an_endpoint_is_kept_as_it_was_written(routers: Routers, value: object) -> None:
    backend = {"type": "endpoint", "endpoint": value}
    stored = routers.create({"vllmEndpoints": [{**ENDPOINT, "backend": backend}]})
    assert stored["spec"]["vllmEndpoints"][0]["backend"] == backend


def test_the_routing_block_is_kept_whole(routers: Routers) -> None:
    """SR-12"""
    routing = {"foo": 1, "signals": {"embeddings": [{"query_modality": "image"}]}}
    stored = routers.create({"config": {"routing": routing}})
    assert stored["spec"]["config"]["routing"] == routing


def test_two_endpoints_of_one_name_are_for_the_operator_to_judge(routers: Routers) -> None:
    assert routers.create({"vllmEndpoints": [ENDPOINT, ENDPOINT]})


def test_a_router_that_nobody_has_looked_at_is_not_current(routers: Routers) -> None:
    assert routers.create({})["status"] == {"observedGeneration": -1}


def test_a_status_leaves_the_generation_alone_and_nothing_of_it_is_pruned(
    routers: Routers,
) -> None:
    before = routers.create({})["metadata"]["generation"]
    status = {**STATUS, "backends": [BACKEND], "openshiftFeatures": {"routesEnabled": False}}
    routers.status(status)
    stored = json.loads(routers("get", "sr", "r", "-o", "json"))
    assert stored["status"] == status
    assert stored["metadata"]["generation"] == before


BACKEND = {
    "name": "a",
    "model": "m",
    "type": "service",
    "source": "Service models/s",
    "targets": [{"url": "http://s:1/v1", "suffix": "x", "apiVersion": "1", "chatPath": "/c"}],
    "state": "Resolved",
    "reason": "Resolved",
    "message": "",
}
STATUS: dict[str, Any] = {
    "observedGeneration": 1,
    "phase": "Progressing",
    "gatewayMode": "gateway-integration",
    "replicas": 3,
    "readyReplicas": 2,
    "replicasSummary": "2/3",
    "selector": "app.kubernetes.io/instance=r",
    "url": "http://r.n.svc.cluster.local:8801",
    "config": {"digest": "sha256:0", "revision": 2, "lastGoodRevision": 1, "defaultModel": "m"},
    "conditions": [
        {
            "type": "Ready",
            "status": "False",
            "reason": "WaitingForBackends",
            "message": "m",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "observedGeneration": 1,
        }
    ],
}


def test_kubectl_get_shows_a_readable_line(routers: Routers) -> None:
    routers.create({})
    routers.status(STATUS)
    title, line = routers("get", "sr").splitlines()
    assert re.split(r"\s{2,}", title.strip()) == [
        *("NAME", "READY", "STATUS", "REPLICAS", "MODE", "AGE")
    ]
    assert re.split(r"\s{2,}", line.strip())[:5] == [
        *("r", "False", "WaitingForBackends", "2/3", "gateway-integration")
    ]
    assert len(line) <= 120
    title, line = routers("get", "sr", "-o", "wide").splitlines()
    assert re.split(r"\s{2,}", title.strip())[-2:] == ["URL", "DIGEST"]
    assert re.split(r"\s{2,}", line.strip())[-2:] == [STATUS["url"], "sha256:0"]


def test_kubectl_scale_works_and_knows_the_pods(routers: Routers) -> None:
    routers.create({})
    routers.status(STATUS)
    routers("scale", "sr", "r", "--replicas=4")
    scale = json.loads(routers("get", "sr", "r", "--subresource=scale", "-o", "json"))
    assert scale["spec"]["replicas"] == 4
    assert scale["status"] == {"replicas": 3, "selector": STATUS["selector"]}


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("sr", "A vLLM Semantic Router"),
        ("sr.spec.vllmEndpoints", "0 drains the backend"),
        ("sr.spec.vllmEndpoints.backend", "-required-"),
        ("sr.spec.affinity.podAffinity", "requiredDuringSchedulingIgnoredDuringExecution"),
        ("sr.status.conditions", "lastTransitionTime"),
    ],
)
def test_kubectl_explain_tells_about(kubectl: Kubectl, path: str, said: str) -> None:
    assert said in kubectl("explain", path)


def test_the_operator_may_not_touch_what_it_does_not_need(kubectl: Kubectl) -> None:
    for what in (
        *("get secrets", "list secrets", "create clusterroles", "delete customresourcedefinitions"),
        *("update semanticrouters.vllm.ai", "delete semanticrouters.vllm.ai", "delete namespaces"),
        "delete persistentvolumeclaims",
        *("update deployments", "deletecollection configmaps", "get leases -n default"),
    ):
        assert not may(kubectl, what), what


def test_the_operator_may_do_its_work(kubectl: Kubectl) -> None:
    for what in (
        *("watch semanticrouters.vllm.ai", "patch semanticrouters.vllm.ai --subresource=status"),
        *(
            "watch services",
            "patch deployments.apps",
            "create configmaps",
            "create events.events.k8s.io",
        ),
        "update leases.coordination.k8s.io -n semantic-router-operator-system",
    ):
        assert may(kubectl, what), what


def may(kubectl: Kubectl, what: str) -> bool:
    try:
        return "yes" in kubectl("auth", "can-i", *what.split(), "--as", ACCOUNT)
    except KubectlError:
        return False


def test_pod_security_restricted_admits_the_operators_pod(kubectl: Kubectl, namespace: str) -> None:
    level = "pod-security.kubernetes.io/enforce=restricted"
    kubectl("label", "namespace", namespace, level)
    deployment = yaml.safe_load((ROOT / "manifests/controller/deployment.yaml").read_text())
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": namespace},
        "spec": {**deployment["spec"]["template"]["spec"], "serviceAccountName": "default"},
    }
    kubectl("wait", "--for=create", "--timeout=30s", "-n", namespace, "serviceaccount/default")
    kubectl("create", "--dry-run=server", "-f", "-", input=json.dumps(pod))


@pytest.mark.parametrize("path", sorted((ROOT / "samples").glob("*.yaml")), ids=lambda p: p.stem)
def test_a_sample_is_accepted_without_a_warning(routers: Routers, path: Path) -> None:
    for document in yaml.safe_load_all(path.read_text()):
        if document and document["kind"] == "SemanticRouter":
            document["metadata"].pop("namespace", None)
            routers("create", "--validate=strict", "--dry-run=server", "-f", "-", body=document)
