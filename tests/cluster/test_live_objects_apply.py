"""Server-side apply on a real API server: what is ours, what is others', and who was first."""

from typing import Any

import pytest

from cluster.live_objects import Object, Place, container, owners, until

REQUESTS = {"requests": {"cpu": "1"}}
SCALING = {"enabled": True, "minReplicas": 1, "maxReplicas": 3}
CHILDREN: list[tuple[str, str, Object]] = [
    ("configmap", "r-config", {"data": {"theirs": "yes"}}),
    ("service", "r", {"spec": {"selector": {"app": "theirs"}, "ports": [{"port": 80}]}}),
    ("serviceaccount", "r", {}),
    (
        "deployment",
        "r",
        {
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": {"app": "theirs"}},
                "template": {
                    "metadata": {"labels": {"app": "theirs"}},
                    "spec": {"containers": [{"name": "theirs", "image": "example.invalid/x"}]},
                },
            }
        },
    ),
    (
        "hpa",
        "r",
        {
            "spec": {
                "maxReplicas": 2,
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "theirs"},
            }
        },
    ),
]
FOREIGN = pytest.mark.parametrize(("kind", "name", "body"), CHILDREN, ids=[c[0] for c in CHILDREN])


def test_a_field_of_ours_that_somebody_edits_is_ours_again(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    before = place.the("deployment", "r")["spec"]
    args = [{"name": "semantic-router", "args": ["-edited"], "image": "example.invalid/edited"}]
    place.strategic("deployment", "r", {"spec": {"template": {"spec": {"containers": args}}}})
    place.merge("configmap", "r-config", {"data": {"config.yaml": "edited: true\n"}})
    place.merge("service", "r", {"spec": {"type": "NodePort", "selector": {"app": "edited"}}})
    until(lambda: place.the("deployment", "r")["spec"] == before)
    until(lambda: "edited" not in place.the("configmap", "r-config")["data"]["config.yaml"])
    until(lambda: place.the("service", "r")["spec"]["selector"].get("app") is None)
    until(lambda: place.the("service", "r")["spec"]["type"] == "ClusterIP")
    place.ready("r")


def test_what_we_made_comes_back_when_it_is_deleted(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    for kind, name in (("configmap", "r-config"), ("service", "r"), ("serviceaccount", "r")):
        uid = place.the(kind, name)["metadata"]["uid"]
        place.delete(kind, name)
        _until_replaced(place, kind, name, uid)
    uid = place.the("deployment", "r")["metadata"]["uid"]
    place.delete("deployment", "r")
    _until_replaced(place, "deployment", "r", uid)
    place.ready("r")


def _until_replaced(place: Place, kind: str, name: str, uid: str) -> None:
    def replaced() -> bool:
        found = place.get(kind, name)
        return found is not None and found["metadata"]["uid"] != uid

    until(replaced)


def test_what_others_add_stays(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    theirs = {"labels": {"example.com/team": "a"}, "annotations": {"example.com/note": "b"}}
    for kind, name in (("configmap", "r-config"), ("service", "r"), ("serviceaccount", "r")):
        place.merge(kind, name, {"metadata": theirs})
    sidecar = {"name": "sidecar", "image": "example.invalid/sidecar"}
    restarted = {"kubectl.kubernetes.io/restartedAt": "2025-01-01T00:00:00Z"}
    template = {"metadata": {"annotations": restarted}, "spec": {"containers": [sidecar]}}
    place.strategic("deployment", "r", {"metadata": theirs, "spec": {"template": template}})
    for number in range(3):
        place.edit("r", podAnnotations={"example.com/edit": str(number)})
        place.condition("r", "ResourcesApplied", "True")
    place.ready("r")
    for kind, name in (("configmap", "r-config"), ("service", "r"), ("deployment", "r")):
        metadata = place.the(kind, name)["metadata"]
        assert metadata["labels"].items() >= theirs["labels"].items()
        assert metadata["annotations"].items() >= theirs["annotations"].items()
    pod = place.the("deployment", "r")["spec"]["template"]
    assert {item["name"] for item in pod["spec"]["containers"]} == {"semantic-router", "sidecar"}
    annotations = pod["metadata"]["annotations"]
    assert annotations.items() >= {**restarted, "example.com/edit": "2"}.items()


def test_a_field_that_leaves_the_router_leaves_the_live_objects(place: Place) -> None:
    place.service("model")
    toleration = {"key": "example.com/a", "operator": "Exists"}
    full: Object = {
        "nodeSelector": {"kubernetes.io/os": "linux", "type": "kwok"},
        "podAnnotations": {"example.com/a": "1", "example.com/b": "2"},
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "tolerations": [toleration, {"key": "example.com/b", "operator": "Exists"}],
        "imagePullSecrets": [{"name": "pull"}],
        "affinity": {"podAntiAffinity": {}},
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2"}},
        "args": ["-secure=false"],
        "serviceAccount": {"annotations": {"example.com/role": "x"}},
        "podSecurityContext": {"runAsUser": 2000},
    }
    place.router("r", **full)
    place.ready("r")
    place.edit(
        "r",
        nodeSelector={"type": None},
        podAnnotations={"example.com/a": None},
        env=full["env"][1:],
        tolerations=[toleration],
        imagePullSecrets=None,
        affinity=None,
        resources={"requests": {"memory": None}, "limits": None},
        args=None,
        serviceAccount=None,
        podSecurityContext=None,
    )
    place.ready("r")
    template = place.the("deployment", "r")["spec"]["template"]
    pod, router = template["spec"], container(place.the("deployment", "r"))
    assert pod["nodeSelector"] == {"kubernetes.io/os": "linux"}
    assert "example.com/a" not in template["metadata"]["annotations"]
    assert router["env"] == [{"name": "B", "value": "2"}]
    assert pod["tolerations"] == [toleration]
    assert not {"imagePullSecrets", "affinity"} & pod.keys()
    assert router["resources"] == {"requests": {"cpu": "1"}}
    assert router["args"] == ["-gateway=standalone", "-listener-address=0.0.0.0"]
    assert pod["securityContext"]["runAsUser"] == 1000
    assert "annotations" not in place.the("serviceaccount", "r")["metadata"]


@FOREIGN
def test_an_object_of_somebody_else_is_not_touched_and_the_freed_name_is_taken(
    place: Place, kind: str, name: str, body: dict[str, Any]
) -> None:
    place.service("model")
    foreign = place.create(kind, name, **body)
    place.router("r", autoscaling=SCALING, resources=REQUESTS)
    found = place.condition("r", "Ready", "False", reason="NameConflict")
    assert name in found["message"]
    applied = place.condition("r", "ResourcesApplied", "False", reason="NameConflict")
    assert foreign["kind"] in applied["message"]
    assert place.condition("r", "Stalled", "True")["reason"] == "NameConflict"
    place.edit("r", podAnnotations={"example.com/edit": "1"})
    place.condition("r", "ResourcesApplied", "False", reason="NameConflict")
    live = place.the(kind, name)
    assert live["metadata"]["uid"] == foreign["metadata"]["uid"]
    assert not [who for who, _ in owners(live, "metadata") if "semantic" in who]
    assert (live.get("spec"), live.get("data")) == (foreign.get("spec"), foreign.get("data"))
    if "status" not in live:  # nobody but its author writes it
        assert live["metadata"]["resourceVersion"] == foreign["metadata"]["resourceVersion"]
    conflicts = [event for event in place.events("r") if event["reason"] == "NameConflict"]
    assert [event["type"] for event in conflicts] == ["Warning"]
    place.delete(kind, name)
    router = place.ready("r")
    (owner,) = place.the(kind, name)["metadata"]["ownerReferences"]
    assert owner["uid"] == router["metadata"]["uid"]


def test_switching_autoscaling_off_leaves_an_hpa_of_somebody_else(place: Place) -> None:
    place.service("model")
    _, _, body = CHILDREN[-1]
    place.create("hpa", "r", **body)
    foreign = place.the("hpa", "r")
    place.router("r", autoscaling=SCALING, resources=REQUESTS)
    place.condition("r", "Ready", "False", reason="NameConflict")
    place.edit("r", autoscaling={"enabled": False})
    place.ready("r")
    live = place.the("hpa", "r")
    assert (live["metadata"]["uid"], live["spec"]) == (foreign["metadata"]["uid"], foreign["spec"])


def test_an_object_with_our_label_and_no_owner_is_not_pruned(place: Place) -> None:
    place.service("model")
    place.router("r")
    labels = place.ready("r") and place.the("service", "r")["metadata"]["labels"]
    place.create("configmap", "lookalike", metadata={"labels": labels}, data={"a": "b"})
    place.edit("r", serviceAccount={"name": "other"})
    place.ready("r")
    assert place.get("configmap", "lookalike") is not None


def test_a_renamed_service_account_takes_the_place_of_the_old_one(place: Place) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    place.edit("r", serviceAccount={"name": "other"})
    until(lambda: place.get("serviceaccount", "r") is None)
    place.ready("r")
    pod = place.the("deployment", "r")["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == "other"
    place.create("serviceaccount", "existing")
    place.edit("r", serviceAccount={"name": "existing", "create": False})
    until(lambda: place.get("serviceaccount", "other") is None)
    place.ready("r")
    assert "ownerReferences" not in place.the("serviceaccount", "existing")["metadata"]
