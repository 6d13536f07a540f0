"""A real Kubernetes control plane on loopback, for tests and for the demo.

etcd, kube-apiserver, kube-controller-manager and kube-scheduler, built from the Go modules that
`hack/tools` pins, and kwok in the place of the kubelets: Deployments become Available, no
container ever runs.

    from controlplane import ControlPlane

    with ControlPlane.start(directory) as plane:
        plane.kubectl("get", "nodes")

From a shell: `python -m controlplane start --dir DIR`, with `hack` on PYTHONPATH.
"""

from controlplane.binaries import Binaries, locate
from controlplane.errors import BuildError, ControlPlaneError, KubectlError, StartError
from controlplane.plane import ControlPlane

__all__ = [
    "Binaries",
    "BuildError",
    "ControlPlane",
    "ControlPlaneError",
    "KubectlError",
    "StartError",
    "locate",
]
