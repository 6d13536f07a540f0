from typing import Any

import pytest

from fakes.cluster_objects import DELETED, address, endpoint_slice, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import SECRET, reasons, resolved, unresolved, urls
from semantic_router_operator.discovery import DiscoveryPolicy
from semantic_router_operator.model.resolution import Target

PORTS = [port(8000, "http"), port(9000, "metrics")]


def backend(**more: Any) -> dict[str, Any]:
    given = {"serviceName": "vllm", **more}
    return {"type": "endpointslice", "endpointSlice": given}


def piece(name: str, *endpoints: dict[str, Any], **more: Any) -> dict[str, Any]:
    return endpoint_slice(name, more.pop("of", "vllm"), list(endpoints), PORTS, **more)


VLLM = service("vllm", port(80, "http", targetPort=8000), ipFamilies=["IPv4", "IPv6"])
DS_03 = [
    VLLM,
    piece("vllm-a", address("10.0.0.1", ready=True)),
    piece(
        "vllm-b",
        address("10.0.0.1", ready=True),
        address("10.0.0.2", ready=False),
        address("10.0.0.3"),
        address("10.0.0.4", ready=True, serving=True, terminating=True),
    ),
    piece("vllm-c", address("fd00::1", ready=True), addressType="IPv6"),
    piece("vllm-x", address("10.9.9.9", ready=True), of="vllm-x"),
]


def test_ds_03_ready_addresses_of_one_family_once_and_sorted() -> None:
    for order in (DS_03, DS_03[::-1]):
        result = resolved(backend(), order)
        assert [target.url for target in result.targets] == [
            "http://10.0.0.1:8000",
            "http://10.0.0.3:8000",
        ]
        assert [target.suffix for target in result.targets] == ["10-0-0-1", "10-0-0-3"]
        assert str(result.source) == "Service ml/vllm"


def test_ds_03_the_family_is_the_crs_then_the_services_then_ipv4() -> None:
    assert urls(backend(addressFamily="IPv6"), DS_03) == ["http://[fd00::1]:8000"]
    six_first = service("vllm", ipFamilies=["IPv6", "IPv4"])
    assert urls(backend(), [*DS_03, six_first]) == ["http://[fd00::1]:8000"]
    assert len(urls(backend(), DS_03[1:])) == 2
    assert urls(backend(), DS_03[3:4]) == ["http://[fd00::1]:8000"]


def test_ds_03_both_families_wait_while_the_service_can_not_be_asked() -> None:
    known = (Target("http", "fd00::1", 8000),)
    view = FakeView(DS_03, silent=["Service"])
    result = unresolved(backend(), view, last_known=known)
    assert (result.reason, result.last_known) == ("Unreachable", known)


def test_ds_03_the_port_is_chosen_by_name_or_number() -> None:
    assert urls(backend(port="metrics"), DS_03)[0] == "http://10.0.0.1:9000"
    assert urls(backend(port=9000), DS_03)[0] == "http://10.0.0.1:9000"
    missing = unresolved(backend(port=80), DS_03)
    assert missing.reason == "PortNotFound"
    assert "http (8000/TCP), metrics (9000/TCP)" in missing.message


def test_ds_03_one_port_name_may_have_another_number_in_each_slice() -> None:
    objects = [
        endpoint_slice("a", "vllm", [address("10.0.0.1")], [port(8000, "http")]),
        endpoint_slice("b", "vllm", [address("10.0.0.2")], [port(8001, "http")]),
    ]
    assert urls(backend(), objects) == ["http://10.0.0.1:8000", "http://10.0.0.2:8001"]
    assert urls(backend(port=8001), objects) == ["http://10.0.0.2:8001"]


def test_ds_03_several_unknown_ports_are_ambiguous() -> None:
    objects = [endpoint_slice("a", "vllm", [address("10.0.0.1")], [port(1, "x"), port(2, "y")])]
    assert unresolved(backend(), objects).reason == "Ambiguous"


