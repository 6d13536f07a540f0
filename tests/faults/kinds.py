"""Kinds that not every cluster has."""

import contextlib
from pathlib import Path

from cluster.live_objects import Kube, Place, Refused, until
from controlplane import ControlPlane

DATA = Path(__file__).parents[1] / "cluster" / "data"
FILES = {"gateway": "gateways.gateway.networking.k8s.io.yaml"}
"""The CRD of a kind, by the short name of `Place`."""


def serve(plane: ControlPlane) -> None:
    """Installs all of them; returns when they are served."""
    for name in FILES.values():
        plane.kubectl("apply", "--server-side", "-f", str(DATA / name))
    with contextlib.closing(Kube(plane)) as kube:
        place = Place(kube, "default")
        until(lambda: all(_served(place, kind) for kind in FILES))


def _served(place: Place, kind: str) -> bool:
    """A CRD that has just been made isn't there at first, then answers 429."""
    try:
        place.all(kind)
    except Refused:
        return False
    return True
