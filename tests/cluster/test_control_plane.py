"""The control plane itself does what the other cluster tests take for granted."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane import ControlPlane, KubectlError, StartError

Kubectl = Callable[..., str]

DEPLOYMENT = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: example.invalid/web:1}]
"""

AUTOSCALER = """
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 3
  metrics:
  - type: Resource
    resource: {name: cpu, target: {type: Utilization, averageUtilization: 70}}
"""

CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: cache}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 10Gi}}
"""

HELD_POD = """
apiVersion: v1
kind: Pod
metadata: {name: held, annotations: {controlplane/hold: "true"}}
spec:
  containers: [{name: web, image: example.invalid/web:1}]
"""


def wait_for(kubectl: Kubectl, namespace: str, condition: str, thing: str) -> None:
    kubectl("wait", "-n", namespace, f"--for={condition}", thing, "--timeout=60s")


def test_a_deployment_becomes_available_through_kwok(kubectl: Kubectl, namespace: str) -> None:
    kubectl("apply", "-n", namespace, "-f", "-", input=DEPLOYMENT)
    wait_for(kubectl, namespace, "condition=Available", "deployment/web")


def test_a_pod_that_is_held_stays_pending(kubectl: Kubectl, namespace: str) -> None:
    kubectl("apply", "-n", namespace, "-f", "-", input=HELD_POD)
    wait_for(kubectl, namespace, "condition=PodScheduled", "pod/held")
    time.sleep(1)
    phase = kubectl("get", "pod", "held", "-n", namespace, "-o", "jsonpath={.status.phase}")
    assert phase == "Pending"


def test_an_autoscaler_is_accepted(kubectl: Kubectl, namespace: str) -> None:
    assert "created" in kubectl("apply", "-n", namespace, "-f", "-", input=AUTOSCALER)


def test_a_volume_claim_is_bound(kubectl: Kubectl, namespace: str) -> None:
    kubectl("apply", "-n", namespace, "-f", "-", input=CLAIM)
    wait_for(kubectl, namespace, "jsonpath={.status.phase}=Bound", "pvc/cache")


def test_the_server_says_the_version_it_was_built_from(kubectl: Kubectl) -> None:
    server = json.loads(kubectl("version", "-o", "json"))["serverVersion"]
    assert server["gitVersion"].startswith(f"v{server['major']}.{server['minor']}.")


def test_an_unprivileged_service_account_is_denied(
    control_plane: ControlPlane, kubectl: Kubectl, namespace: str
) -> None:
    kubectl("create", "serviceaccount", "nobody", "-n", namespace)
    nobody = control_plane.kubeconfig_for_service_account(namespace, "nobody")

    with pytest.raises(KubectlError, match=f"system:serviceaccount:{namespace}:nobody"):
        kubectl("get", "services", kubeconfig=nobody)


def test_a_service_account_may_do_what_its_role_says(
    control_plane: ControlPlane, kubectl: Kubectl, namespace: str
) -> None:
    kubectl("create", "serviceaccount", "reader", "-n", namespace)
    kubectl(
        "create", "rolebinding", "reader", "-n", namespace,
        "--clusterrole=view", f"--serviceaccount={namespace}:reader",
    )  # fmt: skip
    reader = control_plane.kubeconfig_for_service_account(namespace, "reader")

    kubectl("get", "services", kubeconfig=reader)
    with pytest.raises(KubectlError, match="is forbidden"):
        kubectl("create", "configmap", "x", kubeconfig=reader)


def test_the_audit_log_has_every_request(
    control_plane: ControlPlane, kubectl: Kubectl, namespace: str
) -> None:
    assert control_plane.audit_log is not None
    kubectl("get", "configmap", "no-such-thing", "-n", namespace, "--ignore-not-found")
    events = map(json.loads, control_plane.audit_log.read_text().splitlines())
    names = [event.get("objectRef", {}).get("name") for event in events]
    assert "no-such-thing" in names


def test_the_api_server_can_go_away_and_come_back_with_its_data(tmp_path: Path) -> None:
    with ControlPlane.start(tmp_path, with_kwok=False) as plane:
        plane.kubectl("create", "namespace", "kept")
        plane.stop_program("kube-apiserver")
        assert not plane.ready()
        plane.start_program("kube-apiserver")
        assert "kept" in plane.kubectl("get", "namespaces")


def test_a_failed_start_tells_the_reason_and_leaves_nothing_running(tmp_path: Path) -> None:
    with pytest.raises(StartError, match=r"kube-apiserver ended[\s\S]*no-such-flag"):
        ControlPlane.start(tmp_path, apiserver_args=("--no-such-flag",))
    assert ControlPlane.attach(tmp_path).running() == {}


def test_nothing_outlives_a_test_run_that_is_killed(tmp_path: Path) -> None:
    script = """
import sys, time
from pathlib import Path
from controlplane import ControlPlane
plane = ControlPlane.start(Path(sys.argv[1]), with_kwok=False)
print("up", flush=True)
time.sleep(600)
"""
    hack = Path(__file__).parents[2] / "hack"
    with subprocess.Popen(
        [sys.executable, "-c", script, tmp_path],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(hack)},
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"up\n"
        plane = ControlPlane.attach(tmp_path)
        assert len(plane.running()) == 4
        run.kill()
    deadline = time.monotonic() + 10
    while plane.running() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert plane.running() == {}
