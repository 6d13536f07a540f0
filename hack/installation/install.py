"""Applies crds/ and the RBAC part of manifests/, and returns the operator's own kubeconfig."""

from pathlib import Path

from controlplane import ControlPlane

ROOT = Path(__file__).parents[2]
NAMESPACE = "semantic-router-operator-system"
SERVICE_ACCOUNT = "semantic-router-operator-controller-manager"


def install(plane: ControlPlane) -> Path:
    """Installs what the operator needs in the cluster; its kubeconfig, with its rights alone.

    Raises KubectlError when something isn't accepted.
    """
    plane.kubectl("apply", "--server-side", "-k", str(ROOT / "crds"))
    plane.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-k", str(ROOT / "crds"))
    plane.kubectl("apply", "--server-side", "-k", str(ROOT / "manifests" / "rbac"))
    return plane.kubeconfig_for_service_account(NAMESPACE, SERVICE_ACCOUNT)
