"""The folder of one control plane before anything runs in it."""

import shutil
import socket
from contextlib import ExitStack
from pathlib import Path

from controlplane import components, kubeconfig, pki, processes
from controlplane.components import Layout
from controlplane.errors import StartError

_MASTERS = "system:masters"
_CLIENTS: dict[str, tuple[str, ...]] = {
    "admin": (_MASTERS,),
    # all its controllers share one identity here, and the role of that name has the rights of none
    "kube-controller-manager": (_MASTERS,),
    "kube-scheduler": (),
    "kwok": (_MASTERS,),
}


def prepare(directory: Path) -> Path:
    """Make the folder ours alone and empty it of what an earlier plane left.

    Raises:
        StartError: another one runs in it.
    """
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    alive = [process.name for process in processes.recorded(directory) if process.alive()]
    if alive:
        message = f"a control plane runs in {directory}: {', '.join(alive)}; stop it first"
        raise StartError(message)
    for name in ("etcd", "logs", "pki", "run", "service-accounts"):
        shutil.rmtree(directory / name, ignore_errors=True)
    return directory


def free_ports(count: int) -> list[int]:
    """Return ports that nobody listens on at this moment."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def write_identities(layout: Layout) -> None:
    """Write certificates and keys to the pki folder, and a kubeconfig for each client."""
    authority = pki.Authority()
    hosts = ("127.0.0.1", "localhost", *components.SERVICE_HOSTS)
    clients = {
        name: authority.client(f"system:{name}", groups) for name, groups in _CLIENTS.items()
    }
    layout.pki.mkdir()
    (layout.pki / "ca.crt").write_bytes(authority.certificate)
    keep = {
        "apiserver": authority.server(hosts),
        "sa": pki.signing_key(),
        "admin": clients["admin"],
    }
    for name, identity in keep.items():
        (layout.pki / f"{name}.crt").write_bytes(identity.certificate)
        (layout.pki / f"{name}.key").write_bytes(identity.key)
    for name, identity in clients.items():
        user = kubeconfig.client_certificate(identity)
        kubeconfig.write(layout.kubeconfig(name), layout.server, authority.certificate, user)
