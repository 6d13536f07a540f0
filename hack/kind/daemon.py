"""A dockerd of ours: its own socket and folders, and the machine's firewall untouched."""

import json
import os
import time
from pathlib import Path

from controlplane import processes
from controlplane.processes import Command
from controlplane.progress import Reporter
from kind import commands, kernel
from kind.errors import CommandError, KindError
from kind.layout import Layout
from kind.packages import SBIN

RUNTIME = Path(__file__).with_name("runc-nosysres")
READY_SECONDS = 60.0
END_SECONDS = 30.0

CONTAINERD_CONFIG = """\
version = 2
root = "{data}/containerd"
state = "{run}/containerd"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "{run}/containerd.sock"
"""


def environment(layout: Layout) -> dict[str, str]:
    """Return the environment in which `docker` and `kind` find our dockerd, and only that."""
    ours = {
        "DOCKER_HOST": f"unix://{layout.socket}",
        "DOCKER_CONFIG": str(layout.run / "docker-config"),
        "DOCKER_BUILDKIT": "0",  # Debian's docker has no buildx
        "PATH": f"{os.environ.get('PATH', '')}:{SBIN}",
    }
    dropped = {"DOCKER_CONTEXT", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH"}
    return {**{k: v for k, v in os.environ.items() if k not in dropped}, **ours}


def start(layout: Layout, reporter: Reporter) -> None:
    """Start containerd and dockerd, and the network that kind puts its nodes in.

    Raises KindError when one runs already or doesn't get ready.
    """
    if running(layout):
        message = f"a dockerd of ours runs already in {layout.run}; `make kind-down` ends it"
        raise KindError(message)
    layout.run.mkdir(mode=0o700, parents=True, exist_ok=True)
    layout.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    kernel.note(layout)
    reporter.say("start a dockerd of our own")
    _launch(layout, _containerd(layout), layout.run / "containerd.sock")
    _launch(layout, _dockerd(layout), layout.socket)
    command = ["network", "create", "--driver=bridge"]
    command += ["-o", f"com.docker.network.bridge.name={layout.bridge}"]
    command += ["-o", "com.docker.network.bridge.enable_ip_masquerade=true", "kind"]
    commands.output("docker", *command, environment=environment(layout))


def stop(layout: Layout) -> None:
    """End dockerd, then containerd: by asking first."""
    for process in sorted(processes.recorded(layout.run), key=lambda p: p.name != "dockerd"):
        process.ask_to_end(END_SECONDS)
        process.end()


def running(layout: Layout) -> list[str]:
    """Return the names of what we started and what still runs."""
    return [process.name for process in processes.recorded(layout.run) if process.alive()]


def answers(layout: Layout) -> bool:
    """Return whether dockerd can be talked to."""
    try:
        commands.output("docker", "version", environment=environment(layout))
    except CommandError:
        return False
    return True


def _containerd(layout: Layout) -> Command:
    config = layout.run / "containerd.toml"
    config.write_text(CONTAINERD_CONFIG.format(data=layout.data, run=layout.run))
    return Command("containerd", ("containerd", f"--config={config}"), _path())


def _dockerd(layout: Layout) -> Command:
    config = layout.run / "dockerd.json"
    settings = {
        "bridge": "none",
        "cgroup-parent": f"/{layout.cgroup}",
        "containerd": str(layout.run / "containerd.sock"),
        "data-root": str(layout.data / "docker"),
        "default-runtime": "nosysres",
        "exec-opts": ["native.cgroupdriver=cgroupfs"],
        "exec-root": str(layout.run / "docker"),
        "hosts": [f"unix://{layout.socket}"],
        "ip-forward": False,
        "ip6tables": False,
        "iptables": False,
        "log-opts": {"max-size": "10m"},
        "pidfile": str(layout.run / "docker.pid"),
        "runtimes": {"nosysres": {"path": str(RUNTIME)}},
        "storage-driver": "overlay2",
    }
    config.write_text(json.dumps(settings, indent=2))
    return Command("dockerd", ("dockerd", f"--config-file={config}"), _path())


def _path() -> tuple[tuple[str, str], ...]:
    return (("PATH", f"{os.environ.get('PATH', '')}:{SBIN}"),)


def _launch(layout: Layout, command: Command, socket: Path) -> None:
    socket.unlink(missing_ok=True)
    process = processes.launch(command, layout.run, outlive_us=True)
    deadline = time.monotonic() + READY_SECONDS
    while not (socket.exists() and (command.name != "dockerd" or answers(layout))):
        if not process.alive() or time.monotonic() > deadline:
            message = f"{command.name} didn't get ready:\n{process.tail()}"
            raise KindError(message)
        time.sleep(0.1)
