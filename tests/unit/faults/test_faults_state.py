from typing import Any

from faults.state import differences, duplicates, normalised, orphans


def thing(kind: str, name: str, uid: str, *, owner: str = "", **parts: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "uid": uid, "resourceVersion": uid}
    if owner:
        metadata["ownerReferences"] = [{"kind": "SemanticRouter", "name": "r", "uid": owner}]
    return {"kind": kind, "metadata": {**metadata, **parts.pop("metadata", {})}, **parts}


def run(uid: str, *, generation: int = 1, at: str = "noon") -> list[dict[str, Any]]:
    condition = {"type": "Ready", "status": "True", "lastTransitionTime": at}
    status = {"observedGeneration": generation, "conditions": [condition]}
    return [
        thing("SemanticRouter", "r", uid, metadata={"generation": generation}, status=status),
        thing("ConfigMap", "r-config", f"{uid}1", owner=uid, data={"a": "b"}),
        thing("Pod", f"r-{uid}", f"{uid}2", owner="a replica set", status={"conditions": []}),
        thing("ConfigMap", "kube-root-ca.crt", f"{uid}3", data={"ca": uid}),
    ]


def test_two_runs_that_ended_alike_have_the_same_state() -> None:
    first = normalised(run("1"))
    assert first == normalised(run("2", generation=7, at="midnight")[::-1])
    assert first["pods"] == {"ready": 0, "not ready": 1}


def test_a_status_that_lags_behind_is_a_difference() -> None:
    late = run("1", generation=2)
    late[0]["status"]["observedGeneration"] = 1
    told = differences(normalised(run("1")), normalised(late))
    assert told == ["SemanticRouter/r.status.observedGeneration: true became false"]


def test_a_missing_object_and_a_changed_field_are_named() -> None:
    less, other = run("1"), run("1")
    del less[1]
    other[1]["data"] = {"a": "c"}
    assert differences(normalised(run("1")), normalised(less))[0].endswith("became null")
    told = differences(normalised(run("1")), normalised(other))
    assert told == ['ConfigMap/r-config.data.a: "b" became "c"']


def test_an_object_of_an_owner_that_is_gone_is_an_orphan() -> None:
    assert orphans(run("1")) == []
    assert orphans(run("1")[1:]) == ["ConfigMap/r-config"]
    assert differences(normalised(run("1")), normalised([run("1")[0], run("2")[1]])) != []


def test_twins_of_one_owner_are_duplicates() -> None:
    twin = thing("ConfigMap", "r-config-2", "9", owner="1", data={"a": "b"})
    assert duplicates(run("1")) == []
    assert duplicates([*run("1"), twin]) == ["ConfigMap/r-config", "ConfigMap/r-config-2"]
