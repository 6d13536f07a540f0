"""What a node changes on the machine around its container, noted before and set back after.

The sysctls of systemd and kubelet aren't a namespace's: a kind node sets them for all.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from kind.layout import Layout

SYSCTLS = (
    *("fs/file-max", "fs/nr_open"),
    *("kernel/keys/root_maxbytes", "kernel/keys/root_maxkeys"),
    *("kernel/panic", "kernel/panic_on_oops"),
    "net/ipv4/ip_forward",
    *("vm/overcommit_memory", "vm/panic_on_oom"),
)
"""What systemd (bump_file_max_and_nr_open), kubelet (setupKernelTunables) and dockerd write."""

PATHS = (
    "/etc/cni",
    "/etc/docker",
    "/etc/docker/key.json",
    "/lib/modules",
    "/opt/containerd",
    "/run/containerd",
    "/run/docker",
    "/var/lib/containerd",
)
"""What docker and containerd make when it isn't there; a folder is removed if it has no file."""

PROC = Path("/proc/sys")


def note(layout: Layout, proc: Path = PROC, paths: Iterable[str] = PATHS) -> None:
    """Write down how the machine is; a note that is there stays, it is older."""
    path = _file(layout)
    if path.exists():
        return
    found = {
        "sysctls": {name: value for name in SYSCTLS if (value := _read(proc / name)) is not None},
        "absent": [path for path in paths if not Path(path).exists()],
    }
    path.write_text(json.dumps(found, indent=2))


def restore(layout: Layout, proc: Path = PROC) -> list[str]:
    """Set back what `note` wrote down; return the names of what could not be."""
    path = _file(layout)
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    for name, value in found["sysctls"].items():
        if _read(proc / name) not in {value, None}:
            (proc / name).write_text(value)
    for path in sorted(found["absent"], reverse=True):
        _remove(Path(path))
    return [
        name for name, value in found["sysctls"].items() if _read(proc / name) not in {value, None}
    ]


def _file(layout: Layout) -> Path:
    return layout.run / "before.json"


def _read(path: Path) -> str | None:
    return path.read_text().strip() if path.exists() else None


def _remove(path: Path) -> None:
    if path.is_file():
        path.unlink()
    inside = sorted(path.rglob("*"), reverse=True) if path.is_dir() else []
    if path.is_dir() and all(found.is_dir() for found in inside):
        for folder in (*inside, path):
            folder.rmdir()
