"""What was found once is kept while the cluster can't be asked, for every kind that is looked up.

The targets go the way that they go in the cluster: found by one pass, written into the status,
read back by the next.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from fakes.cluster_objects import Raw, address, endpoint_slice, inference_service, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import entry, resolution, resolved, router_body
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.resolution import LastKnown, Target, Unresolved
from semantic_router_operator.status.backends import document
from semantic_router_operator.status.record import last_known

LABELS = {"labels": {"serves": "m"}}
PORTS = [port(8000, "http")]
NAMED = port(80, "http", targetPort="web")

SERVICE = {"type": "service", "service": {"name": "vllm", "port": 8000}}
HEADLESS = {"type": "service", "service": {"name": "head", "port": 80}}
SELECTOR = {"type": "serviceSelector", "serviceSelector": {"matchLabels": LABELS["labels"]}}
SLICE = {"type": "endpointslice", "endpointSlice": {"serviceName": "vllm"}}
SELECTED = {"type": "endpointslice", "endpointSlice": {"selector": {"matchLabels": {"a": "b"}}}}
KSERVE = {"type": "kserve", "kserve": {"name": "mnist"}}
LLAMA = {"type": "llamastack", "llamastack": {"matchLabels": LABELS["labels"]}}
BACKENDS: Mapping[str, Raw] = {
    "service": SERVICE,
    "headless": HEADLESS,
    "selector": SELECTOR,
    "slice": SLICE,
    "selected slices": SELECTED,
    "kserve": KSERVE,
    "llamastack": LLAMA,
}

CLUSTER = [
    service("vllm", port(8000, "http"), meta=LABELS, ipFamilies=["IPv6", "IPv4"]),
    service("head", NAMED, meta=LABELS, clusterIP="None"),
    service("mnist", port(80, "http")),
    endpoint_slice(
        "vllm-4", "vllm", [address("10.0.0.1", ready=True)], PORTS, meta={"labels": {"a": "b"}}
    ),
    endpoint_slice(
        "vllm-6",
        "vllm",
        [address("fd00::1", ready=True)],
        PORTS,
        meta={"labels": {"a": "b"}},
        addressType="IPv6",
    ),
    endpoint_slice("head-1", "head", [address("10.0.0.2", ready=True)], PORTS),
    inference_service("mnist", status={"address": {"url": "http://mnist.ml.svc.cluster.local"}}),
]


@pytest.mark.parametrize("how", ["forbidden", "silent"])
@pytest.mark.parametrize("hidden", ["Service", "EndpointSlice", "InferenceService"])
@pytest.mark.parametrize("name", BACKENDS)
def test_whatever_can_not_be_asked_any_more_is_kept_as_it_was(
    name: str, hidden: str, how: str
) -> None:
    backend = BACKENDS[name]
    before = resolved(backend, CLUSTER)
    status: dict[str, Any] = {
        "name": "one",
        "type": backend["type"],
        "source": "" if before.source is None else str(before.source),
        "targets": [document(target) for target in before.targets],
    }
    (known,) = last_known({"backends": [status]}).values()
    view = FakeView(CLUSTER, **{how: [hidden]})
    now = resolution(backend, view, last_known=known.targets, source=known.source)
    if isinstance(now, Unresolved):
        assert now.uncertain
        assert now.last_known == before.targets
    else:
        assert now.targets == before.targets


def test_what_an_entry_of_another_kind_had_is_no_answer() -> None:
    """Neither a label selector nor an address has an object that it came from."""
    known = {"one": LastKnown("endpoint", "", (Target("http", "10.0.0.1", 8000),))}
    router = parse(router_body(entry(SELECTOR)))
    view = FakeView(CLUSTER, silent=["Service"])
    (now,) = discover(router, view, policy=DiscoveryPolicy(), last_known=known).endpoints
    assert isinstance(now, Unresolved)
    assert (now.uncertain, now.last_known) == (True, ())


def test_two_entries_of_one_name_are_not_taken_for_each_other() -> None:
    one = {"name": "one", "type": "service", "targets": [{"url": "http://a:80"}]}
    assert set(last_known({"backends": [one]})) == {"one"}
    assert last_known({"backends": [one, {**one, "targets": []}]}) == {}


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("service", "Service"),
        ("headless", "EndpointSlice"),
        ("selector", "Service"),
        ("slice", "EndpointSlice"),
        ("selected slices", "EndpointSlice"),
        ("kserve", "InferenceService"),
        ("llamastack", "Service"),
    ],
)
def test_nothing_is_kept_of_what_was_never_found(name: str, hidden: str) -> None:
    now = resolution(BACKENDS[name], FakeView(CLUSTER, silent=[hidden]))
    assert isinstance(now, Unresolved)
    assert (now.reason, now.uncertain, now.last_known) == ("Unreachable", True, ())
