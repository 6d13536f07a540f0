"""The end of routers, namespaces and the operator itself: nothing hangs, nothing is left, data is
kept or removed as the router says (field case KO-04).

What docs/uninstall.md says is proven here, with its commands. On a control plane of its own; the
tests stand in the order of one story.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from cluster.live_objects import Kube, Object, Place, by_service, new_place, until
from controlplane import ControlPlane, locate
from installation import NAMESPACE, SERVICE_ACCOUNT, OperatorProcess
from semantic_router_operator.names import FORMER_FINALIZER

ROOT = Path(__file__).parents[2]
INSTALL = str(ROOT / "manifests" / "install.yaml")
END_SECONDS = 30.0
"""Nothing may take longer."""
GARBAGE_SECONDS = 75.0
"""The garbage collector of a fresh control plane learns of a new kind only after 30 s."""
OURS = "app.kubernetes.io/managed-by=semantic-router-operator"
OPERATORS = "app.kubernetes.io/name=semantic-router-operator"
KEPT = "persistentvolumeclaims/kept-models"

EVERYTHING: Object = {
    "autoscaling": {"enabled": True, "minReplicas": 2},
    "resources": {"requests": {"cpu": "100m"}},
    "persistence": {"accessMode": "ReadWriteMany"},
    "podDisruptionBudget": {"enabled": True},
    "networkPolicy": {"enabled": True},
    "ingress": {
        "enabled": True,
        "hosts": [{"host": "a.example.com", "paths": [{"path": "/", "pathType": "Prefix"}]}],
    },
}
GOES: Object = {"persistence": {"retentionPolicy": "Delete"}}
OWN: Object = {"persistence": {"existingClaim": "own"}}
MISSING: Object = {"vllmEndpoints": [by_service("nowhere")]}


class Scene(NamedTuple):
    """A control plane with what users install; the operator's process is started by the tests."""

    plane: ControlPlane
    kube: Kube

    @contextmanager
    def operator(self) -> Iterator[OperatorProcess]:
        """The operator, installed (once more), for as long as the block lasts."""
        self.plane.kubectl("apply", "--server-side", "-f", INSTALL)
        self.plane.kubectl("wait", "--for=condition=Established", "crd/semanticrouters.vllm.ai")
        kubeconfig = self.plane.kubeconfig_for_service_account(NAMESPACE, SERVICE_ACCOUNT)
        with OperatorProcess(kubeconfig, self.plane.directory / "operator.log") as process:
            yield process

    def shell(self, commands: str) -> float:
        """What somebody types at the top of the repository; the seconds that it took. Fails when it
        takes too long."""
        folder = Path(locate().path("kubectl")).parent
        environment = {
            **os.environ,
            "KUBECONFIG": str(self.plane.kubeconfig),
            "PATH": f"{folder}:{os.environ['PATH']}",
        }
        began = time.monotonic()
        done = subprocess.run(
            ["/bin/bash", "-euc", commands],
            cwd=ROOT,
            env=environment,
            timeout=END_SECONDS,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return time.monotonic() - began

    def left(self, selector: str) -> list[str]:
        """`plural/name` of everything of any kind that has the label, in all namespaces."""
        groups = self.kube.ask("GET", "/apis")["groups"]
        versions = [f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups]
        found = []
        for version in ("/api/v1", *versions):
            for kind in self.kube.ask("GET", version)["resources"]:
                if "/" in kind["name"] or not {"list", "delete"} <= set(kind["verbs"]):
                    continue
                path = f"{version}/{kind['name']}?labelSelector={selector}"
                names = (item["metadata"]["name"] for item in self.kube.ask("GET", path)["items"])
                found += [f"{kind['name']}/{name}" for name in names]
        return sorted(found)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    directory = tmp_path_factory.mktemp("clean-end")
    with ControlPlane.start(directory) as plane, closing(Kube(plane)) as kube:
        yield Scene(plane, kube)


@pytest.fixture(scope="module")
def users(scene: Scene) -> Iterator[Place]:
    with new_place(scene.plane, "users") as place:
        place.service("model")
        claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
        place.create("claim", "own", spec=claim)
        yield place


@pytest.fixture(scope="module")
def after(scene: Scene, users: Place) -> dict[str, float]:
    """Routers and namespaces were deleted, while the operator ran and after; seconds of each."""
    took = {}
    there = f"-n {users.namespace}"
    with scene.operator():
        for where in ("first", "second"):
            place = Place(scene.kube, where)
            scene.kube.ask("POST", "/api/v1/namespaces", {"metadata": {"name": where}})
            place.service("model")
            place.router("runs", **EVERYTHING)
            place.router("waits", **MISSING)
        for name, spec in {"kept": EVERYTHING, "goes": GOES, "own": OWN}.items():
            users.router(name, **spec)
        users.router("waits-1", **MISSING)
        users.router("waits-2", **MISSING)
        for name in ("kept", "goes", "own"):
            users.ready(name)
        for where in ("first", "second"):
            Place(scene.kube, where).ready("runs")
        for name in ("waits-1", "waits-2"):
            users.condition(name, "BackendsResolved", "False")
        took["waiting router"] = scene.shell(f"kubectl delete sr waits-1 {there}")
        took["namespace"] = scene.shell("kubectl delete namespace first")
    took["routers, operator down"] = scene.shell(f"kubectl delete sr kept goes own waits-2 {there}")
    took["namespace, operator down"] = scene.shell("kubectl delete namespace second")
    return took


def test_nothing_hangs_whether_the_operator_runs_or_not(after: dict[str, float]) -> None:
    assert max(after.values()) < END_SECONDS
    assert after["waiting router"] < 5
    assert after["routers, operator down"] < 5


@pytest.mark.usefixtures("after")
def test_their_objects_go_behind_them_and_data_stays_or_goes_as_they_said(
    users: Place, scene: Scene
) -> None:
    until(lambda: scene.left(OURS) == [KEPT], seconds=GARBAGE_SECONDS)
    claims = {item["metadata"]["name"]: item["metadata"] for item in users.all("claim")}
    assert claims.keys() == {"kept-models", "own"}
    assert "ownerReferences" not in claims["kept-models"]


def test_the_next_router_of_that_name_finds_the_data_again_and_runs_on_without_the_operator(
    users: Place, scene: Scene
) -> None:
    """docs/uninstall.md, "Only the operator"."""
    claim = users.the("claim", "kept-models")["metadata"]["uid"]
    with scene.operator():
        users.router("kept", **EVERYTHING)
        users.ready("kept")
        until(lambda: users.the("deployment", "kept")["status"].get("availableReplicas") == 2)
        before = _running(users)
        scene.shell(_commands("Only the operator"))
    assert scene.left(OPERATORS) == []
    time.sleep(2)  # for what must not come
    assert _running(users) == before
    assert users.conditions("kept")["Ready"]["status"] == "True"
    assert users.the("claim", "kept-models")["metadata"]["uid"] == claim


def test_installed_again_it_goes_on_and_all_goes_as_the_docs_say(
    users: Place, scene: Scene
) -> None:
    """docs/uninstall.md, "Everything"."""
    before = _running(users)
    with scene.operator():
        users.edit("kept", vllmEndpoints=[by_service("model", model="another")])
        users.ready("kept")
        assert _running(users) == before
        users.router("goes", **GOES)
        users.router("waits", **MISSING)
        users.ready("goes")
        scene.shell(_commands("Everything"))
        _nothing_is_left(scene)


def test_the_manifest_alone_takes_everything_along_too(users: Place, scene: Scene) -> None:
    with new_place(scene.plane, "third") as third, scene.operator():
        third.service("model")
        for place in (users, third):
            place.router("kept", **EVERYTHING)
            place.router("goes", **GOES)
            place.router("waits", **MISSING)
        for place in (users, third):
            place.ready("kept")
            place.ready("goes")
        scene.shell(_commands("Everything").splitlines()[1])
        _nothing_is_left(scene, KEPT, KEPT)


def test_a_router_with_the_go_operators_finalizer_goes_by_the_command_of_the_docs(
    users: Place, scene: Scene
) -> None:
    """docs/uninstall.md, "A router that doesn't go"."""
    scene.shell(f"kubectl apply --server-side -f {INSTALL}")
    scene.shell("kubectl wait --for=condition=Established crd/semanticrouters.vllm.ai")
    users.router("held")
    users.merge("sr", "held", {"metadata": {"finalizers": [FORMER_FINALIZER]}})
    users.delete("sr", "held")
    assert "deletionTimestamp" in users.the("sr", "held")["metadata"]
    command = _commands("A router that doesn't go")
    scene.shell(command.replace("NAMESPACE", users.namespace).replace("NAME", "held"))
    until(lambda: users.get("sr", "held") is None, seconds=5)


def _nothing_is_left(scene: Scene, *but: str) -> None:
    wanted = list(but) or [KEPT]
    until(lambda: scene.left(OURS) == wanted, seconds=END_SECONDS)
    time.sleep(2)  # for what must not come again
    assert scene.left(OURS) == wanted
    assert scene.left(OPERATORS) == []
    assert "vllm.ai" not in {group["name"] for group in scene.kube.ask("GET", "/apis")["groups"]}


def _running(place: Place) -> set[str]:
    """uids of what serves requests."""
    kinds = ("deployment", "service", "configmap", "pod")
    return {item["metadata"]["uid"] for kind in kinds for item in place.all(kind)}


def _commands(heading: str) -> str:
    """The shell block under a heading of the docs."""
    text = (ROOT / "docs" / "uninstall.md").read_text()
    return text.split(f"## {heading}\n")[1].split("```sh\n")[1].split("```")[0]
