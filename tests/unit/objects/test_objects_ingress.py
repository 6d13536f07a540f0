"""The Ingress."""

from typing import Any

import pytest

import objects_kit as kit

HOST = {"host": "llm.example.com", "paths": [{"path": "/v1"}]}


def ingress(*hosts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"ingress": {"enabled": True, "hosts": list(hosts), **more}}


def test_the_ingress_is_exactly_this() -> None:
    spec = ingress(
        {
            "host": "*.example.com",
            "paths": [{"path": "/", "pathType": "Exact", "servicePort": 8080}],
        },
        {"host": "llm.example.com", "paths": [{}, {"pathType": "ImplementationSpecific"}]},
        className="nginx",
        annotations={"b": "2", "a": "1"},
        tls=[{"hosts": ["llm.example.com"], "secretName": "cert"}, {}],
    )
    result = kit.built(spec)
    assert result.issues == ()

    def path(kind: str, number: int) -> dict[str, Any]:
        backend = {"service": {"name": "demo", "port": {"number": number}}}
        return {"backend": backend, "path": "/", "pathType": kind}

    assert kit.body(result, "Ingress") == {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": {
            "annotations": {"a": "1", "b": "2"},
            "labels": kit.LABELS,
            "name": "demo",
            "namespace": "models",
            "ownerReferences": [kit.OWNER],
        },
        "spec": {
            "ingressClassName": "nginx",
            "rules": [
                {"host": "*.example.com", "http": {"paths": [path("Exact", 8080)]}},
                {
                    "host": "llm.example.com",
                    "http": {"paths": [path("Prefix", 8801), path("ImplementationSpecific", 8801)]},
                },
            ],
            "tls": [{"hosts": ["llm.example.com"], "secretName": "cert"}],
        },
    }


@pytest.mark.parametrize("spec", [{}, {"ingress": {"hosts": []}}, {"ingress": {"enabled": False}}])
def test_an_ingress_that_is_off_is_neither_made_nor_judged(spec: dict[str, Any]) -> None:
    assert kit.found(kit.built(spec), "Ingress") is None
    assert kit.built(spec).issues == ()


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (ingress(), "spec.ingress.hosts"),
        (ingress({"paths": [{}]}), "spec.ingress.hosts[0].host"),
        (ingress(HOST, {"host": "A.example", "paths": [{}]}), "spec.ingress.hosts[1].host"),
        (ingress({"host": "a.example:8", "paths": [{}]}), "spec.ingress.hosts[0].host"),
        (ingress({"host": "a.example"}), "spec.ingress.hosts[0].paths"),
        (
            ingress({"host": "a.b", "paths": [{"path": "v1"}]}),
            "spec.ingress.hosts[0].paths[0].path",
        ),
    ],
)
def test_what_no_ingress_can_have_is_said_of_its_field(spec: dict[str, Any], path: str) -> None:
    result = kit.built(spec)
    assert [issue.path for issue in result.issues] == [path]
    assert [key.kind.kind for key in result.withheld] == ["Ingress"]
    assert kit.found(result, "Deployment") is not None


def test_a_type_that_nobody_knows_is_prefix_as_it_was_and_warned_of() -> None:
    result = kit.built(ingress({"host": "a.b", "paths": [{"pathType": "prefix"}]}))
    rule = kit.body(result, "Ingress")["spec"]["rules"][0]["http"]["paths"][0]
    assert rule["pathType"] == "Prefix"
    assert [issue.code for issue in result.issues] == ["UnknownPathType"]
    assert kit.errors(result) == []


def test_a_port_that_the_service_has_not_is_warned_of_with_those_it_has() -> None:
    result = kit.built(ingress({"host": "a.b", "paths": [{"servicePort": 80}]}))
    (warning,) = kit.warnings(result)
    assert warning.startswith("spec.ingress.hosts[0].paths[0].servicePort: ")
    assert "8801, 8080, 9190" in warning
    assert kit.found(result, "Ingress") is not None


def test_a_port_of_0_is_the_listener() -> None:
    result = kit.built(ingress({"host": "a.b", "paths": [{"servicePort": 0}]}))
    rule = kit.body(result, "Ingress")["spec"]["rules"][0]["http"]["paths"][0]
    assert rule["backend"]["service"]["port"] == {"number": 8801}


def test_behind_a_gateway_a_path_must_say_its_port() -> None:
    result = kit.built({**kit.EXTPROC, **ingress(HOST)})
    assert [i.path for i in result.issues] == ["spec.ingress.hosts[0].paths[0].servicePort"]
    paths = {"host": "a.b", "paths": [{"servicePort": 8080}]}
    assert kit.built({**kit.EXTPROC, **ingress(paths)}).issues == ()