def test_ds_03_addresses_are_sorted_as_numbers() -> None:
    objects = [piece("a", address("10.0.0.10"), address("10.0.0.9"), address("9.9.9.9"))]
    assert urls(backend(), objects) == [
        "http://9.9.9.9:8000",
        "http://10.0.0.9:8000",
        "http://10.0.0.10:8000",
    ]


def test_ds_03_fqdn_slices_give_names() -> None:
    objects = [piece("a", address("B.example.com"), address("a.example.com"), addressType="FQDN")]
    assert urls(backend(), objects) == ["http://a.example.com:8000", "http://b.example.com:8000"]


def test_ds_03_more_than_max_endpoints_is_cut_with_a_warning() -> None:
    objects = [piece("a", *(address(f"10.0.{n // 250}.{n % 250 + 1}") for n in range(130)))]
    assert len(resolved(backend(), objects).targets) == 64
    result = resolved(backend(maxEndpoints=100), objects)
    assert len(result.targets) == 100
    assert reasons(result) == ["TooManyEndpoints"]


def test_https_to_an_address_is_invalid_because_the_router_refuses_it() -> None:
    result = unresolved(backend(), DS_03, connection={"protocol": "https"})
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.endpointSlice: ")
    assert "use a DNS name" in result.message


def test_an_address_that_is_none_is_noted_and_ignored() -> None:
    objects = [piece("a", address("10.0.0.1"), address("not an address"))]
    result = resolved(backend(), objects)
    assert (len(result.targets), reasons(result)) == (1, ["BadAddress"])


def test_no_slice_and_no_service_is_not_found() -> None:
    assert unresolved(backend()).reason == "NotFound"


def test_a_service_without_ready_endpoints_is_reported_so() -> None:
    assert unresolved(backend(), [VLLM]).reason == "NoReadyEndpoints"
    objects = [VLLM, piece("a", address("10.0.0.1", ready=False))]
    assert unresolved(backend(), objects).reason == "NoReadyEndpoints"


def test_what_is_being_deleted_does_not_count() -> None:
    gone = piece("vllm-a", address("10.0.0.1"), meta={"deletionTimestamp": DELETED})
    assert unresolved(backend(), [VLLM, gone]).reason == "NoReadyEndpoints"
    service_gone = service("vllm", meta={"deletionTimestamp": DELETED})
    assert unresolved(backend(), [*DS_03[1:], service_gone]).reason == "NotFound"


def test_slices_can_be_selected_by_label() -> None:
    objects = [
        piece("a", address("10.0.0.2"), of="x", meta={"labels": {"tier": "gpu"}}),
        piece("b", address("10.0.0.1"), of="y", meta={"labels": {"tier": "gpu"}}),
    ]
    chosen = {"selector": {"matchLabels": {"tier": "gpu"}}, "serviceName": None}
    assert urls(backend(**chosen), objects) == ["http://10.0.0.1:8000", "http://10.0.0.2:8000"]
    assert unresolved(backend(**chosen)).reason == "NoMatch"


@pytest.mark.parametrize(
    "more",
    [
        {"serviceName": None},
        {"selector": {"matchLabels": {"a": "b"}}},
        {"serviceName": None, "selector": {}},
        {"serviceName": "Not_A_Name"},
        {"port": "70000"},
        {"namespace": "NOT"},
    ],
)
def test_a_malformed_backend_is_invalid(more: dict[str, Any]) -> None:
    result = unresolved(backend(**more), DS_03)
    assert result.reason == "Invalid"
    assert result.message.startswith("spec.vllmEndpoints[0].backend.endpointSlice")


def test_slices_that_can_not_be_listed_are_uncertain() -> None:
    assert unresolved(backend(), FakeView(DS_03, forbidden=["EndpointSlice"])).uncertain
    assert unresolved(backend(), FakeView(DS_03, silent=["EndpointSlice"])).uncertain


def test_addresses_of_another_namespace_get_no_credential() -> None:
    far = backend(namespace="models")
    assert unresolved(far, DS_03, connection=SECRET).reason == "Invalid"
    off = DiscoveryPolicy(cross_namespace=False)
    assert unresolved(far, DS_03, policy=off).reason == "Invalid"
