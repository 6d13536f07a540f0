"""The addresses behind a Service: backend.type endpointslice."""

from cluster.live_api import within
from cluster.live_kinds import SLICE
from cluster.live_objects import Object
from cluster.live_routers import (
    Live,
    address,
    endpoint,
    endpoint_slice,
    service,
    urls,
)

POD_SECONDS = 20.0
"""Scheduler, kwok and the EndpointSlice controller come before us."""


def pods(replicas: int) -> Object:
    """Pods that kwok plays."""
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "m"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "m"}},
            "template": {
                "metadata": {"labels": {"app": "m"}},
                "spec": {"containers": [{"name": "m", "image": "example.invalid/model:1"}]},
            },
        },
    }


def ready_addresses(here: Live) -> list[str]:
    """As Kubernetes itself says."""
    found = (
        address
        for piece in here.api.all("EndpointSlice", here.namespace)
        if piece["metadata"]["labels"]["kubernetes.io/service-name"] == "m"
        for item in piece["endpoints"] or ()
        if item["conditions"]["ready"] and not item["conditions"].get("terminating")
        for address in item["addresses"]
    )
    return sorted(found)


def wait_for_pods(here: Live, count: int) -> None:
    within(lambda: len(ready_addresses(here)) == count, f"{count} ready pods", seconds=POD_SECONDS)


def wait_for_targets(here: Live, count: int) -> None:
    here.until(lambda found: len(urls(found)) == count, "b", f"{count} targets")


def test_real_pods_that_are_scaled_up_and_down_and_to_none_are_followed(here: Live) -> None:
    here.apply(pods(1), service("m", {"port": 8000}, selector={"app": "m"}))
    here.route(SLICE.endpoint())
    for count in (1, 3, 2):
        here.apply(pods(count))
        wait_for_pods(here, count)
        wait_for_targets(here, count)
        addresses = ready_addresses(here)
        assert sorted(urls(here.backend("b"))) == [f"http://{ip}:8000" for ip in addresses]
        assert sorted(ref["endpoint"] for ref in here.refs("m")) == [
            f"{ip}:8000" for ip in addresses
        ]
    generation = here.deployment_generation()
    here.apply(pods(0))
    wait_for_pods(here, 0)
    here.unresolved("b", "NoReadyEndpoints", f"Service {here.namespace}/m")
    assert here.refs("m") == []
    assert here.deployment_generation() == generation
    here.forget("Deployment", "m")


def test_only_what_is_ready_and_stays_is_written_in_numerical_order(here: Live) -> None:
    here.apply(service("m"))
    here.route(SLICE.endpoint())
    here.unresolved("b", "NoReadyEndpoints")
    found = (
        address("10.20.0.10"),
        address("10.20.0.9"),
        address("10.20.0.8", ready=False),
        address("10.20.0.7", terminating=True),
        {"addresses": ["10.20.0.100"]},
    )
    here.apply(endpoint_slice("m-1", "m", *found))
    written = [f"http://10.20.0.{last}:8000" for last in (9, 10, 100)]
    here.resolved("b", *written)
    assert {ref["endpoint"] for ref in here.refs("m")} == {
        found.removeprefix("http://") for found in written
    }
    here.apply(endpoint_slice("m-1", "m", address("10.20.0.9", terminating=True)))
    here.unresolved("b", "NoReadyEndpoints")


def test_several_slices_are_one_list_and_each_address_counts_once(here: Live) -> None:
    first, second = address("10.20.0.1"), address("10.20.0.2")
    here.apply(service("m"), endpoint_slice("m-1", "m", first))
    here.route(SLICE.endpoint())
    here.resolved("b", "http://10.20.0.1:8000")
    here.apply(endpoint_slice("m-2", "m", first, second))
    here.resolved("b", "http://10.20.0.1:8000", "http://10.20.0.2:8000")
    assert len(here.refs("m")) == 2
    here.delete("EndpointSlice", "m-2")
    here.resolved("b", "http://10.20.0.1:8000")


def test_port_and_protocol_follow_the_slice(here: Live) -> None:
    pod = address("10.20.0.1")
    here.apply(service("m"), endpoint_slice("m-1", "m", pod))
    here.route(SLICE.endpoint())
    here.resolved("b", "http://10.20.0.1:8000")
    here.apply({**endpoint_slice("m-1", "m", pod), "ports": [{"name": "http", "port": 9000}]})
    here.resolved("b", "http://10.20.0.1:9000")
    secure = [{"name": "api", "port": 9000, "appProtocol": "https"}]
    here.apply({**endpoint_slice("m-1", "m", pod), "ports": secure})
    here.unresolved("b", "Invalid", "the router refuses https to an IP address")
    assert here.refs("m") == []


def test_the_family_of_the_cr_is_written_with_brackets(here: Live) -> None:
    six = {**endpoint_slice("m-6", "m", address("fd00::1")), "addressType": "IPv6"}
    here.apply(service("m"), endpoint_slice("m-4", "m", address("10.20.0.1")), six)
    backend = {"serviceName": "m", "addressFamily": "IPv6"}
    here.route(endpoint({"type": "endpointslice", "endpointSlice": backend}))
    here.resolved("b", "http://[fd00::1]:8000")
    assert [ref["endpoint"] for ref in here.refs("m")] == ["[fd00::1]:8000"]


def test_more_addresses_than_allowed_are_cut_with_a_warning(here: Live) -> None:
    backend = {"serviceName": "m", "maxEndpoints": 2}
    here.apply(service("m"), endpoint_slice("m-1", "m", address("10.20.0.3")))
    here.route(endpoint({"type": "endpointslice", "endpointSlice": backend}))
    here.resolved("b", "http://10.20.0.3:8000")
    everything = (address(f"10.20.0.{last}") for last in (3, 1, 2))
    here.apply(endpoint_slice("m-1", "m", *everything))
    found = here.resolved("b", "http://10.20.0.1:8000", "http://10.20.0.2:8000")
    assert "more than 2 addresses are ready" in found["message"]


def test_slices_that_labels_select_need_no_service(here: Live) -> None:
    backend = {"selector": {"matchLabels": {"serves": "m"}}}
    here.route(endpoint({"type": "endpointslice", "endpointSlice": backend}))
    here.unresolved("b", "NoMatch")
    labels = {"labels": {"serves": "m"}}
    here.apply(endpoint_slice("m-1", "", address("10.20.0.1"), metadata=labels))
    here.resolved("b", "http://10.20.0.1:8000")
    here.patch("EndpointSlice", "m-1", {"metadata": {"labels": {"serves": None}}})
    here.unresolved("b", "NoMatch")
