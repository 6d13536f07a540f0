"""What the API server says of the cluster as a whole."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Platform:
    """OpenShift means that the groups route.openshift.io and security.openshift.io (or
    config.openshift.io) are both served; a Route CRD alone doesn't change security contexts
    (field case OS-02)."""

    openshift: bool = False
    routes: bool = False
    """Whether route.openshift.io/v1 is served."""
    sleep_action: bool = True
    """Whether a container's hook may be a sleep of the kubelet's own (`lifecycle.preStop.sleep`),
    which takes no program in the image: Kubernetes 1.30 and later."""
