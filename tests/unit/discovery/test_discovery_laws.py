"""The same cluster in any order of its lists gives the same discovery."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.cluster_objects import address, endpoint_slice, inference_service, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import entry, router_body
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.resolution import Resolved

LABELS = {"app": "x"}
BODY = router_body(
    entry({"type": "serviceSelector", "serviceSelector": {"matchLabels": LABELS}}),
    entry({"type": "llamastack", "discoveryLabels": LABELS}),
    entry({"type": "endpointslice", "endpointSlice": {"serviceName": "a", "maxEndpoints": 3}}),
    entry({"type": "service", "service": {"name": "b", "port": "http"}}),
    entry({"type": "kserve", "inferenceServiceName": "isvc"}),
)
NAMES = ("a", "b", "c")

ports = st.lists(
    st.sampled_from(
        [
            port(80, "http", targetPort="web"),
            port(443, "https"),
            port(8321, "llama"),
            port(9090, "metrics"),
            port(7000, "x"),
            port(7001, "y"),
            port(8000, "u", protocol="UDP"),
        ]
    ),
    unique_by=lambda item: item["name"],
    max_size=4,
)
services = st.builds(
    lambda name, these, headless, annotated: service(
        name,
        *these,
        meta={"labels": LABELS, "annotations": {"vllm.ai/port": annotated}},
        clusterIP="None" if headless else "10.96.0.1",
    ),
    st.sampled_from(NAMES),
    ports,
    st.booleans(),
    st.sampled_from(["7000", "bad", "443"]),
)
slices = st.builds(
    lambda index, of, hosts, these: endpoint_slice(
        f"s{index}", of, [address(host, ready=ready) for host, ready in hosts], these
    ),
    st.integers(0, 9),
    st.sampled_from(NAMES),
    st.lists(
        st.tuples(
            st.sampled_from(["10.0.0.1", "10.0.0.2", "10.0.0.10", "fd00::1", "not one"]),
            st.sampled_from([True, False, None]),
        ),
        max_size=5,
    ),
    ports,
)
ISVC = inference_service("isvc", status={"address": {"url": "http://c.ml.svc.cluster.local"}})


def unique(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """At most one object of a kind and name, as in a cluster."""
    return list({(item["kind"], item["metadata"]["name"]): item for item in objects}.values())


def shuffled(item: dict[str, Any], order: random.Random) -> dict[str, Any]:
    """The same object with its lists, whose order means nothing, in another order."""
    spec: dict[str, Any] = {
        key: order.sample(value, len(value)) for key, value in item.items() if key == "endpoints"
    }
    if "spec" in item and isinstance(item["spec"].get("ports"), list):
        these = item["spec"]["ports"]
        spec["spec"] = {**item["spec"], "ports": order.sample(these, len(these))}
    return {**item, **spec}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(services, slices), max_size=8), st.randoms(use_true_random=False))
def test_any_order_of_a_cluster_list_gives_the_same_resolution(
    objects: list[dict[str, Any]], order: random.Random
) -> None:
    cluster = [*unique(objects), ISVC]
    other = [shuffled(item, order) for item in order.sample(cluster, len(cluster))]
    first, second = (
        discover(parse(BODY), FakeView(items), policy=DiscoveryPolicy(), last_known={})
        for items in (cluster, other)
    )
    assert first == second


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(services, slices), max_size=8))
def test_targets_of_an_entry_are_distinct_and_their_suffixes_too(
    objects: list[dict[str, Any]],
) -> None:
    found = discover(
        parse(BODY), FakeView(unique(objects)), policy=DiscoveryPolicy(), last_known={}
    )
    for item in found.endpoints:
        if isinstance(item, Resolved):
            suffixes = [target.suffix for target in item.targets]
            assert len(suffixes) == len(set(suffixes)) > 0
            assert len({target.authority for target in item.targets}) == len(suffixes)
