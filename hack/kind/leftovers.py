"""What is left of a cluster of ours on the machine: found by the names of its layout, and ended."""

import os
import shutil
import signal
import time
from pathlib import Path

from kind import commands
from kind.errors import CommandError
from kind.layout import Layout

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")
NETWORK = Path("/sys/class/net")
PATIENCE_SECONDS = 15.0


def find(layout: Layout) -> list[str]:
    """Return a line for each process, mount, cgroup, network interface and folder of ours."""
    return [
        *(f"process {pid}: {what}" for pid, what in processes(layout).items()),
        *(f"mount {path}" for path in mounts(layout)),
        *(f"cgroup {path}" for path in cgroups(layout)),
        *(f"network interface {name}" for name in interfaces(layout)),
        *(f"folder {path}" for path in (layout.run, layout.data, layout.state) if path.exists()),
    ]


def end(layout: Layout) -> None:
    """End and remove all that `find` finds, whoever left it: a daemon that was killed, say."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (pids := processes(layout)) and time.monotonic() < deadline:
        for pid in pids:
            _kill(pid)
        time.sleep(0.1)
    for path in mounts(layout):
        _try("umount", "--lazy", path)
    for group in cgroups(layout):
        _remove_cgroup(group, deadline)
    for interface in interfaces(layout):
        _try("ip", "link", "delete", interface)
    if mounts(layout):
        return  # what is mounted is not ours to delete
    for folder in (layout.run, layout.data, layout.state):
        shutil.rmtree(folder, ignore_errors=True)


def processes(layout: Layout) -> dict[int, str]:
    """Return pid -> command line of what runs in a container of ours, or on our folders."""
    found = {}
    for path in PROC.glob("[0-9]*"):
        pid = int(path.name)
        if pid == os.getpid():
            continue
        try:
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            groups = (path / "cgroup").read_text()
        except OSError:
            continue  # it ended meanwhile
        served = command.split(" ", 1)[0].rpartition("/")[2].startswith(("containerd", "dockerd"))
        if f"/{layout.cgroup}/" in groups or (served and str(layout.run) in command):
            found[pid] = command.strip()[:120]
    return found


def mounts(layout: Layout, table: Path = PROC / "self" / "mountinfo") -> list[str]:
    """Return the mount points under our folders, the innermost first."""
    points = [line.split(" ")[4] for line in table.read_text().splitlines()]
    ours = (f"{layout.run}/", f"{layout.data}/")
    return [point for point in reversed(points) if f"{point}/".startswith(ours)]


def cgroups(layout: Layout, root: Path = CGROUPS) -> list[Path]:
    """Return our cgroup in each hierarchy that has it."""
    return sorted(root.glob(f"*/{layout.cgroup}"))


def interfaces(layout: Layout, root: Path = NETWORK) -> list[str]:
    """Return our network interfaces: what is plugged into the bridge, and the bridge.

    A namespace lives on for minutes after its processes while connections of theirs are retried.
    """
    ports = root / layout.bridge / "brif"
    plugged = sorted(path.name for path in ports.iterdir()) if ports.is_dir() else []
    return [*plugged, layout.bridge] if (root / layout.bridge).exists() else []


def _try(*command: str) -> None:
    try:
        commands.output(*command)
    except CommandError:
        return  # `find` will tell what is left


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _remove_cgroup(group: Path, deadline: float) -> None:
    """Remove a cgroup with those in it; the kernel takes a moment to let go of the processes."""
    folders = [Path(folder) for folder, _, _ in os.walk(group, topdown=False)]
    while folders:
        try:
            folders[0].rmdir()
        except FileNotFoundError:
            folders.pop(0)
        except OSError:
            if time.monotonic() > deadline:
                return
            time.sleep(0.1)
        else:
            folders.pop(0)
