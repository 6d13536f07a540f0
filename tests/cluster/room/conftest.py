"""Tests of the cluster room alone: no operator runs on this control plane, or it would join in."""

import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controlplane import ControlPlane


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this folder's own."""
    directory = tmp_path_factory.mktemp("room")
    with ControlPlane.start(directory, audit_log=directory / "logs" / "audit.log") as plane:
        yield plane


@pytest.fixture(scope="session")
def admin(control_plane: ControlPlane) -> Path:
    """The kubeconfig of somebody who may do everything."""
    return control_plane.kubeconfig


@pytest.fixture(scope="session")
def kubectl(control_plane: ControlPlane) -> Callable[..., str]:
    """`kubectl("get", "pods", input=..., kubeconfig=...)` -> its output, or KubectlError."""
    return control_plane.kubectl


@pytest.fixture
def namespace(kubectl: Callable[..., str]) -> Iterator[str]:
    """A namespace of one's own; it goes away by itself, later."""
    name = f"test-{secrets.token_hex(4)}"
    kubectl("create", "namespace", name)
    yield name
    kubectl("delete", "namespace", name, "--wait=false")
