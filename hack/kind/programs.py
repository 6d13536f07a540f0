"""The programs of a kind cluster, all pinned by hack/tools and built once into the cache."""

from collections.abc import Mapping

from controlplane.binaries import PACKAGES, Binaries, locate
from controlplane.progress import Reporter

_KUBERNETES = "k8s.io/kubernetes/cmd"
_CONTAINERD = "github.com/containerd/containerd/v2/cmd"

TOOLS: Mapping[str, str] = {
    "kind": "sigs.k8s.io/kind",
    "kubectl": PACKAGES["kubectl"],
    "probe": "./cmd/probe",
}
"""What runs on this machine, and in the smoke check, whatever the nodes are made of."""

NODE: Mapping[str, str] = {
    **{name: PACKAGES[name] for name in ("etcd", "kube-apiserver", "kube-controller-manager")},
    "kube-scheduler": PACKAGES["kube-scheduler"],
    "kubelet": f"{_KUBERNETES}/kubelet",
    "kubectl": PACKAGES["kubectl"],
    "kubeadm": f"{_KUBERNETES}/kubeadm",
    "kube-proxy": f"{_KUBERNETES}/kube-proxy",
    "containerd": f"{_CONTAINERD}/containerd",
    "containerd-shim-runc-v2": f"{_CONTAINERD}/containerd-shim-runc-v2",
    "ctr": f"{_CONTAINERD}/ctr",
    "runc": "github.com/opencontainers/runc",
    "crictl": "sigs.k8s.io/cri-tools/cmd/crictl",
    "coredns": "./cmd/coredns",
    "pause": "./cmd/pause",
    "metrics-server": "./cmd/metrics-server",
    "local-path-provisioner": "github.com/rancher/local-path-provisioner",
}
"""What a node image of ours has in it, the images that the node imports included."""


def tools(reporter: Reporter) -> Binaries:
    """Return the programs that every cluster needs. Raises BuildError."""
    return locate(reporter, packages=TOOLS, with_assets=False)


def node(reporter: Reporter) -> Binaries:
    """Return the programs of a node, of our own build: static, and of one version.

    Raises BuildError.
    """
    return locate(reporter, packages=NODE, with_assets=False)
