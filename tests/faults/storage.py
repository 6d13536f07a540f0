"""Scenarios of a router's claim, with a volume that nobody has to provision."""

from cluster.live_objects import Object, Place
from faults.scenario import ONE, ROUTER, Act, Scenario, edited, rolled, routed

CLASS = "nobody-provisions-it"
LABEL = "faults"
"""On what isn't in the namespace of a scenario but belongs to it; its value is that namespace."""
PERSISTENCE: Object = {"storageClassName": CLASS, "size": "1Gi"}


def volume(place: Place, size: str = "1Gi") -> None:
    """A volume that the router's claim gets, which the harness removes."""
    spec: Object = {
        "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": size},
        "claimRef": {"namespace": place.namespace, "name": f"{ROUTER}-models"},
        "csi": {"driver": "example.com", "volumeHandle": "v"},
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": CLASS,
    }
    metadata = {"name": f"{place.namespace}-models", "labels": {LABEL: place.namespace}}
    body = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec}
    place.kube.ask("POST", "/api/v1/persistentvolumes", body)


def _with_volume(**spec: object) -> Act:
    def prepare(place: Place) -> None:
        volume(place)
        routed(ONE, **spec)(place)

    return prepare


def bound(place: Place) -> bool:
    """The router's claim has its volume, and the pods run with it."""
    claim = place.get("claim", f"{ROUTER}-models") or {}
    phase = (claim.get("status") or {}).get("phase")
    return phase == "Bound" and rolled(place) and _mounts_claim(place)


def _unmounted(place: Place) -> bool:
    """The pods run without the claim, which stays."""
    return rolled(place) and not _mounts_claim(place)


def _mounts_claim(place: Place) -> bool:
    template = place.the("deployment", ROUTER)["spec"]["template"]["spec"]
    return "persistentVolumeClaim" in str(template["volumes"])


STORAGE = (
    Scenario("claim on", edited(persistence=PERSISTENCE), bound, _with_volume(), rolled),
    Scenario(
        "claim off",
        edited(persistence={"enabled": False}),
        _unmounted,
        _with_volume(persistence=PERSISTENCE),
        bound,
    ),
)
