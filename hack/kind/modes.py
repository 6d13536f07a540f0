"""What the nodes are made of, decided from facts about the machine."""

import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from kind.errors import Unsupported

PUBLIC_NODE_IMAGE = (
    "kindest/node:v1.37.0@sha256:a1ed56cfb0e7b93589bdf97c8cd566405a265939e3620fc4f5de89adff580ae5"
)
"""The default of the kind that hack/tools pins (its pkg/apis/config/defaults/image.go)."""
ASK_SECONDS = 20
PULL_SECONDS = 1200


class Mode(StrEnum):
    """Whose Docker runs the nodes, and whose image they are."""

    DOCKER = "docker"
    OWN = "own"


@dataclass(frozen=True)
class Machine:
    """What decides: `docker` and `own` say why the mode is impossible here, "" when it isn't."""

    docker: str
    own: str


def wanted(environment: Mapping[str, str]) -> Mode | None:
    """Return what KIND_MODE asks for, None for "find out". Raises Unsupported on another word."""
    setting = environment.get("KIND_MODE", "")
    if setting in {"", "auto"}:
        return None
    if setting not in set(Mode):
        message = f"KIND_MODE is {setting!r}: it can be auto, {', '.join(Mode)}"
        raise Unsupported(message)
    return Mode(setting)


def choose(machine: Machine, mode: Mode | None) -> Mode:
    """Return the mode: the wanted one, else Docker where it works.

    Raises Unsupported with the reasons when there is none.
    """
    obstacles = {Mode.DOCKER: machine.docker, Mode.OWN: machine.own}
    for candidate in (mode,) if mode else Mode:
        if not obstacles[candidate]:
            return candidate
    asked = {mode: obstacles[mode]} if mode else obstacles
    reasons = "".join(f"\n  KIND_MODE={name}: {reason}" for name, reason in asked.items())
    message = f"no kind cluster can be made on this machine:{reasons}"
    raise Unsupported(message)


def look(mode: Mode | None) -> Machine:
    """Find the facts out, by trying; what `mode` rules out is not tried."""
    docker = "" if mode is Mode.OWN else _docker_obstacle()
    return Machine(docker, own_obstacle() if mode is Mode.OWN or docker else "")


def own_obstacle() -> str:
    """Return why this machine can't have nodes of ours, "" when it can."""
    obstacles = {
        "it needs Linux on x86-64": (platform.system(), platform.machine()) == ("Linux", "x86_64"),
        "it needs root": hasattr(os, "geteuid") and os.geteuid() == 0,
        "it needs apt-get: Debian 12, or what is made from it": bool(shutil.which("apt-get")),
        "it needs cgroup v1 (or hybrid): with cgroup v2 alone, use Docker": cgroup_v1(),
    }
    return "; ".join(reason for reason, met in obstacles.items() if not met)


def cgroup_v1(root: Path = Path("/sys/fs/cgroup")) -> bool:
    """Return whether the memory controller is a hierarchy of version 1."""
    return (root / "memory" / "cgroup.procs").exists()


def _docker_obstacle() -> str:
    if shutil.which("docker") is None:
        return "there is no docker command"
    error = _try(["docker", "version", "--format", "{{.Server.Version}}"], ASK_SECONDS)
    if error:
        return f"docker doesn't work: {error}"
    if not _try(["docker", "image", "inspect", PUBLIC_NODE_IMAGE], ASK_SECONDS):
        return ""
    error = _try(["docker", "pull", "--quiet", PUBLIC_NODE_IMAGE], PULL_SECONDS)
    return f"the public node image can't be had: {error}" if error else ""


def _try(command: list[str], seconds: int) -> str:
    """Return the last line of what a failing command says, "" when it works."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"no answer to `{' '.join(command[:2])}` within {seconds} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines()
    return lines[-1] if lines else f"exit {done.returncode}"
