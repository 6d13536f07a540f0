"""Changes a property of the CRD's spec, on routers that use it, and sees which objects move."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from jsonschema import Draft202012Validator

from fakes.cluster_objects import gateway, inference_service, port, service
from fakes.cluster_view import FakeView
from path_values import Schema, at, full, minimal, steps, valid
from schema_paths import rows
from semantic_router_operator.cli.schema_check import json_schema
from semantic_router_operator.crd import router_schema
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.canonical import Held
from semantic_router_operator.model.manifests import CONFIG_MAP, DEPLOYMENT, Manifest
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.rollout import Effect
from semantic_router_operator.objects import Images, build
from semantic_router_operator.translate import render, translate

Json = dict[str, Any]
SPEC: Final[Schema] = router_schema()["properties"]["spec"]
PATHS: Final = tuple(
    path
    for name, field in SPEC["properties"].items()
    for path, _ in rows(field, name)
    if "properties" not in at(SPEC, path)
)
"""Every property but the objects whose own properties are among them."""
_VALID: Final = Draft202012Validator(json_schema(SPEC))
_HERE: Final = {"namespace": "ns", "labels": {"app": "x"}}
_CLUSTER: Final = (
    service("own", port(8000), meta=_HERE),
    inference_service("isvc", meta=_HERE, status={"url": "http://isvc.ns.example"}),
    *(gateway(name, namespace) for name in ("gw", "x", "y") for namespace in ("gw", "x", "y")),
)
_PLATFORM: Final = Platform(openshift=True, routes=True)
_ENTRY: Final = {
    "name": "own",
    "model": "m",
    "backend": {"type": "service", "service": {"name": "own", "port": 8000}},
}
_KEYED: Final = {"connection": {"auth": {"secretKeyRef": {"name": "keys", "key": "k"}}}}
_LABELS: Final = {"matchLabels": {"app": "x"}}
_SECRET: Final = {"password_secret_ref": {"name": "s", "key": "k"}}
_STORES: Final[Json] = {
    "redis": {"connection": {"host": "h", **_SECRET}},
    "valkey": {"connection": {"host": "h", **_SECRET}},
    "milvus": {"connection": {"host": "h", "auth": _SECRET}},
}
_OPEN_STORES: Final[Json] = {
    "redis": {"connection": {"host": "h"}},
    "valkey": {"connection": {"host": "h"}},
    "milvus": {"connection": {"host": "h", "auth": {}}},
}


def with_backend(kind: str, **backend: Any) -> Json:
    """A router with one entry of that kind."""
    return {"vllmEndpoints": [{**_ENTRY, "backend": {"type": kind, **backend}}]}


def _switched_on(peer: Json) -> Json:
    return {
        "autoscaling": {"enabled": True},
        "hardware": {"profile": "nvidia"},
        "ingress": {
            "enabled": True,
            "hosts": [{"host": "r.example", "paths": [{"path": "/"}]}],
            "tls": [{"secretName": "s"}],
        },
        "networkPolicy": {
            "enabled": True,
            **{f"{whom}From": [peer] for whom in ("ingress", "metrics", "api")},
        },
        "openshift": {"routes": {"enabled": True, "tls": {}}},
        "persistence": {},
        "podDisruptionBudget": {"enabled": True},
        "topologySpread": {"enabled": True},
        "volumes": [{"name": "x", "emptyDir": {}}, {"name": "y", "emptyDir": {}}],
        "volumeMounts": [{"name": "x", "mountPath": "/m"}],
    }


PLAIN: Final[Json] = {"vllmEndpoints": [_ENTRY]}
BASES: Final[tuple[tuple[str, tuple[Json, ...]], ...]] = (
    (
        "vllmEndpoints[].backend",
        (
            PLAIN,
            with_backend("kserve", kserve={"name": "isvc"}),
            with_backend("kserve", inferenceServiceName="isvc"),
            with_backend("endpointslice", endpointSlice={"serviceName": "own"}),
            with_backend("endpointslice", endpointSlice={"selector": _LABELS}),
            with_backend("llamastack", llamastack=_LABELS),
            with_backend("llamastack", discoveryLabels={"app": "x"}),
            with_backend("serviceSelector", serviceSelector=_LABELS),
            with_backend(
                "provider", provider={"type": "openai", "baseURL": "https://a.example/v1"}
            ),
            with_backend("url", url="https://a.example/v1"),
            with_backend("endpoint", endpoint="1.2.3.4:80"),
        ),
    ),
    (
        "vllmEndpoints",
        (
            PLAIN,
            {"vllmEndpoints": [{**_ENTRY, **_KEYED}, {**_ENTRY, **_KEYED, "name": "a"}]},
        ),
    ),
    *(
        (
            f"config.{name}",
            tuple(
                {**PLAIN, "envFrom": [{"secretRef": {"name": "s"}}], "config": {name: stores}}
                for stores in (_STORES, _OPEN_STORES)
            ),
        )
        for name in ("response_cache", "semantic_cache")
    ),
    (
        "config",
        (
            PLAIN,
            {
                "vllmEndpoints": [{**_ENTRY, "reasoningFamily": "key"}],
                "config": {
                    "reasoning_families": {"key": {"type": "reasoning_effort", "parameter": "p"}}
                },
            },
        ),
    ),
    (
        "",
        (
            PLAIN,
            {**PLAIN, "gateway": {"existingRef": {"name": "gw", "namespace": "gw"}}},
            {**PLAIN, **_switched_on({"podSelector": {}})},
            {**PLAIN, **_switched_on({"ipBlock": {"cidr": "10.0.0.0/9"}})},
        ),
    ),
)
"""Routers on which a change of what is below the path shows."""
_LOCAL: Final = {"name": "c", "type": "local", "model_path": "m", "labels": ["a"]}
_TELLING: Final[dict[str, tuple[Any, ...]]] = {
    "args": (["-api-port=8090"],),
    "config.reasoning_families{}.type": ("chat_template_kwargs",),
    "config.routing": (
        {"signals": {"classifiers": [_LOCAL]}},
        {"signals": {"classifiers": [{**_LOCAL, "model_path": "other"}]}},
    ),
    "ingress.hosts": ([{"host": "s.example", "paths": [{"path": "/"}]}],),
    "ingress.hosts[].paths": ([{"path": "/a"}],),
    "ingress.hosts[].paths[].pathType": ("Exact",),
    "persistence.accessMode": ("ReadWriteMany",),
    "topologySpread.whenUnsatisfiable": ("DoNotSchedule",),
    "vllmEndpoints": ([], [{**_ENTRY, **_KEYED}]),
}
"""Values that show more than those which follow from the schema."""
_TEXTS: Final = ("y", "${A}", "2", "0.25", "2m", "/y", "c.d", "2Gi", "10.0.0.0/8", "http://b:1")


def effects(path: str, *, until: frozenset[Effect]) -> set[Effect]:
    """What changes of that property did on routers that use it; ends once `until` has been seen."""
    seen: set[Effect] = set()
    for base in next(bases for prefix, bases in BASES if path.startswith(prefix)):
        first: dict[str, Any] | None = None
        for spec in _changes(base, path):
            objects = _objects(json.dumps(spec, sort_keys=True))
            if first is not None and objects is not None:
                seen |= _moved(first, objects)
            first = first or objects
            if until and seen >= until:
                return seen
    return seen


def _changes(base: Json, path: str) -> Iterator[Json]:
    """The base without the property, then with each of some values."""
    schema = at(SPEC, path)
    values = [*valid(schema), *_TELLING.get(path, ())]
    if schema.get("type") == "string" and "enum" not in schema:
        values += _TEXTS
    elif schema.get("type") == "integer":
        values += [2, 3]
    elif "items" in schema or "additionalProperties" in schema:
        values.append(full(schema))
    yield base
    for value in values:
        yield _put(base, SPEC, steps(path), value)


def _put(base: Any, schema: Schema, left: list[str], value: Any) -> Any:
    """The base with `value` at the path; what is on the way has what it must have."""
    if not left:
        return value
    step, *rest = left
    match step:
        case "[]":
            first, *others = base or [None]
            return [_put(first, schema["items"], rest, value), *others]
        case "{}":
            held = dict(base or {})
            name = next(iter(held), "key")
            return {**held, name: _put(held.get(name), schema["additionalProperties"], rest, value)}
        case _:
            held = {**minimal(schema), **(base or {})}
            return {**held, step: _put(held.get(step), schema["properties"][step], rest, value)}


@cache
def _objects(text: str) -> dict[str, Any] | None:
    """By kind; None for a spec with which nothing would be changed, or which nobody can store."""
    spec = json.loads(text)
    if not _VALID.is_valid(spec):
        return None
    try:
        router = parse({"metadata": {"name": "r", "namespace": "ns", "uid": "u"}, "spec": spec})
    except InvalidSpec:
        return None
    discovery = discover(router, FakeView(_CLUSTER), policy=DiscoveryPolicy(), last_known={})
    translation = translate(router, discovery, previous_default=None)
    if isinstance(translation, Held):
        return None
    built = build(router, render(translation), platform=_PLATFORM, images=Images())
    if any(issue.severity == "error" for issue in built.issues):
        return None
    return {item.kind.kind: _parts(item) for item in built.manifests}


def _parts(manifest: Manifest) -> Any:
    if manifest.kind == CONFIG_MAP:
        return manifest.body["data"]
    if manifest.kind == DEPLOYMENT:
        spec = dict(manifest.body["spec"])
        return {"template": spec.pop("template"), "rest": spec}
    return manifest.body


def _moved(before: dict[str, Any], after: dict[str, Any]) -> set[Effect]:
    found: set[Effect] = set()
    for kind in before.keys() | after.keys():
        one, other = before.get(kind), after.get(kind)
        if one == other:
            continue
        if kind == CONFIG_MAP.kind:
            found.add("reload")
        elif kind == DEPLOYMENT.kind and one and other:
            found |= {"roll"} if one["template"] != other["template"] else set()
            found |= {"object"} if one["rest"] != other["rest"] else set()
        else:
            found.add("object")
    return found
