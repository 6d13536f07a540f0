"""Service and ServiceAccount."""

from typing import Any

import pytest

import objects_kit as kit


def ports(spec: dict[str, Any]) -> list[tuple[str, int, object]]:
    entries = kit.body(kit.built(spec), "Service")["spec"]["ports"]
    return [(entry["name"], entry["port"], entry["targetPort"]) for entry in entries]


def test_ports_of_the_resource_win_and_targets_go_by_name() -> None:
    service = {"api": {"port": 80, "targetPort": 9000}, "metrics": {"port": 9191}}
    assert ports({"service": service}) == [
        ("http-8801", 8801, "http-8801"),
        ("api", 80, 9000),
        ("metrics", 9191, "metrics"),
    ]


@pytest.mark.parametrize("mode", [{}, kit.EXTPROC])
@pytest.mark.parametrize("given", [{}, {"api": {}, "grpc": {}, "metrics": {}}])
def test_an_omitted_port_is_never_zero(mode: dict[str, Any], given: dict[str, Any]) -> None:
    assert all(number and target for _, number, target in ports({**mode, "service": given}))


def test_metrics_switched_off_leave_the_service() -> None:
    names = [name for name, _, _ in ports({"service": {"metrics": {"enabled": False}}})]
    assert names == ["http-8801", "api"]


def test_grpc_settings_are_for_the_gateway_mode_only() -> None:
    service = {"grpc": {"port": 8080}}
    assert next(name for name, _, _ in ports({"service": service})) == "http-8801"
    assert kit.errors(kit.built({**kit.EXTPROC, "service": service})) == [
        (
            "spec.service.api.port: port 8080 is also the port of spec.service.grpc.port; "
            "choose another"
        )
    ]


def test_op_09_two_service_ports_of_one_number_are_an_error_that_names_both_fields() -> None:
    result = kit.built({"service": {"api": {"port": 9190}}})
    assert kit.errors(result) == [
        (
            "spec.service.metrics.port: port 9190 is also the port of spec.service.api.port; "
            "choose another"
        )
    ]
    assert kit.found(result, "Service") is None


def test_op_09_the_listener_s_port_is_taken() -> None:
    assert kit.errors(kit.built({"service": {"metrics": {"port": 8801}}})) == [
        (
            "spec.service.metrics.port: port 8801 is also the port of the inference listener "
            "http-8801; choose another"
        )
    ]


def test_a_protocol_that_the_router_does_not_speak_is_an_error() -> None:
    assert kit.errors(kit.built({"service": {"api": {"protocol": "UDP"}}})) == [
        "spec.service.api.protocol: the router speaks TCP only; leave it out"
    ]


def test_the_type_is_the_resource_s() -> None:
    service = kit.body(kit.built({"service": {"type": "NodePort"}}), "Service")
    assert service["spec"]["type"] == "NodePort"
    assert all("nodePort" not in port for port in service["spec"]["ports"])


def test_a_service_account_is_made_by_default_even_when_the_resource_has_no_such_object() -> None:
    assert kit.body(kit.built(), "ServiceAccount")["metadata"]["name"] == "demo"


def test_a_service_account_may_have_another_name_and_annotations() -> None:
    account = {"name": "sr", "annotations": {"eks.amazonaws.com/role-arn": "arn:x"}}
    result = kit.built({"serviceAccount": account})
    metadata = kit.body(result, "ServiceAccount")["metadata"]
    assert (metadata["name"], metadata["annotations"]) == ("sr", account["annotations"])
    assert kit.pod({"serviceAccount": account})["spec"]["serviceAccountName"] == "sr"


def test_a_service_account_of_the_user_is_only_named() -> None:
    result = kit.built({"serviceAccount": {"create": False}})
    assert kit.found(result, "ServiceAccount") is None
    assert result.withheld == ()
    assert kit.body(result, "Deployment")["spec"]["template"]["spec"]["serviceAccountName"] == (
        "demo"
    )


def test_an_illegal_service_account_name_is_told_once_and_stops_the_pod_too() -> None:
    result = kit.built({"serviceAccount": {"name": "No Good"}})
    assert kit.errors(result) == [
        (
            "spec.serviceAccount.name: is no name of a ServiceAccount; use lower-case letters, "
            "digits, - and ."
        )
    ]
    assert {item.kind.kind for item in result.manifests} == {"ConfigMap", "Service"}


@pytest.mark.parametrize(
    ("spec", "paths"),
    [
        ({"service": {"api": {"targetPort": 8080}, "metrics": {"targetPort": 9190}}}, []),
        ({"service": {"api": {"targetPort": 9}}}, ["spec.service.api.targetPort"]),
        (
            {"service": {"metrics": {"targetPort": 9190}}, "args": ["-metrics-port=9191"]},
            ["spec.service.metrics.targetPort"],
        ),
        ({"service": {"metrics": {"enabled": False, "targetPort": 9}}}, []),
        ({"service": {"grpc": {"targetPort": 9}}}, []),
        (
            {"service": {"grpc": {"targetPort": 9}}, **kit.EXTPROC},
            ["spec.service.grpc.targetPort"],
        ),
    ],
)
def test_a_target_on_which_nobody_listens_is_a_warning(
    spec: dict[str, Any], paths: list[str]
) -> None:
    found = kit.built(spec).issues
    assert [(issue.code, issue.severity, issue.path) for issue in found] == [
        ("PortNotListening", "warning", path) for path in paths
    ]
    assert all("8080 (api)" in issue.message for issue in found)
