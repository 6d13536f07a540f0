"""What a Service says of itself, and changes: ports, protocols, types (backend.type service)."""

from cluster.live_kinds import SERVICE
from cluster.live_objects import Object
from cluster.live_routers import Live, address, endpoint, endpoint_slice, service


def by_port(port: int | str) -> Object:
    return endpoint({"type": "service", "service": {"name": "m", "port": port}})


def host(here: Live) -> str:
    return f"m.{here.namespace}.svc.cluster.local"


def test_a_port_that_goes_and_comes_back_is_followed(here: Live) -> None:
    here.apply(service("m", {"name": "http", "port": 8000}))
    here.route(SERVICE.endpoint())
    here.resolved("b", f"http://{host(here)}:8000")
    generation = here.deployment_generation()
    here.apply(service("m", {"name": "http", "port": 9000}))
    here.unresolved("b", "PortNotFound", "http (9000/TCP)")
    assert here.refs("m") == SERVICE.refs(here.namespace)
    here.apply(service("m", {"name": "http", "port": 8000}))
    here.resolved("b", f"http://{host(here)}:8000")
    assert here.deployment_generation() == generation


def test_a_named_port_is_followed_when_its_number_moves(here: Live) -> None:
    here.apply(service("m", {"name": "http", "port": 8000}))
    here.route(by_port("http"))
    here.resolved("b", f"http://{host(here)}:8000")
    here.apply(service("m", {"name": "http", "port": 9000}))
    here.resolved("b", f"http://{host(here)}:9000")
    (ref,) = here.refs("m")
    assert ref["endpoint"] == f"{host(here)}:9000"
    here.apply(service("m", {"name": "web", "port": 9000}))
    here.unresolved("b", "PortNotFound")
    assert here.refs("m") == []


def test_the_protocol_follows_the_app_protocol_and_the_name_of_the_port(here: Live) -> None:
    here.apply(service("m", {"name": "api", "port": 8000}))
    here.route(SERVICE.endpoint())
    here.resolved("b", f"http://{host(here)}:8000")
    here.apply(service("m", {"name": "api", "port": 8000, "appProtocol": "https"}))
    here.resolved("b", f"https://{host(here)}:8000")
    assert [ref["protocol"] for ref in here.refs("m")] == ["https"]
    here.apply(service("m", {"name": "api", "port": 8000}))
    here.resolved("b", f"http://{host(here)}:8000")
    here.apply(service("m", {"name": "https-api", "port": 8000}))
    here.resolved("b", f"https://{host(here)}:8000")
    assert [ref["protocol"] for ref in here.refs("m")] == ["https"]


def test_what_the_router_says_of_the_protocol_wins_over_the_service(here: Live) -> None:
    here.apply(service("m", {"name": "api", "port": 8000, "appProtocol": "https"}))
    here.route(SERVICE.endpoint(connection={"protocol": "http"}))
    here.resolved("b", f"http://{host(here)}:8000")


def test_annotations_of_a_service_that_the_router_names_say_nothing(here: Live) -> None:
    said = {"vllm.ai/protocol": "https", "vllm.ai/base-path": "/evil", "vllm.ai/port": "1"}
    here.apply(service("m", metadata={"annotations": said}))
    here.route(SERVICE.endpoint())
    here.resolved("b", f"http://{host(here)}:8000")
    assert here.refs("m") == SERVICE.refs(here.namespace)


def test_a_service_that_becomes_external_is_reached_by_its_external_name(here: Live) -> None:
    here.apply(service("m"))
    here.route(SERVICE.endpoint())
    here.resolved("b", f"http://{host(here)}:8000")
    outside = {"type": "ExternalName", "externalName": "models.example.com"}
    here.delete("Service", "m")
    here.apply(service("m", **outside))
    here.resolved("b", "http://models.example.com:8000")
    assert [ref["endpoint"] for ref in here.refs("m")] == ["models.example.com:8000"]
    here.patch("Service", "m", {"spec": {"externalName": "other.example.com"}})
    here.resolved("b", "http://other.example.com:8000")


def test_a_headless_service_is_reached_at_the_port_of_its_pods(here: Live) -> None:
    port = {"name": "http", "port": 80, "targetPort": 8000}
    here.apply(service("m", port, clusterIP="None"))
    here.route(by_port(80))
    here.resolved("b", f"http://{host(here)}:8000")
    here.apply(service("m", {**port, "targetPort": "web"}, clusterIP="None"))
    here.unresolved("b", "NoReadyEndpoints", "its target port web")
    pods = endpoint_slice("m-1", "m", address("10.20.0.1"))
    here.apply({**pods, "ports": [{"name": "http", "port": 8123}]})
    here.resolved("b", f"http://{host(here)}:8123")
    here.apply({**pods, "ports": [{"name": "http", "port": 8124}]})
    here.resolved("b", f"http://{host(here)}:8124")
    assert [ref["endpoint"] for ref in here.refs("m")] == [f"{host(here)}:8124"]


def test_only_the_routers_that_name_a_service_are_looked_at_again(here: Live) -> None:
    here.apply(service("m"), service("n"))
    here.route(SERVICE.endpoint())
    beside = endpoint({"type": "service", "service": {"name": "n", "port": 8000}})
    here.route(beside, name="beside")
    here.resolved("b", f"http://{host(here)}:8000")
    here.resolved("b", f"http://n.{here.namespace}.svc.cluster.local:8000", router="beside")
    here.settled("beside")
    before = here.versions("beside")
    here.delete("Service", "m")
    here.unresolved("b", "NotFound")
    assert here.versions("beside") == before
