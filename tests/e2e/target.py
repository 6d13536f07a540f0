"""The cluster that the suite runs against: any kubeconfig, and kind's own unless one is told."""

import http.client
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from typing_extensions import override

from cluster.live_objects import Kube, Refused
from controlplane.progress import Reporter
from kind import programs

ROOT = Path(__file__).parents[2]
KUBECONFIG = ROOT / ".kind" / "kubeconfig"
ANSWER_SECONDS = 15
PROXY_SECONDS = 10.0


class NoClusterError(Exception):
    """There is no cluster that this suite may use; the message says what to do."""


class KubectlError(Exception):
    """kubectl ended with another status than 0."""


@dataclass(frozen=True)
class Target:
    """A cluster by its kubeconfig, with the kubectl that speaks to it."""

    kubeconfig: Path
    kubectl_path: str
    context: str

    def kubectl(self, *arguments: str, stdin: str | None = None) -> str:
        """What kubectl prints. Raises KubectlError with what it complained about."""
        done = subprocess.run(
            [self.kubectl_path, *arguments],
            input=stdin,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            message = f"kubectl {' '.join(arguments)}: {done.stderr.strip()}"
            raise KubectlError(message)
        return done.stdout

    def environment(self) -> dict[str, str]:
        """What kubectl, or a shell with commands of the guide, runs in."""
        path = f"{Path(self.kubectl_path).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        return {**os.environ, "KUBECONFIG": str(self.kubeconfig), "PATH": path}


def find() -> Target:
    """The cluster that KUBECONFIG names, else that of `make kind-up`, once it has answered.

    Raises NoClusterError.
    """
    kubeconfig = Path(os.environ.get("KUBECONFIG") or KUBECONFIG).absolute()
    if not kubeconfig.is_file():
        message = f"there is no {kubeconfig}: `make kind-up` makes a cluster, or say KUBECONFIG=..."
        raise NoClusterError(message)
    kubectl = shutil.which("kubectl") or programs.tools(Reporter()).path("kubectl")
    found = Target(kubeconfig, kubectl, "")
    try:
        context = found.kubectl("config", "current-context").strip()
        _refuse_others(context, kubeconfig)
        found.kubectl("get", "--raw", "/readyz", f"--request-timeout={ANSWER_SECONDS}s")
    except KubectlError as error:
        last = str(error).splitlines()[-1]
        message = f"no cluster answers through {kubeconfig}: {last}"
        raise NoClusterError(message) from None
    return Target(kubeconfig, kubectl, context)


def _refuse_others(context: str, kubeconfig: Path) -> None:
    if context.startswith("kind-") or os.environ.get("E2E_ANY_CONTEXT") == "1":
        return
    message = (
        f"the context {context!r} of {kubeconfig} isn't a kind cluster's, and this suite installs,"
        " kills and removes the operator; E2E_ANY_CONTEXT=1 if that is what you want"
    )
    raise NoClusterError(message)


class ProxiedKube(Kube):
    """JSON to the API server as whoever the kubeconfig makes us, through `kubectl proxy`."""

    def __init__(self, path: Path) -> None:
        self._socket = path
        self._connection = self.connect()
        self.warning = ""

    @override
    def connect(self) -> http.client.HTTPSConnection:
        return _UnixConnection(self._socket)  # type: ignore[return-value]

    def text(self, path: str) -> str:
        """What isn't JSON, such as a log. Raises Refused."""
        with closing(self.connect()) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            said = response.read().decode()
        if response.status >= http.client.BAD_REQUEST:
            raise Refused(response.status, {"message": said})
        return said


class _UnixConnection(http.client.HTTPConnection):
    """HTTP on a socket that only its owner can open."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=30)
        self._path = path

    @override
    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


@contextmanager
def proxied(target: Target) -> Iterator[Path]:
    """`kubectl proxy` for as long as the block lasts; its socket."""
    with TemporaryDirectory(prefix="e2e-") as folder:
        path = Path(folder) / "api"
        command = [target.kubectl_path, "proxy", f"--unix-socket={path}"]
        process = subprocess.Popen(command, env=target.environment(), stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + PROXY_SECONDS
            while not path.exists():
                assert process.poll() is None, "kubectl proxy ended"
                assert time.monotonic() < deadline, "kubectl proxy doesn't listen"
                time.sleep(0.05)
            yield path
        finally:
            process.terminate()
            process.wait()
