"""Which fields are ours, and when a manifest and a live object say the same.

data/*.json are what a real API server (v1.36.3) made of manifests of ours.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_router_operator import names
from semantic_router_operator.cluster.ownership import (
    applied_fields,
    holds,
    merged,
    owned,
    same,
    wanted_digest,
)
from semantic_router_operator.cluster.takeover import takeover_patch

DATA = Path(__file__).parent / "data"
RECORDED = sorted(path.stem for path in DATA.glob("*.json"))


def recorded(kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    both = json.loads((DATA / f"{kind}.json").read_text())
    return both["wanted"], both["live"]


def container(body: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = body["spec"]["template"]["spec"]["containers"][0]
    return found


@pytest.mark.parametrize("kind", RECORDED)
def test_a_manifest_and_what_the_api_server_made_of_it_are_the_same(kind: str) -> None:
    wanted, live = recorded(kind)
    assert same(wanted, live)


@pytest.mark.parametrize("kind", RECORDED)
def test_defaults_and_status_of_the_api_server_are_not_ours(kind: str) -> None:
    part = owned(recorded(kind)[1])
    assert "status" not in part
    assert "uid" not in part["metadata"]
    assert "resourceVersion" not in part["metadata"]


def test_the_recordings_are_of_every_kind_that_a_plain_cluster_has() -> None:
    assert RECORDED == [
        "configmap",
        "deployment",
        "horizontalpodautoscaler",
        "service",
        "serviceaccount",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"cpu": "1000m"}, {"cpu": "1"}),
        ({"cpu": 2}, {"cpu": "2"}),
        ({"cpu": "0.5"}, {"cpu": "500m"}),
        ({"memory": "1024Mi"}, {"memory": "1Gi"}),
        ({"memory": "1e3"}, {"memory": "1k"}),
        ({"cpu": "1.5m"}, {"cpu": "2m"}),
        ({"nvidia.com/gpu": 1}, {"nvidia.com/gpu": "1"}),
    ],
)
def test_quantities_are_equal_by_value(one: object, other: object) -> None:
    """Field case OP-03."""
    wanted, _ = recorded("deployment")
    bodies = []
    for limits in (one, other):
        body = copy.deepcopy(wanted)
        container(body)["resources"] = {"limits": limits}
        bodies.append(wanted_digest(body))
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("place", ["data", "annotations", "labels"])
def test_texts_that_look_like_quantities_are_texts(place: str) -> None:
    one = (
        {"data": {"storage": "1024Mi"}}
        if place == "data"
        else {"metadata": {place: {"storage": "1024Mi"}}}
    )
    other = json.loads(json.dumps(one).replace("1024Mi", "1Gi"))
    assert wanted_digest(one) != wanted_digest(other)


def test_a_changed_value_differs() -> None:
    wanted, live = recorded("deployment")
    container(wanted)["image"] += "x"
    assert not same(wanted, live)


def test_a_value_that_we_no_longer_want_differs() -> None:
    """Field case OP-10."""
    wanted, live = recorded("deployment")
    container(wanted)["env"].pop()
    assert not same(wanted, live)


def test_an_empty_value_and_no_value_are_different_things() -> None:
    with_empty = {"spec": {"nodeSelector": {"gpu": ""}}}
    assert wanted_digest(with_empty) != wanted_digest({"spec": {"nodeSelector": {}}})
    assert wanted_digest(with_empty) != wanted_digest({"spec": {}})


def test_the_order_of_variables_counts() -> None:
    wanted, live = recorded("deployment")
    container(wanted)["env"].reverse()
    assert not same(wanted, live)


def test_a_field_that_another_manager_took_over_differs() -> None:
    """An Update by somebody else takes the field out of our managedFields."""
    wanted, live = recorded("configmap")
    entry = next(
        item for item in live["metadata"]["managedFields"] if item["manager"] == names.FIELD_MANAGER
    )
    del entry["fieldsV1"]["f:data"]["f:config.yaml"]
    assert not same(wanted, live)


def test_what_others_add_makes_no_difference() -> None:
    wanted, live = recorded("deployment")
    live["metadata"]["annotations"] = {"theirs": "1", **live["metadata"].get("annotations", {})}
    live["metadata"]["labels"]["theirs"] = "1"
    pod = live["spec"]["template"]["spec"]
    pod["containers"].insert(0, {"name": "sidecar", "image": "example.invalid/s:1"})
    container_of_ours = pod["containers"][1]
    container_of_ours.setdefault("env", []).append({"name": "THEIRS", "value": "1"})
    assert same(wanted, live)


def test_an_object_that_we_never_applied_is_not_the_same_as_anything() -> None:
    wanted, live = recorded("service")
    live["metadata"]["managedFields"] = []
    assert owned(live) is None
    assert not same(wanted, live)


def test_fields_of_a_subresource_are_not_those_of_the_object() -> None:
    _, live = recorded("service")
    live["metadata"]["managedFields"] = [
        {**item, "subresource": "status"} for item in live["metadata"]["managedFields"]
    ]
    assert applied_fields(live) is None


def test_a_field_is_found_by_its_path() -> None:
    fields: dict[str, Any] = {"f:spec": {"f:replicas": {}}}
    assert holds(fields, "spec", "replicas")
    assert not holds(fields, "spec", "selector")
    assert not holds(None, "spec")


def test_fields_are_merged_and_a_leaf_covers_what_is_below() -> None:
    one: dict[str, Any] = {"f:a": {"f:b": {}}, "f:c": {"f:d": {}}}
    other: dict[str, Any] = {"f:a": {"f:e": {}}, "f:c": {}}
    assert merged(one, other) == {"f:a": {"f:b": {}, "f:e": {}}, "f:c": {"f:d": {}}}


def test_values_of_a_set_and_items_by_position_are_picked() -> None:
    live = {
        "metadata": {
            "finalizers": ["theirs", "ours"],
            "managedFields": [
                {
                    "manager": names.FIELD_MANAGER,
                    "operation": "Apply",
                    "fieldsV1": {
                        "f:metadata": {"f:finalizers": {'v:"ours"': {}}},
                        "f:x": {"i:0": {}},
                    },
                }
            ],
        },
        "x": [1, 2],
    }
    assert owned(live) == {"metadata": {"finalizers": ["ours"]}, "x": [1]}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        ),
    )
)
def test_any_body_has_a_digest_that_does_not_depend_on_the_order_of_its_keys(value: Any) -> None:
    body = {"spec": value, "data": {"a": "b"}}
    assert wanted_digest(body) == wanted_digest(dict(reversed(body.items())))


def former(live: dict[str, Any]) -> dict[str, Any]:
    for item in live["metadata"]["managedFields"]:
        if item["manager"] == names.FIELD_MANAGER:
            item.update(manager="manager", operation="Update")
    return live


def test_fields_of_the_go_operator_become_ours() -> None:
    live = former(recorded("service")[1])
    patch = takeover_patch(live)
    assert patch is not None
    live["metadata"]["managedFields"] = patch[0]["value"]
    assert same(recorded("service")[0], live)
    assert patch[1]["value"] == live["metadata"]["resourceVersion"]


def test_there_is_nothing_to_take_over_from_an_object_that_we_apply_already() -> None:
    assert takeover_patch(recorded("service")[1]) is None
