"""Applies crds/ and the RBAC part of manifests/, and returns the operator's own kubeconfig."""

import json
import time
from pathlib import Path
from typing import Any

from controlplane import ControlPlane, StartError

ROOT = Path(__file__).parents[2]
NAMESPACE = "semantic-router-operator-system"
SERVICE_ACCOUNT = "semantic-router-operator-controller-manager"
CRD = "semanticrouters.vllm.ai"
ESTABLISHED_SECONDS = 30.0


def install(plane: ControlPlane) -> Path:
    """Installs what the operator needs in the cluster; its kubeconfig, with its rights alone.

    Raises KubectlError when something isn't accepted, StartError when the CRD isn't served in time.
    """
    plane.kubectl("apply", "--server-side", "-k", str(ROOT / "crds"))
    _wait_until_established(plane)
    plane.kubectl("apply", "--server-side", "-k", str(ROOT / "manifests" / "rbac"))
    return plane.kubeconfig_for_service_account(NAMESPACE, SERVICE_ACCOUNT)


def _wait_until_established(plane: ControlPlane) -> None:
    """`kubectl wait` fails on a CRD that has no conditions yet, so this asks until it has."""
    deadline = time.monotonic() + ESTABLISHED_SECONDS
    while not _established(json.loads(plane.kubectl("get", "crd", CRD, "-o", "json"))):
        if time.monotonic() > deadline:
            message = f"CRD {CRD} wasn't established within {ESTABLISHED_SECONDS:.0f} s"
            raise StartError(message)
        time.sleep(0.05)


def _established(crd: dict[str, Any]) -> bool:
    found = (crd.get("status") or {}).get("conditions") or ()
    return any(item["type"] == "Established" and item["status"] == "True" for item in found)
