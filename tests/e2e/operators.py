"""The operator as users install it: manifests/ as they are, but for the image's name."""

import os
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import yaml

from cluster.live_objects import Kube, Object, Place, Refused, until
from e2e import pods
from e2e.stage import OURS
from e2e.target import ROOT, KubectlError, Target

NAMESPACE = "semantic-router-operator-system"
DEPLOYMENT = "semantic-router-operator-controller-manager"
IMAGE = "semantic-router-operator"
"""The name in manifests/controller/deployment.yaml."""
LEASE = "semantic-router-operator"
LABEL = "app.kubernetes.io/name=semantic-router-operator"
ROLLOUT = "120s"

Signal = Literal["KILL", "STOP", "CONT"]


@dataclass(frozen=True)
class Operators:
    """The installed operator and its replicas."""

    target: Target
    place: Place

    def install(self, image: str) -> None:
        """`kubectl apply -k manifests/` with that image, and wait until it runs.

        One that was installed before is started anew: its image may have changed under its name.
        """
        before = self.place.get("deployment", DEPLOYMENT)
        name, _, tag = image.rpartition(":")
        with TemporaryDirectory(prefix="e2e-") as folder:
            overlay = {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": [os.path.relpath(ROOT / "manifests", Path(folder).resolve())],
                "images": [{"name": IMAGE, "newName": name, "newTag": tag}],
            }
            Path(folder, "kustomization.yaml").write_text(yaml.safe_dump(overlay))
            self.target.kubectl("apply", "-k", folder)
        if before is not None:
            self.restart()
        self.rolled_out()

    def uninstall(self) -> None:
        """As docs/uninstall.md says: routers first."""
        self.target.kubectl("delete", "semanticrouters", "--all", "--all-namespaces")
        manifest = str(ROOT / "manifests" / "install.yaml")
        self.target.kubectl("delete", "--ignore-not-found", "-f", manifest)

    def scale(self, replicas: int) -> None:
        """More than one: the others stand by."""
        self._kubectl("scale", f"deployment/{DEPLOYMENT}", f"--replicas={replicas}")
        self.rolled_out()

    def restart(self) -> None:
        """New pods, as an upgrade makes them; returns at once."""
        self._kubectl("rollout", "restart", f"deployment/{DEPLOYMENT}")

    def upgrade(self, image: str) -> None:
        """An image of another name, and wait until it runs everywhere."""
        self._kubectl("set", "image", f"deployment/{DEPLOYMENT}", f"manager={image}")
        self.rolled_out()

    @property
    def image(self) -> str:
        """What the Deployment names."""
        template = self.place.the("deployment", DEPLOYMENT)["spec"]["template"]
        return str(template["spec"]["containers"][0]["image"])

    def rolled_out(self) -> None:
        """Waits until every replica is ready."""
        self._kubectl("rollout", "status", f"deployment/{DEPLOYMENT}", f"--timeout={ROLLOUT}")

    def pods(self) -> list[Object]:
        """Those that aren't on their way out."""
        found = self.place.all("pod", LABEL)
        return [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]

    def leader(self) -> str:
        """The pod that holds the Lease, which lives."""

        def holder() -> str:
            lease = self.place.get("lease", LEASE) or {}
            name = str((lease.get("spec") or {}).get("holderIdentity") or "")
            return name if name in {pod["metadata"]["name"] for pod in self.pods()} else ""

        return until(holder, seconds=60)

    def signal(self, pod: str, signal: Signal) -> None:
        """A signal to a replica's process, from its node: it has no time for a goodbye to the
        Lease, as it has when Kubernetes ends it. Killed, it is started again in the same pod;
        stopped, it is as on a node that hangs.
        """
        found = self.place.the("pod", pod)
        name = f"signal-{secrets.token_hex(3)}"
        default = Place(self.place.kube, "default")
        args = ["signal", f"-pod-uid={found['metadata']['uid']}", f"-signal={signal}"]
        default.create("pod", name, spec=on_node(found["spec"]["nodeName"], args))
        try:
            until(lambda: phase(default, name) in {"Succeeded", "Failed"}, seconds=60)
            assert phase(default, name) == "Succeeded"
        finally:
            default.delete("pod", name)

    def kill_leader(self) -> None:
        """The leader and its pod end at once, with no goodbye to the Lease, as with their node; the
        other replica has to find out."""
        leader = self.leader()
        self.signal(leader, "STOP")
        self._kubectl("delete", "pod", leader, "--grace-period=0", "--force")

    def logs(self) -> str:
        """What every replica has written, as far as it is still kept."""
        texts = []
        for pod in self.place.all("pod", LABEL):
            try:
                texts.append(self._kubectl("logs", pod["metadata"]["name"]))
            except KubectlError:
                continue  # it went away meanwhile
        return "\n".join(texts)

    def _kubectl(self, *arguments: str) -> str:
        return self.target.kubectl("--namespace", NAMESPACE, *arguments)


def on_node(node: str, args: list[str]) -> Object:
    """A pod of the stand-in's program that sees every process of its node."""
    spec = pods.spec("signal", args, restart="Never")
    container = {**spec["containers"][0], "securityContext": {"privileged": True}}
    root = {"runAsUser": 0}
    more = {"nodeName": node, "hostPID": True, "securityContext": root, "containers": [container]}
    return {**spec, **more}


def phase(place: Place, pod: str) -> str:
    """Of a pod."""
    return str(place.the("pod", pod)["status"].get("phase"))


def without_leftovers(kube: Kube) -> None:
    """Removes namespaces that an earlier run left behind."""
    for found in kube.ask("GET", f"/api/v1/namespaces?labelSelector={OURS}")["items"]:
        if "deletionTimestamp" not in found["metadata"]:
            with suppress(Refused):
                kube.ask("DELETE", f"/api/v1/namespaces/{found['metadata']['name']}")


def routers_of_others(kube: Kube) -> list[str]:
    """SemanticRouters that this suite hasn't made: in the end it would delete them."""
    try:
        found = kube.ask("GET", "/apis/vllm.ai/v1alpha1/semanticrouters")["items"]
    except Refused:
        return []  # the kind isn't installed
    spaces = kube.ask("GET", f"/api/v1/namespaces?labelSelector={OURS}")["items"]
    ours = {space["metadata"]["name"] for space in spaces}
    names = (item["metadata"] for item in found)
    return [f"{one['namespace']}/{one['name']}" for one in names if one["namespace"] not in ours]
