"""Kinds that not every cluster has: Gateway, Route, OpenShift; on a control plane of its own,
since a CRD concerns everybody. The tests stand in the order in which the kinds are installed."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cluster.live_objects import Object, Place, container, new_place, until
from controlplane import ControlPlane
from installation import OperatorProcess, install

DATA = Path(__file__).parent / "data"
ROUTED = {"openshift": {"routes": {"enabled": True}}}


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    directory = tmp_path_factory.mktemp("platform")
    with ControlPlane.start(directory) as started:
        kubeconfig = install(started)
        with OperatorProcess(kubeconfig, directory / "operator.log"):
            yield started


@pytest.fixture
def there(plane: ControlPlane) -> Iterator[Place]:
    """A namespace of one's own with a model's Service."""
    with new_place(plane, "test") as place:
        place.service("model")
        yield place


@pytest.fixture(scope="module")
def serve(plane: ControlPlane) -> Callable[[str], None]:
    """Installs data/<name>.yaml and waits until the kind is served."""

    def installed(name: str) -> None:
        plane.kubectl("apply", "--server-side", "-f", str(DATA / f"{name}.yaml"))
        path = "-o=jsonpath={.status.conditions[?(@.type=='Established')].status}"
        until(lambda: plane.kubectl("get", "crd", name, path) == "True")

    return installed


def _uid_of_pods(place: Place, name: str = "r") -> object:
    template = place.the("deployment", name)["spec"]["template"]["spec"]
    return template["securityContext"].get("runAsUser")


def test_a_router_with_a_gateway_waits_for_the_kind_then_for_the_gateway_then_serves_grpc(
    there: Place, serve: Callable[[str], None]
) -> None:
    ref = {"name": "edge", "namespace": there.namespace}
    there.router("r", gateway={"existingRef": ref})
    waiting = there.condition("r", "Ready", "False", reason="KindNotInstalled")
    assert waiting["message"].startswith("spec.gateway.existingRef")
    serve("gateways.gateway.networking.k8s.io")
    there.condition("r", "Ready", "False", reason="GatewayNotFound")
    assert there.condition("r", "Reconciling", "True")["reason"] == "GatewayNotFound"
    assert there.get("deployment", "r") is None
    there.create("gateway", "edge", spec={"gatewayClassName": "any", "listeners": []})
    router = there.ready("r")
    assert router["status"]["gatewayMode"] == "gateway-integration"
    assert router["status"]["url"].startswith("grpc://r.")
    deployment, service = there.the("deployment", "r"), there.the("service", "r")
    assert container(deployment)["args"][0] == "-gateway=extproc"
    assert container(deployment)["readinessProbe"]["grpc"]["port"] == 50051
    grpc = {"name": "grpc", "port": 50051, "protocol": "TCP", "targetPort": "grpc"}
    assert service["spec"]["ports"][0] == grpc
    assert 8801 not in {port["port"] for port in service["spec"]["ports"]}


def test_a_running_router_outlives_its_gateway_and_can_leave_it(there: Place) -> None:
    there.create("gateway", "edge", spec={})
    ref = {"name": "edge", "namespace": there.namespace}
    there.router("r", gateway={"existingRef": ref})
    there.ready("r")
    spec = there.the("deployment", "r")["spec"]
    there.delete("gateway", "edge")
    there.condition("r", "Ready", "False", reason="GatewayNotFound")
    assert there.the("deployment", "r")["spec"] == spec
    there.edit("r", gateway=None)
    router = there.ready("r")
    assert router["status"]["gatewayMode"] == "standalone"
    args = container(there.the("deployment", "r"))["args"]
    assert args[0] == "-gateway=standalone"
    assert there.the("service", "r")["spec"]["ports"][0]["port"] == 8801
    assert 50051 not in {port["port"] for port in there.the("service", "r")["spec"]["ports"]}


def test_a_route_on_a_cluster_without_routes_is_told_and_keeps_nothing_else_back(
    there: Place, serve: Callable[[str], None]
) -> None:
    there.router("r", **ROUTED)
    router = there.ready("r")
    assert there.conditions("r")["Degraded"]["reason"] == "RouteNotSupported"
    assert router["status"]["openshiftFeatures"] == {"routesEnabled": False}
    assert _uid_of_pods(there) == 1000
    serve("routes.route.openshift.io")
    until(lambda: there.get("route", "r"))
    there.condition("r", "Degraded", "False", reason="RoutePending")


def test_a_route_crd_alone_does_not_make_the_cluster_openshift(
    there: Place, serve: Callable[[str], None]
) -> None:
    there.router("before")
    there.ready("before")
    serve("routes.route.openshift.io")
    there.router("r", **ROUTED)
    there.ready("r")
    assert (_uid_of_pods(there), _uid_of_pods(there, "before")) == (1000, 1000)


def test_openshift_that_appears_takes_the_fixed_uid_off_every_pod(
    there: Place, serve: Callable[[str], None]
) -> None:
    there.router("r")
    there.router("own", podSecurityContext={"runAsUser": 4711})
    for name in ("r", "own"):
        there.ready(name)
    assert _uid_of_pods(there) == 1000
    serve("securitycontextconstraints.security.openshift.io")
    until(lambda: _uid_of_pods(there) is None)
    context = there.the("deployment", "r")["spec"]["template"]["spec"]["securityContext"]
    assert context == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert _uid_of_pods(there, "own") == 4711
    inner = container(there.the("deployment", "r"))["securityContext"]
    assert inner["allowPrivilegeEscalation"] is False
    assert "runAsUser" not in inner
    there.ready("r")


def test_the_route_leads_to_the_inference_listener_and_its_admission_is_told(
    there: Place,
) -> None:
    there.router("r", **ROUTED)
    there.ready("r")
    route = there.the("route", "r")
    assert route["spec"]["port"] == {"targetPort": "http-8801"}
    assert route["spec"]["to"] == {"kind": "Service", "name": "r"}
    assert route["spec"]["tls"]["termination"] == "edge"
    _answer(there, "False", "HostAlreadyClaimed", "route a/b holds it")
    found = there.condition("r", "Degraded", "True", reason="RouteNotAdmitted")
    assert "HostAlreadyClaimed: route a/b holds it" in found["message"]
    assert "routeHostname" not in there.the("sr", "r")["status"]["openshiftFeatures"]
    _answer(there, "True")
    there.condition("r", "Degraded", "False", reason="AsExpected")
    status = there.ready("r")["status"]
    assert status["url"] == "https://r.apps.example.com"
    features = {"routesEnabled": True, "routeHostname": "r.apps.example.com"}
    assert status["openshiftFeatures"] == features


def test_a_generated_host_stays_and_a_disabled_route_goes(there: Place) -> None:
    there.router("r", **ROUTED)
    there.ready("r")
    there.merge("route", "r", {"spec": {"host": "generated.example.com"}})
    there.edit("r", openshift={"routes": {"tls": {"insecureEdgeTerminationPolicy": "None"}}})
    until(lambda: _policy(there) == "None")
    assert there.the("route", "r")["spec"]["host"] == "generated.example.com"
    there.edit("r", openshift={"routes": {"enabled": False}})
    until(lambda: there.get("route", "r") is None)
    there.ready("r")
    foreign = there.create("route", "r", spec={"to": {"kind": "Service", "name": "other"}})
    there.edit("r", openshift={"routes": {"enabled": True}})
    there.condition("r", "ResourcesApplied", "False", reason="NameConflict")
    there.edit("r", openshift={"routes": {"enabled": False}})
    there.ready("r")
    assert there.the("route", "r")["spec"] == foreign["spec"]


def test_no_time_is_lost_between_a_routes_admission_and_the_status(there: Place) -> None:
    there.router("r", **ROUTED)
    there.ready("r")
    began = time.monotonic()
    _answer(there, "True")
    until(lambda: there.the("sr", "r")["status"]["url"].startswith("https"), seconds=5)
    assert time.monotonic() - began < 2


def _policy(place: Place) -> object:
    return place.the("route", "r")["spec"]["tls"].get("insecureEdgeTerminationPolicy")


def _answer(place: Place, admitted: str, reason: str = "", message: str = "") -> None:
    """The word of an OpenShift router on the Route."""
    condition: Object = {"type": "Admitted", "status": admitted}
    condition |= {"reason": reason, "message": message} if reason else {}
    entry = {"host": "r.apps.example.com", "conditions": [condition]}
    place.merge("route", "r", {"status": {"ingress": [entry]}}, sub="status")
