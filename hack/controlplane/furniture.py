"""What a fresh cluster is furnished with: nodes to schedule on, volumes to bind."""

from collections.abc import Iterator
from typing import Any

VOLUMES = 16
"""How many PersistentVolumes there are: each binds one claim of any size up to 1 TiB."""

_ROOM = {"cpu": "1000", "memory": "4Ti", "ephemeral-storage": "4Ti", "pods": "10000"}
_NODES = {
    "cpu": ("amd64", {}),
    "gpu": ("amd64", {"nvidia.com/gpu": "64", "amd.com/gpu": "64"}),
    "arm": ("arm64", {}),
}

NODE_NAMES = tuple(_NODES)


def objects(*, with_nodes: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (collection path, object) of all that is to be created."""
    if with_nodes:
        for name, (arch, devices) in _NODES.items():
            yield "/api/v1/nodes", _node(name, arch, devices)
    yield "/apis/storage.k8s.io/v1/storageclasses", _storage_class()
    for number in range(VOLUMES):
        yield "/api/v1/persistentvolumes", _volume(f"volume-{number}")


def _node(name: str, arch: str, devices: dict[str, str]) -> dict[str, Any]:
    labels = {
        "kubernetes.io/arch": arch,
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        "type": "kwok",
    }
    room = _ROOM | devices
    info = {"architecture": arch, "operatingSystem": "linux"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": room, "capacity": room, "nodeInfo": info},
    }


def _storage_class() -> dict[str, Any]:
    """Return the default class: claims bind to volumes that are there, nothing is provisioned."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "standard",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "kubernetes.io/no-provisioner",
    }


def _volume(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany"],
            "capacity": {"storage": "1Ti"},
            "hostPath": {"path": f"/nonexistent/{name}"},
            "persistentVolumeReclaimPolicy": "Retain",
            "storageClassName": "standard",
        },
    }
