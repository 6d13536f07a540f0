"""The workload through the whole operator, with its own rights and nobody else's."""

from cluster.live_objects import Object, Place, until

PATHS = [{"path": "/", "pathType": "Exact"}]
WAYS_IN = ("ingress", "networkpolicy", "pdb")
FULL: Object = {
    "ingress": {"enabled": True, "hosts": [{"host": "r.example.com", "paths": PATHS}]},
    "networkPolicy": {"enabled": True},
    "podDisruptionBudget": {"enabled": True},
    "persistence": {"annotations": {"example.com/a": "1"}},
}


def test_op_07_and_op_10_everything_comes_with_the_resource_and_goes_with_it_but_the_data(
    place: Place,
) -> None:
    place.service("model")
    place.router("r", **FULL)
    router = place.ready("r")
    for kind in WAYS_IN:
        (owner,) = place.the(kind, "r")["metadata"]["ownerReferences"]
        assert owner["uid"] == router["metadata"]["uid"]
    claim = place.the("claim", "r-models")
    assert "ownerReferences" not in claim["metadata"]
    (pod,) = place.all("pod")
    (models,) = (v for v in pod["spec"]["volumes"] if v["name"] == "models-volume")
    assert models["persistentVolumeClaim"] == {"claimName": "r-models"}
    place.edit("r", ingress=None, networkPolicy=None, podDisruptionBudget=None, persistence=None)
    until(lambda: [kind for kind in WAYS_IN if place.get(kind, "r")] == [])
    place.ready("r")
    assert place.the("claim", "r-models")["metadata"]["uid"] == claim["metadata"]["uid"]
    assert place.the("deployment", "r")["spec"]["strategy"]["type"] == "RollingUpdate"


def test_op_07_a_wish_that_a_claim_cannot_follow_is_in_the_status_and_the_rest_goes_on(
    place: Place,
) -> None:
    place.service("model")
    place.router("r", persistence={"size": "2Gi"})
    place.ready("r")
    place.edit("r", persistence={"size": "1Gi"}, podAnnotations={"example.com/a": "1"})
    found = place.condition("r", "ResourcesApplied", "False", reason="ObjectRejected")
    assert found["message"].startswith("spec.persistence.size: the claim has 2Gi and can't shrink")
    template = place.the("deployment", "r")["spec"]["template"]
    assert template["metadata"]["annotations"]["example.com/a"] == "1"
    place.edit("r", persistence={"size": "2Gi"})
    place.ready("r")


def test_sr_13_a_mount_that_cannot_be_is_said_of_its_field(place: Place) -> None:
    place.service("model")
    mount = {"name": "mine", "mountPath": "/app/config"}
    place.router("r", volumes=[{"name": "mine", "emptyDir": {}}], volumeMounts=[mount])
    found = place.condition("r", "Stalled", "True")
    assert found["message"].startswith("spec.volumeMounts[0].mountPath: ")
    place.edit("r", volumeMounts=[{**mount, "mountPath": "/app/models"}])
    place.ready("r")
