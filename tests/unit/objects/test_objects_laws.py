"""What holds for every router."""

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import objects_kit as kit
from semantic_router_operator.model.manifests import CHILD_KINDS
from semantic_router_operator.objects import Built, Images, build
from semantic_router_operator.objects.revision import revision_key

DNS_LABEL = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
SPEC = {
    "autoscaling": {"enabled": True},
    "ingress": {"enabled": True, "hosts": [{"host": "a.example", "paths": [{"path": "/"}]}]},
    "networkPolicy": {"enabled": True},
    "openshift": {"routes": {"enabled": True}},
    "persistence": {"retentionPolicy": "Delete"},
    "podDisruptionBudget": {"enabled": True},
}

part = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True)
router_names = st.lists(part, min_size=1, max_size=6).map(".".join).filter(lambda n: len(n) <= 253)
scalar = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
junk = st.recursive(
    scalar, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner)
)
raw = st.dictionaries(
    st.sampled_from(["limits", "requests", "claims", "capabilities", "runAsUser", "privileged"]),
    junk,
)


def made(name: str) -> Built:
    router = kit.router(SPEC, name=name)
    return build(router, kit.CONFIG, platform=kit.OPENSHIFT, images=Images())


@given(router_names)
def test_op_13_every_name_and_label_is_legal_for_every_name_of_a_router(name: str) -> None:
    for item in made(name).manifests:
        metadata = item.body["metadata"]
        assert DNS_LABEL.fullmatch(item.name)
        assert metadata["name"] == item.name
        assert all(LABEL_VALUE.fullmatch(value) for value in metadata["labels"].values())
        assert metadata["ownerReferences"][0]["name"] == name


@given(router_names)
def test_op_13_the_names_of_recorded_documents_are_legal_and_differ(name: str) -> None:
    router = kit.router(name=name)
    one, two = (revision_key(router, kit.document(text), {}).name for text in ("a", "b"))
    assert DNS_LABEL.fullmatch(one)
    assert DNS_LABEL.fullmatch(two)
    assert one != two


def test_op_13_a_name_that_a_label_cannot_hold_is_in_an_annotation() -> None:
    name = "a" * 70
    result = made(name)
    assert all(
        item.body["metadata"]["annotations"]["vllm.ai/router-name"] == name
        for item in result.manifests
    )
    template = kit.body(result, "Deployment")["spec"]["template"]
    assert template["metadata"]["annotations"]["vllm.ai/router-name"] == name


def test_op_13_two_long_names_that_begin_alike_never_meet() -> None:
    first, second = made("a" * 70 + "-one-two"), made("a" * 70 + "-two-one")
    one, two = kit.body(first, "Deployment"), kit.body(second, "Deployment")
    assert one["metadata"]["name"] != two["metadata"]["name"]
    assert one["spec"]["selector"] != two["spec"]["selector"]


@given(router_names)
def test_references_between_the_objects_meet(name: str) -> None:
    result = made(name)
    template = kit.body(result, "Deployment")["spec"]["template"]
    service = kit.body(result, "Service")
    assert (
        template["spec"]["volumes"][0]["configMap"]["name"]
        == (kit.body(result, "ConfigMap")["metadata"]["name"])
    )
    assert service["spec"]["selector"].items() <= template["metadata"]["labels"].items()
    target = kit.body(result, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"]
    assert target == kit.body(result, "Deployment")["metadata"]["name"]
    route = kit.body(result, "Route")["spec"]
    assert route["to"]["name"] == service["metadata"]["name"]
    assert route["port"]["targetPort"] in {port["name"] for port in service["spec"]["ports"]}
    listening = {port["name"] for port in template["spec"]["containers"][0]["ports"]}
    assert {port["targetPort"] for port in service["spec"]["ports"]} <= listening


def test_objects_come_in_the_order_in_which_they_are_applied() -> None:
    assert tuple(item.kind for item in made("demo").manifests) == CHILD_KINDS


@given(st.permutations(["b", "a", "c"]))
def test_the_order_of_a_map_changes_no_byte(order: list[str]) -> None:
    values = dict.fromkeys(order, "1")
    spec = {
        "nodeSelector": values,
        "podAnnotations": values,
        "resources": {"limits": {f"example.com/{key}": 1 for key in order}},
        "podSecurityContext": {**values, "runAsUser": 5},
    }
    assert json.dumps(kit.pod(spec)) == json.dumps(kit.pod(sorted_maps(spec)))


def sorted_maps(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: sorted_maps(item) for key, item in sorted(value.items())}
    return value


@given(raw, raw, raw)
def test_what_is_passed_on_untouched_never_crashes_the_builders(
    resources: dict[str, Any], pod: dict[str, Any], container: dict[str, Any]
) -> None:
    spec = {
        "autoscaling": {"enabled": True},
        "hardware": {"profile": "nvidia"},
        "resources": resources,
        "podSecurityContext": pod,
        "securityContext": container,
    }
    result = kit.built(spec)
    assert all(issue.path.startswith("spec.") for issue in result.issues)
