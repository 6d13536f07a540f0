"""One real control plane for the session, started when the first test asks for it."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cluster.live_objects import Kube, Place
from cluster.live_routers import Live, live
from controlplane import ControlPlane, locate
from installation import OperatorProcess, install

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cluster)


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The control plane; its audit log says what anyone asked of it."""
    directory = tmp_path_factory.mktemp("control-plane")
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


@pytest.fixture(scope="session")
def kstatus_binary() -> Path:
    """The kstatus library as a program: objects on standard input, STATUS<TAB>MESSAGE a line."""
    return Path(locate().path("kstatus"))


@pytest.fixture(scope="session")
def installed(control_plane: ControlPlane) -> Path:
    """CRD and RBAC as users install them; the operator's own kubeconfig."""
    return install(control_plane)


@pytest.fixture(scope="session")
def operator(
    installed: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OperatorProcess]:
    """One operator for the session, over all namespaces, with its own rights only."""
    log = tmp_path_factory.mktemp("operator") / "operator.log"
    with OperatorProcess(installed, log) as process:
        yield process


@pytest.fixture(scope="session")
def kube(control_plane: ControlPlane) -> Iterator[Kube]:
    """A quick client of the session's API server."""
    with closing(Kube(control_plane)) as client:
        yield client


@pytest.fixture
def place(kube: Kube, namespace: str, operator: OperatorProcess) -> Place:
    """A namespace of one's own that the session's operator looks after."""
    return Place(kube, namespace)


@pytest.fixture
def here(kube: Kube, operator: OperatorProcess) -> Iterator[Live]:
    """A namespace for what routers refer to; it is looked over in the end for marks of ours."""
    with live(kube) as found:
        yield found
