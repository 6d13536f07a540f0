"""What a cluster leaves is found by its names, and no one else's things are."""

import json
from pathlib import Path

from kind import kernel, leftovers, packages
from kind.layout import Layout
from kind.operator_image import share

MOUNTS = """\
22 1 254:0 / / rw shared:1 - ext4 /dev/vda rw
40 22 0:4 net:[4026532500] {run}/docker/netns/abc rw shared:7 - nsfs nsfs rw
41 22 0:50 / {data}/docker/overlay2/x/merged rw - overlay overlay rw
42 22 0:51 / {data}-of-somebody-else/merged rw - overlay overlay rw
"""


def a_layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path / ".kind", tmp_path / "run")


def test_clusters_of_two_clones_have_nothing_in_common(tmp_path: Path) -> None:
    one, other = Layout(tmp_path / "a/.kind"), Layout(tmp_path / "b/.kind")
    for place in ("run", "data", "bridge", "cgroup", "kubeconfig"):
        assert getattr(one, place) != getattr(other, place)


def test_sockets_and_interfaces_have_names_that_the_kernel_takes(tmp_path: Path) -> None:
    layout = Layout(tmp_path / ("deep/" * 40) / ".kind")
    assert len(str(layout.run / "docker" / "containerd" / "containerd.sock")) < 107
    assert len(layout.bridge) <= 15


def test_our_mounts_are_found_the_innermost_first(tmp_path: Path) -> None:
    layout, table = a_layout(tmp_path), tmp_path / "mountinfo"
    table.write_text(MOUNTS.format(run=layout.run, data=layout.data))
    assert leftovers.mounts(layout, table) == [
        f"{layout.data}/docker/overlay2/x/merged",
        f"{layout.run}/docker/netns/abc",
    ]


def test_our_cgroups_are_found_in_every_hierarchy(tmp_path: Path) -> None:
    layout = a_layout(tmp_path)
    for name in (f"memory/{layout.cgroup}", f"pids/{layout.cgroup}", "memory/docker"):
        (tmp_path / name).mkdir(parents=True)
    found = leftovers.cgroups(layout, tmp_path)
    assert found == [tmp_path / "memory" / layout.cgroup, tmp_path / "pids" / layout.cgroup]


def test_what_is_plugged_into_our_bridge_is_ours(tmp_path: Path) -> None:
    layout = a_layout(tmp_path)
    assert leftovers.interfaces(layout, tmp_path) == []
    (tmp_path / layout.bridge / "brif" / "veth1").mkdir(parents=True)
    assert leftovers.interfaces(layout, tmp_path) == ["veth1", layout.bridge]


def test_sysctls_are_set_back_and_empty_folders_of_docker_removed(tmp_path: Path) -> None:
    layout, panic = a_layout(tmp_path), tmp_path / "proc/kernel/panic"
    layout.run.mkdir(parents=True)
    panic.parent.mkdir(parents=True)
    panic.write_text("1\n")
    made, kept = tmp_path / "etc/cni", tmp_path / "etc/docker"
    kernel.note(layout, tmp_path / "proc", [str(made), str(kept)])
    panic.write_text("10\n")
    (made / "net.d").mkdir(parents=True)
    kept.mkdir()
    (kept / "daemon.json").write_text("{}")
    kernel.note(layout, tmp_path / "proc", [])  # of a second start: the first one counts

    assert kernel.restore(layout, tmp_path / "proc") == []

    assert panic.read_text().strip() == "1"
    assert not made.exists()
    assert (kept / "daemon.json").exists()


def test_the_note_has_only_the_sysctls_that_this_kernel_has(tmp_path: Path) -> None:
    layout = a_layout(tmp_path)
    layout.run.mkdir(parents=True)
    kernel.note(layout, tmp_path / "proc", [])
    assert json.loads((layout.run / "before.json").read_text()) == {"sysctls": {}, "absent": []}


def test_missing_packages_are_named_once_each() -> None:
    found = packages.missing(
        lambda command: command not in {"docker", "dockerd", "debootstrap"},
        lambda header: "seccomp" not in header,
    )
    assert found == ["debootstrap", "docker.io", "libseccomp-dev"]


def test_an_images_files_are_told_by_package() -> None:
    site = "/opt/operator/lib/python3.11/site-packages"
    assert share(f"{site}/kopf/on.py") == "package kopf"
    assert share(f"{site}/six.py") == "package six"
    assert share("/usr/lib/python3.11/json/decoder.py") == "Python"
    assert share("/usr/bin/perl") == "/usr/bin"
