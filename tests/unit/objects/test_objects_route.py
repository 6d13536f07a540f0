"""The OpenShift Route (field cases OS-03, OS-04)."""

from typing import Any

import pytest

import objects_kit as kit
from semantic_router_operator.objects import Built

PLAIN = "needs a router that serves TLS, and the inference listener speaks plain HTTP; use edge"


def result(mode: dict[str, Any] | None = None, **routes: Any) -> Built:
    spec = {"openshift": {"routes": {"enabled": True, **routes}}, **(mode or {})}
    return kit.built(spec, platform=kit.OPENSHIFT)


def spec(**routes: Any) -> dict[str, Any]:
    wanted: dict[str, Any] = kit.body(result(**routes), "Route")["spec"]
    return wanted


@pytest.mark.parametrize("hostname", [None, ""])
def test_os_03_a_generated_host_is_never_in_the_body(hostname: str | None) -> None:
    assert "host" not in spec(hostname=hostname)


def test_os_03_a_host_of_the_resource_is_in_the_body() -> None:
    assert spec(hostname="sr.apps.example.com")["host"] == "sr.apps.example.com"


@pytest.mark.parametrize(
    "hostname", ["a" * 64 + ".example.com", "UPPER.example.com", "a..b", "*.x"]
)
def test_os_03_an_impossible_host_is_an_error(hostname: str) -> None:
    made = result(hostname=hostname)
    assert [error.partition(":")[0] for error in kit.errors(made)] == [
        "spec.openshift.routes.hostname"
    ]
    assert kit.found(made, "Route") is None


def test_os_04_the_route_goes_to_the_inference_listener() -> None:
    assert spec()["port"] == {"targetPort": "http-8801"}


@pytest.mark.parametrize("policy", ["Allow", "Redirect", "None"])
def test_os_04_edge_takes_every_policy(policy: str) -> None:
    tls = {"insecureEdgeTerminationPolicy": policy}
    assert spec(tls=tls)["tls"] == {**tls, "termination": "edge"}


def test_os_04_passthrough_and_reencrypt_to_plain_http_are_errors_with_the_reason() -> None:
    assert kit.errors(result(tls={"termination": "reencrypt"})) == [
        f"spec.openshift.routes.tls.termination: reencrypt {PLAIN}"
    ]
    tls = {"termination": "passthrough", "insecureEdgeTerminationPolicy": "Allow"}
    assert kit.errors(result(tls=tls)) == [
        f"spec.openshift.routes.tls.termination: passthrough {PLAIN}",
        (
            "spec.openshift.routes.tls.insecureEdgeTerminationPolicy: passthrough takes None or "
            "Redirect only"
        ),
    ]


def test_os_04_behind_a_gateway_there_is_no_http_to_route() -> None:
    made = result(kit.EXTPROC)
    [warning] = kit.warnings(made)
    assert warning.startswith("spec.openshift.routes.enabled: a Route carries HTTP")
    assert (kit.errors(made), kit.found(made, "Route")) == ([], None)


def test_os_02_without_the_kind_there_is_a_warning_and_no_route() -> None:
    made = kit.built({"openshift": {"routes": {"enabled": True}}})
    assert [issue.code for issue in made.issues] == ["KindNotInstalled"]
    assert kit.errors(made) == []
    assert kit.found(made, "Route") is None
    assert made.withheld == ()


def test_a_route_that_is_off_is_neither_made_nor_kept() -> None:
    made = kit.built({}, platform=kit.OPENSHIFT)
    assert kit.found(made, "Route") is None
    assert made.withheld == ()
