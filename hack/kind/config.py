"""The kind config of a cluster, and what else differs between the modes."""

from typing import Any

import yaml

from controlplane.binaries import pinned_version
from kind.modes import PUBLIC_NODE_IMAGE, Mode

POD_PREFIX = "10.245"
"""As node/kind/pod-prefix has it."""


def render(mode: Mode, *, name: str, image: str, nodes: int) -> str:
    """Return the config that `kind create cluster --config` reads, as YAML."""
    own = mode is Mode.OWN
    document: dict[str, Any] = {
        "kind": "Cluster",
        "apiVersion": "kind.x-k8s.io/v1alpha4",
        "name": name,
        "nodes": [
            {"role": "worker" if number else "control-plane", "image": image}
            for number in range(nodes)
        ],
        "kubeadmConfigPatches": _own_patches() if own else [],
    }
    if nodes > 1:  # kind itself removes the taint of a single node, and fails if it isn't there
        document["kubeadmConfigPatches"].append(_schedulable())
    if own:
        # the image brings a bridge instead of kindnet
        document["networking"] = {
            "disableDefaultCNI": True,
            "podSubnet": f"{POD_PREFIX}.0.0/16",
            "serviceSubnet": "10.97.0.0/16",
        }
    return yaml.safe_dump(document, sort_keys=False)


def node_image(mode: Mode, own_image: str) -> str:
    """Return the image of the nodes."""
    return own_image if mode is Mode.OWN else PUBLIC_NODE_IMAGE


def _schedulable() -> str:
    """Pods on the control plane's node too: with two nodes there is one to move to."""
    return yaml.safe_dump({"kind": "InitConfiguration", "nodeRegistration": {"taints": []}})


def _own_patches() -> list[str]:
    etcd = pinned_version("go.etcd.io/etcd/server/v3").removeprefix("v")
    cluster = {
        "kind": "ClusterConfiguration",
        "etcd": {"local": {"imageTag": etcd}},
        "dns": {"imageTag": pinned_version("github.com/coredns/coredns")},
    }
    kubelet = {
        "kind": "KubeletConfiguration",
        "cgroupDriver": "cgroupfs",  # cgroup v1 without systemd on the machine
        "failCgroupV1": False,  # kubelet refuses cgroup v1 by default since 1.35
        "resolvConf": "/kind/pod-resolv.conf",
    }
    return [yaml.safe_dump(patch, sort_keys=False) for patch in (cluster, kubelet)]
