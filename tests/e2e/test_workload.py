"""What surrounds the pods: an autoscaler, a claim, uids, a namespace that lets in little."""

import time

import pytest

from cluster.live_objects import Object, Refused, owners, until
from e2e.figures import Figures
from e2e.stage import POD_SECONDS, QUICK, Stage, entry
from e2e.target import ProxiedKube
from e2e.traffic import traffic

METRICS = "/apis/metrics.k8s.io/v1beta1/nodes"
ANY_UID = 1000660000
"""As OpenShift gives them out: no image knows it."""


@pytest.fixture
def metrics(kube: ProxiedKube) -> None:
    """An autoscaler without metrics does nothing."""
    try:
        kube.ask("GET", METRICS)
    except Refused:
        pytest.skip("NOT TESTED: the cluster has no metrics-server, so that no HPA can scale")


def test_an_autoscaler_scales_under_load_and_nobody_fights_it(
    stage: Stage, figures: Figures, metrics: None
) -> None:
    stage.models("model")
    small = {"requests": {"cpu": "5m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}}
    scaling = {
        "enabled": True,
        "minReplicas": 1,
        "maxReplicas": 3,
        "targetCPUUtilizationPercentage": 50,
    }
    stage.quick("r", entry("model"), resources=small, autoscaling=scaling)
    with traffic(stage, "r", ["model"], rate=60) as client:
        began, mark = time.monotonic(), client.mark()
        until(lambda: replicas(stage) == 3, seconds=180)
        figures.duration(
            "load, until the autoscaler has made three of one", time.monotonic() - began
        )
        until(lambda: len(stage.running("r")) == 3, seconds=POD_SECONDS)
        stage.edited("r", vllmEndpoints=[entry("model", weight=7)])
        stage.edit("r", replicas=1)
        stage.observed("r")
        seen = set[int]()
        for _ in range(10):
            seen.add(replicas(stage))
            time.sleep(1)
        whole = client.window(mark)
    figures.disruption("an autoscaler makes three pods of one", whole)
    assert seen == {3}
    assert whole.failed == 0, whole.errors
    deployment = stage.the("deployment", "r")
    managers = {manager for manager, _ in owners(deployment, "spec", "replicas")}
    assert "semantic-router-operator" not in managers


def replicas(stage: Stage) -> int:
    """What the Deployment wants."""
    return int(stage.the("deployment", "r")["spec"]["replicas"])


def test_a_claim_and_its_volume_outlive_the_router(stage: Stage) -> None:
    stage.models("model")
    spec: Object = {"persistence": {"size": "16Mi"}, "replicas": 1}
    stage.quick("r", **spec)
    first = stage.the("claim", "r-models")
    assert first["status"]["phase"] == "Bound"
    stage.delete("sr", "r")
    until(lambda: stage.get("deployment", "r") is None, seconds=POD_SECONDS)
    until(lambda: not stage.all("pod", "app.kubernetes.io/instance=r"), seconds=POD_SECONDS)
    stage.quick("r", **spec)
    second = stage.the("claim", "r-models")
    assert second["metadata"]["uid"] == first["metadata"]["uid"]
    assert second["spec"]["volumeName"] == first["spec"]["volumeName"]
    (pod,) = stage.running("r").values()
    claims = [
        one["persistentVolumeClaim"]
        for one in pod["spec"]["volumes"]
        if "persistentVolumeClaim" in one
    ]
    assert claims == [{"claimName": "r-models"}]


def test_it_runs_as_any_uid_on_a_read_only_root(stage: Stage) -> None:
    stage.models("model")
    stage.quick(
        "r",
        podSecurityContext={"runAsUser": ANY_UID, "runAsGroup": 0, "fsGroup": ANY_UID},
        securityContext={"readOnlyRootFilesystem": True},
    )
    (pod,) = stage.running("r").values()
    (status,) = pod["status"]["containerStatuses"]
    assert status["user"]["linux"]["uid"] == ANY_UID
    assert pod["spec"]["containers"][0]["securityContext"]["readOnlyRootFilesystem"] is True
    assert stage.answers("r", "model") == {"model"}


def test_every_test_runs_in_a_namespace_that_enforces_restricted(stage: Stage) -> None:
    stage.models("model")
    stage.quick("r")
    container = {
        "name": "c",
        "image": QUICK["image"]["repository"],
        "securityContext": {"privileged": True},
    }
    with pytest.raises(Refused, match="violates PodSecurity"):
        stage.create("pod", "privileged", spec={"containers": [container]})
