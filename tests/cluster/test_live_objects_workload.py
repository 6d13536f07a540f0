"""From `kubectl apply` to running pods: what the operator makes on a real API server."""

from collections.abc import Callable
from pathlib import Path

import pytest

from cluster.live_objects import Place, by_service, container, new_place, owners, until
from controlplane import ControlPlane
from installation import OperatorProcess

SAMPLES = Path(__file__).parents[2] / "samples"
HOOKED = {"controller": True, "blockOwnerDeletion": True}


def test_the_quickstart_is_ready_as_kubectl_wait_has_it(
    place: Place, kubectl: Callable[..., str]
) -> None:
    for name in ("qwen3-8b", "qwen3-coder"):
        place.service(name)
    kubectl("apply", "-n", place.namespace, "-f", str(SAMPLES / "quickstart.yaml"))
    wait = ("wait", "sr/quickstart", "-n", place.namespace, "--timeout=30s")
    kubectl(*wait, "--for=condition=Ready")
    kubectl(*wait, "--for=jsonpath={.status.phase}=Running")
    kubectl("wait", "deployment/quickstart", *wait[2:], "--for=condition=Available")
    header, line = kubectl("get", "sr", "-n", place.namespace).splitlines()
    assert header.split() == ["NAME", "READY", "STATUS", "REPLICAS", "MODE", "AGE"]
    assert line.split()[:5] == ["quickstart", "True", "Running", "1/1", "standalone"]
    assert max(len(header), len(line)) <= 120
    wide_header, wide = kubectl("get", "sr", "-n", place.namespace, "-o", "wide").splitlines()
    assert "URL" in wide_header
    assert f"http://quickstart.{place.namespace}.svc.cluster.local:8801" in wide
    assert "sha256:" in wide


def test_a_standalone_router_gets_its_objects_and_each_is_owned_by_it(place: Place) -> None:
    place.service("model")
    place.router("r")
    router = place.ready("r")
    children = [
        place.the(kind, name)
        for kind, name in (
            ("configmap", "r-config"),
            ("deployment", "r"),
            ("service", "r"),
            ("serviceaccount", "r"),
        )
    ]
    for child in children:
        (owner,) = child["metadata"]["ownerReferences"]
        assert owner["uid"] == router["metadata"]["uid"]
        assert owner.items() >= HOOKED.items()
    _, deployment, service, _ = children
    pod = deployment["spec"]["template"]["spec"]
    assert [item["name"] for item in pod["containers"]] == ["semantic-router"]
    assert container(deployment)["args"][0] == "-gateway=standalone"
    listener = {"name": "http-8801", "port": 8801, "protocol": "TCP", "targetPort": "http-8801"}
    assert service["spec"]["ports"][0] == listener
    for probe, path in (
        ("startupProbe", "/ready"),
        ("readinessProbe", "/ready"),
        ("livenessProbe", "/health"),
    ):
        asked = container(deployment)[probe]["httpGet"]
        assert (asked["path"], asked["port"]) == (path, "http-8801")
    assert place.get("hpa", "r") is None


def test_an_hpa_comes_and_goes_with_autoscaling(place: Place) -> None:
    place.service("model")
    requests = {"requests": {"cpu": "1"}}
    place.router("r", replicas=2, resources=requests)
    place.ready("r")
    place.edit("r", autoscaling={"enabled": True, "minReplicas": 2, "maxReplicas": 9})
    hpa = until(lambda: place.get("hpa", "r"))
    assert (hpa["spec"]["minReplicas"], hpa["spec"]["maxReplicas"]) == (2, 9)
    place.ready("r")
    assert place.the("deployment", "r")["spec"]["replicas"] == 2
    place.edit("r", autoscaling={"enabled": False})
    until(lambda: place.get("hpa", "r") is None)
    place.ready("r")
    assert place.the("deployment", "r")["spec"]["replicas"] == 2


def test_replicas_that_the_autoscaler_chose_stay_through_edits(place: Place) -> None:
    place.service("model")
    scaling = {"enabled": True, "minReplicas": 1, "maxReplicas": 9}
    place.router("r", replicas=3, autoscaling=scaling, resources={"requests": {"cpu": "1"}})
    place.ready("r")
    place.merge("deployment", "r", {"spec": {"replicas": 7}}, sub="scale")
    for number in range(6):
        place.edit("r", replicas=number, podAnnotations={"example.com/edit": str(number)})
        place.condition("r", "ResourcesApplied", "True")
    router = place.ready("r")
    deployment = place.the("deployment", "r")
    assert deployment["spec"]["replicas"] == 7
    assert (router["status"]["replicas"], router["status"]["replicasSummary"]) == (7, "7/7")
    ours = {manager for manager, _ in owners(deployment, "spec", "replicas")}
    assert "semantic-router-operator" not in ours


@pytest.mark.parametrize(
    ("profile", "node", "limits"),
    [
        ("cpu", {"cpu", "gpu", "arm"}, {}),
        ("nvidia", {"gpu"}, {"nvidia.com/gpu": "2"}),
        ("amd", {"gpu"}, {"amd.com/gpu": "2"}),
        ("arm64", {"arm"}, {}),
    ],
)
def test_a_hardware_profile_runs_on_the_node_that_has_it(
    place: Place, profile: str, node: set[str], limits: dict[str, str]
) -> None:
    place.service("model")
    place.router("r", hardware={"profile": profile, "gpus": 2})
    place.ready("r")
    (pod,) = place.all("pod")
    assert pod["spec"]["nodeName"] in node
    asked = pod["spec"]["containers"][0]["resources"].get("limits", {})
    assert {key: value for key, value in asked.items() if "/" in key} == limits


def test_restricted_pod_security_takes_every_sample_without_a_warning(
    control_plane: ControlPlane, operator: OperatorProcess, kubectl: Callable[..., str]
) -> None:
    labels = {
        f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "warn", "audit")
    }
    with new_place(control_plane, "restricted", **labels) as place:
        for name in ("qwen3-8b", "qwen3-coder"):
            place.service(name)
        samples = ("quickstart", "standalone", "autoscaling", "hardware-nvidia", "hardware-arm64")
        for sample in samples:
            kubectl("apply", "-n", place.namespace, "-f", str(SAMPLES / f"{sample}.yaml"))
        for sample in samples:
            place.ready(sample)
            assert _warnings(place, sample) == ""
        events = [event for event in place.all("event") if event["reason"] == "FailedCreate"]
        assert events == []


def _warnings(place: Place, name: str) -> str:
    """What the API server warns of when somebody writes the same Deployment."""
    found = place.the("deployment", name)
    body = {**found, "metadata": {"name": f"{name}-again"}, "status": None}
    place.kube.ask("POST", place.path("deployment") + "?dryRun=All", body)
    return place.kube.warning


def test_a_changed_backend_reloads_and_does_not_roll_the_pods(place: Place) -> None:
    place.service("model")
    place.service("other")
    place.router("r")
    place.ready("r")
    before = place.the("deployment", "r")["spec"]["template"]
    text = place.the("configmap", "r-config")["data"]["config.yaml"]
    place.edit("r", vllmEndpoints=[by_service("model"), by_service("other")])
    until(lambda: place.the("configmap", "r-config")["data"]["config.yaml"] != text)
    place.ready("r")
    assert place.the("deployment", "r")["spec"]["template"] == before
