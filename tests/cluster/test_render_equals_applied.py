"""`render` prints what the operator applies: every sample, on both platforms.

On a control plane of its own: the objects that the golden cases pretend are made for real, in
namespaces that other tests use too, and OpenShift's kinds concern everybody.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from cluster.cluster_room import wait_for_crd
from cluster.live_objects import until
from cluster.owned_fields import owned, wanted
from controlplane import ControlPlane
from installation import OperatorProcess, install
from semantic_router_operator.model.manifests import CHILD_KINDS

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.yaml"))
STATE = ROOT / "tests" / "golden" / "cluster.yaml"
DATA = Path(__file__).parent / "data"
REFERRED = (
    "gateways.gateway.networking",
    "httproutes.gateway.networking",
    "inferenceservices.serving",
    "llminferenceservices",
)
OPENSHIFT = ("routes.route.openshift", "securitycontextconstraints")
OURS = "app.kubernetes.io/managed-by=semantic-router-operator"
SECONDS = 40.0

Object = dict[str, Any]
Key = tuple[str, str, str]


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The pretended cluster as a real one, the operator, and all samples."""
    directory = tmp_path_factory.mktemp("samples")
    with ControlPlane.start(directory) as started:
        serve(started, REFERRED)
        make(started, yaml.safe_load(STATE.read_text())["items"])
        with OperatorProcess(install(started), directory / "operator.log"):
            started.kubectl("apply", *(f"--filename={path}" for path in SAMPLES))
            yield started


def serve(plane: ControlPlane, kinds: tuple[str, ...]) -> None:
    for path in sorted(DATA.glob("*.yaml")):
        if path.name.startswith(kinds):
            plane.kubectl("apply", "--server-side", "-f", str(path))
            wait_for_crd(plane.kubectl, path.stem)


def make(plane: ControlPlane, objects: list[Object]) -> None:
    """Applies the objects, and what their controllers would say of them."""
    for name in sorted({item["metadata"]["namespace"] for item in objects} - {"default"}):
        plane.kubectl("create", "namespace", name)
    for item in objects:
        item["metadata"].pop("uid", None)
        item["metadata"].pop("generation", None)
    apply(plane, objects)
    for item in objects:
        if "status" in item:
            item["status"] = {**item["status"], "observedGeneration": 1}
    apply(plane, [item for item in objects if "status" in item], "--subresource=status")


def apply(plane: ControlPlane, objects: list[Object], *flags: str) -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
    plane.kubectl("apply", "--server-side", *flags, "-f", "-", input=text)


def key(item: Mapping[str, Any]) -> Key:
    return item["kind"], item["metadata"]["namespace"], item["metadata"]["name"]


def rendered(platform: str) -> dict[Key, Object]:
    """All that `render` prints for the samples."""
    flags = [f"--filename={path}" for path in SAMPLES]
    flags += [f"--cluster={STATE}", f"--platform={platform}"]
    done = subprocess.run(
        [sys.executable, "-m", "semantic_router_operator", "render", *flags],
        check=True,
        capture_output=True,
        text=True,
    )
    return {key(item): wanted(item) for item in yaml.safe_load_all(done.stdout)}


def applied(plane: ControlPlane) -> dict[Key, Object]:
    """All that the operator owns of its objects in the cluster."""
    served = plane.kubectl("api-resources", "-o", "name", "--cached=false").split()
    names = [f"{kind.plural}.{kind.path.split('/')[-2]}" for kind in CHILD_KINDS]
    known = [name.removesuffix(".api") for name in names if name.removesuffix(".api") in served]
    text = plane.kubectl(
        "get", ",".join(known), "-A", "-l", OURS, "-o", "json", "--show-managed-fields"
    )
    return {key(item): owned(item) for item in json.loads(text)["items"]}


def differences(live: object, printed: object, path: str = "") -> Iterator[str]:
    """`path: applied X, rendered Y`, for each place where they differ."""
    if isinstance(live, dict) and isinstance(printed, dict):
        for name in sorted({*live, *printed}, key=str):
            yield from differences(live.get(name), printed.get(name), f"{path}/{name}")
    elif live != printed:
        yield f"{path}: applied {live!r:.200}, rendered {printed!r:.200}"


def settled(plane: ControlPlane) -> bool:
    """Whether the operator has nothing left to do, which pods need not have come to."""
    found = json.loads(plane.kubectl("get", "sr", "-A", "-o", "json"))["items"]
    conditions = [
        {item["type"]: item["status"] for item in router.get("status", {}).get("conditions", ())}
        for router in found
    ]
    return len(found) == len(SAMPLES) and all(
        each.get("ConfigAccepted") == each.get("ResourcesApplied") == "True" for each in conditions
    )


@pytest.mark.parametrize("platform", ["kubernetes", "openshift"])
def test_every_object_is_applied_as_it_is_rendered_and_there_is_no_other(
    platform: str, plane: ControlPlane
) -> None:
    """The second platform is the first one after OpenShift's kinds have appeared."""
    if platform == "openshift":
        serve(plane, OPENSHIFT)
    printed = rendered(platform)
    assert {kind for kind, _, _ in printed} >= {"Deployment", "HorizontalPodAutoscaler"}
    assert ("Route" in {kind for kind, _, _ in printed}) == (platform == "openshift")
    try:
        until(lambda: settled(plane) and applied(plane) == printed, seconds=SECONDS)
    except AssertionError:
        found = list(differences(applied(plane), printed))
        pytest.fail("\n".join(found[:20] or ["a router isn't settled"]), pytrace=False)


def test_every_child_belongs_to_its_router(plane: ControlPlane) -> None:
    """Owner references are what `render` leaves out."""
    text = plane.kubectl("get", "deploy,svc,cm,sa,hpa", "-A", "-l", OURS, "-o", "json")
    owners = [item["metadata"]["ownerReferences"] for item in json.loads(text)["items"]]
    assert owners
    assert all([owner["kind"] for owner in found] == ["SemanticRouter"] for found in owners)
