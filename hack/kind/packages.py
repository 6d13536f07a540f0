"""Debian packages that nodes of ours need on this machine."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from controlplane.progress import Reporter
from kind import commands

COMMANDS: Mapping[str, str] = {
    "docker": "docker.io",
    "dockerd": "docker.io",
    "containerd": "containerd",
    "runc": "runc",
    "debootstrap": "debootstrap",
    "iptables": "iptables",
    "gcc": "gcc",
    "pkg-config": "pkg-config",
    "tar": "tar",
    "ip": "iproute2",
}
"""Command -> the package that has it."""

FILES: Mapping[str, str] = {
    "/usr/include/seccomp.h": "libseccomp-dev",
    "/usr/include/stdlib.h": "libc6-dev",
}
"""Header -> the package that has it."""

POLICY = Path("/usr/sbin/policy-rc.d")
"""What invoke-rc.d and deb-systemd-invoke ask before they start a service; 101 says no."""

SBIN = "/usr/local/sbin:/usr/sbin:/sbin"


def missing(
    find: Callable[[str], object] | None = None, exists: Callable[[str], bool] | None = None
) -> list[str]:
    """Return the packages whose command or header isn't there."""
    find = find or _find
    exists = exists or (lambda name: Path(name).exists())
    lacking = {package for command, package in COMMANDS.items() if not find(command)}
    return sorted(lacking | {package for name, package in FILES.items() if not exists(name)})


def install(reporter: Reporter, log: Path) -> list[str]:
    """Install what is missing, its services not started; return the names.

    Raises CommandError.
    """
    packages = missing()
    if not packages:
        return []
    apt = ["apt-get", "-y", "-q", "-o", "DPkg::Lock::Timeout=300"]
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    commands.step(reporter, "apt-get update", [*apt, "update"], log)
    command = [*apt, "install", "--no-install-recommends", *packages]
    with _services_stay_down(POLICY):
        commands.step(reporter, f"apt-get install {' '.join(packages)}", command, log, quiet)
    return packages


@contextmanager
def _services_stay_down(policy: Path) -> Iterator[None]:
    """Keep apt from starting Docker's own service, which would change the machine's firewall."""
    if policy.exists():
        yield
        return
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    try:
        yield
    finally:
        policy.unlink()


def _find(command: str) -> str | None:
    return shutil.which(command) or shutil.which(command, path=SBIN)
