"""One control plane: its life, and the few things a test asks of it."""

import atexit
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from controlplane import components, furniture, kubeconfig, processes, workspace
from controlplane.api import Api
from controlplane.binaries import Binaries, locate
from controlplane.components import Layout
from controlplane.errors import ControlPlaneError, KubectlError, StartError
from controlplane.processes import Command, Process

READY_SECONDS = 60.0
"""How long any one step of the start may take."""
TOKEN_SECONDS = 7 * 24 * 3600
"""How long the token in the kubeconfig of a ServiceAccount is good for."""


class ControlPlane:
    """A running control plane, all of whose state is under `directory`."""

    def __init__(self, layout: Layout, binaries: Binaries) -> None:
        self.directory = layout.directory
        self.server = layout.server
        self.kubeconfig = layout.kubeconfig("admin")
        self.audit_log: Path | None = None
        self._layout = layout
        self._binaries = binaries
        self._commands: dict[str, Command] = {}
        self._processes: dict[str, Process] = {}
        self._outlive_us = False

    @classmethod
    def start(
        cls,
        directory: Path,
        *,
        with_kwok: bool = True,
        audit_log: Path | None = None,
        apiserver_args: tuple[str, ...] = (),
        detached: bool = False,
    ) -> Self:
        """Start a control plane and return it once a pod could be created and scheduled.

        Args:
            directory: where it keeps everything; what an earlier one left there is replaced.
            with_kwok: with nodes whose pods become Ready. Without, pods stay Pending.
            audit_log: where every request is logged at level Metadata, one JSON object a line.
            apiserver_args: further flags of kube-apiserver; they win over ours.
            detached: it lives on when we end, until `stop`. Otherwise it never does.

        Raises:
            BuildError: a program is missing.
            StartError: a process ended, or did not get ready; nothing is left running.
        """
        binaries = locate()
        directory = workspace.prepare(directory.absolute())
        plane = cls(Layout(directory, *workspace.free_ports(2)), binaries)
        plane.audit_log = audit_log
        plane._outlive_us = detached
        with ExitStack() as on_failure:
            on_failure.callback(plane.stop)
            plane._bring_up(apiserver_args, with_kwok=with_kwok)
            on_failure.pop_all()
        if not detached:
            atexit.register(plane.stop)
        return plane

    @classmethod
    def attach(cls, directory: Path) -> Self:
        """Return the control plane that was started under `directory` by another process.

        Raises:
            ControlPlaneError: there is none.
        """
        directory = directory.absolute()
        try:
            ports = json.loads((directory / "ports.json").read_text())
        except FileNotFoundError:
            message = f"no control plane was started in {directory}"
            raise ControlPlaneError(message) from None
        plane = cls(Layout(directory, ports["etcd"], ports["api"]), locate())
        plane._processes = {p.name: p for p in processes.recorded(directory)}
        return plane

    def __enter__(self) -> Self:
        """Return the plane; leaving the block stops it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the plane."""
        self.stop()

    def stop(self) -> None:
        """End every process that this plane started, and drop its data; the logs stay."""
        for process in reversed(self._processes.values()):
            process.end()
        self._processes.clear()
        shutil.rmtree(self._layout.data, ignore_errors=True)
        atexit.unregister(self.stop)

    @property
    def api(self) -> Api:
        """Plain requests to the API server, as admin."""
        return Api(self.server, self._layout.pki)

    def running(self) -> dict[str, int]:
        """Return program -> pid of what runs."""
        return {name: p.pid for name, p in self._processes.items() if p.alive()}

    def ready(self) -> bool:
        """Return whether the API server says that it is ready."""
        return Api(self.server, self._layout.pki).ready()

    def stop_program(self, name: str) -> None:
        """End one program as a crash would, to see what its absence does."""
        self._processes.pop(name).end()

    def start_program(self, name: str) -> None:
        """Start again what `stop_program` ended; wait until the API server is ready."""
        self._launch(self._commands[name])
        self._wait("the API server to be ready", self.ready)

    def kubectl(self, *args: str, input: str | None = None, kubeconfig: Path | None = None) -> str:  # noqa: A002 - as subprocess.run calls it
        """Run kubectl, as admin unless `kubeconfig` says otherwise, and return its output.

        Raises:
            KubectlError: it ended with another status than 0.
        """
        environment = {
            **os.environ,
            "KUBECONFIG": str(kubeconfig or self.kubeconfig),
            "KUBECACHEDIR": str(self.directory / "kubectl-cache"),
        }
        done = subprocess.run(
            [self._binaries.path("kubectl"), *args],
            input=input,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise KubectlError(args, done.returncode, done.stderr)
        return done.stdout

    def kubeconfig_for_service_account(self, namespace: str, name: str) -> Path:
        """Return a kubeconfig that may do what this ServiceAccount may, and nothing else.

        Raises:
            ApiError: there is no such ServiceAccount.
        """
        path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
        request = {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "spec": {"expirationSeconds": TOKEN_SECONDS},
        }
        answer = Api(self.server, self._layout.pki).create(path, request)
        return kubeconfig.write(
            self.directory / "service-accounts" / f"{namespace}.{name}.kubeconfig",
            self.server,
            (self._layout.pki / "ca.crt").read_bytes(),
            {"token": answer["status"]["token"]},
            namespace=namespace,
        )

    def _bring_up(self, extra: tuple[str, ...], *, with_kwok: bool) -> None:
        layout, binaries, audit_log = self._layout, self._binaries, self.audit_log
        workspace.write_identities(layout)
        ports = {"etcd": layout.etcd_port, "api": layout.api_port}
        (self.directory / "ports.json").write_text(json.dumps(ports))
        self._launch(components.etcd(layout, binaries))
        self._launch(components.apiserver(layout, binaries, audit_log=audit_log, extra=extra))
        self._wait("the API server to be ready", self.ready)
        self._launch(components.controller_manager(layout, binaries))
        self._launch(components.scheduler(layout, binaries))
        if with_kwok:
            self._launch(components.kwok(layout, binaries))
        api = Api(self.server, layout.pki)
        for path, body in furniture.objects(with_nodes=with_kwok):
            api.create(path, body)
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        self._wait("the default ServiceAccount", lambda: api.get(account) is not None)
        if with_kwok:
            self._wait("the nodes to be Ready", lambda: _all_nodes_ready(api))

    def _launch(self, command: Command) -> None:
        self._commands[command.name] = command
        process = processes.launch(command, self.directory, outlive_us=self._outlive_us)
        self._processes[command.name] = process

    def _wait(self, what: str, check: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while not check():
            for process in self._processes.values():
                if not process.alive():
                    message = f"{process.name} ended while we waited for {what}:\n{process.tail()}"
                    raise StartError(message)
            if time.monotonic() > deadline:
                tails = [f"--- {p.name}\n{p.tail(8)}" for p in self._processes.values()]
                message = f"waited {READY_SECONDS:.0f} s for {what}:\n" + "\n".join(tails)
                raise StartError(message)
            time.sleep(0.05)


def _all_nodes_ready(api: Api) -> bool:
    listed = api.get("/api/v1/nodes") or {}
    nodes = listed.get("items", [])
    return len(nodes) == len(furniture.NODE_NAMES) and all(
        ("Ready", "True")
        in [(c["type"], c["status"]) for c in node["status"].get("conditions", [])]
        and not node["spec"].get("taints")
        for node in nodes
    )
