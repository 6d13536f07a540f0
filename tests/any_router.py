"""hypothesis: any SemanticRouter that the CRD accepts, and any cluster around it.

Names come from a small pool, so that what a router refers to is there often enough.
"""

import random
from collections.abc import Mapping
from typing import Any, Final

from hypothesis import strategies as st

from fakes.cluster_objects import address, endpoint_slice, gateway, inference_service, port, service
from semantic_router_operator.crd import router_schema
from semantic_router_operator.validation.document_schema import document_schema
from structural_values import Schema, anything, values

Json = dict[str, Any]
NAMESPACE: Final = "ml"
NAMES: Final = ("a", "b", "c")
LABELS: Final = {"app": "x"}
SPEC: Final[Mapping[str, Schema]] = router_schema()["properties"]["spec"]["properties"]
CONFIG: Final[Mapping[str, Schema]] = SPEC["config"]["properties"]
ENTRY: Final[Schema] = SPEC["vllmEndpoints"]["items"]
DOCUMENT: Final[Schema] = document_schema()
DEEPEST: Final = 4

_names = st.sampled_from(NAMES)
_selectors = st.just({"matchLabels": LABELS})
_backends = st.one_of(
    st.builds(
        lambda name, at: {"type": "service", "service": {"name": name, "port": at}},
        _names,
        st.sampled_from([80, 443, "http", "8321"]),
    ),
    _selectors.map(lambda x: {"type": "serviceSelector", "serviceSelector": x}),
    st.just({"type": "llamastack", "discoveryLabels": LABELS}),
    _names.map(lambda x: {"type": "endpointslice", "endpointSlice": {"serviceName": x}}),
    _names.map(lambda x: {"type": "kserve", "inferenceServiceName": x}),
    st.sampled_from(["10.0.0.1:8000", "c.example:443"]).map(
        lambda x: {"type": "endpoint", "endpoint": x}
    ),
    st.just({"type": "url", "url": "https://c.example/v1"}),
    st.just({"type": "provider", "provider": {"type": "openai"}}),
)


@st.composite
def _entries(draw: st.DrawFn) -> Json:
    """An entry that may well be found; what else the schema has is arbitrary."""
    more = draw(st.sets(st.sampled_from(sorted(ENTRY["properties"])), max_size=3))
    drawn = {name: draw(values(ENTRY["properties"][name])) for name in sorted(more)}
    return {**drawn, "name": draw(_names), "model": draw(_names), "backend": draw(_backends)}


def _routing(schema: Schema, depth: int = 0) -> st.SearchStrategy[Any]:
    """Values of the document's schema down to a depth, and now and then anything at all."""
    schema = DOCUMENT["$defs"]["condition"] if "$ref" in schema else schema
    if depth > DEEPEST:
        return anything
    words = schema.get("enum") or schema.get("x-likely")
    kind = schema.get("type")
    if isinstance(words, list):
        return st.sampled_from(words) | anything
    if kind == "array":
        return st.lists(st.deferred(lambda: _routing(schema["items"], depth + 1)), max_size=2)
    if isinstance(schema.get("properties"), dict) and schema["properties"]:
        return _routing_objects(schema["properties"], depth)
    simple = {"string": _names | st.text(max_size=5), "integer": st.integers(-1, 9)}
    return simple.get(str(kind), anything) | anything


@st.composite
def _routing_objects(draw: st.DrawFn, fields: Mapping[str, Schema], depth: int) -> Json:
    said = draw(st.sets(st.sampled_from(sorted(fields)), max_size=4))
    return {name: draw(_routing(fields[name], depth + 1)) for name in sorted(said)}


@st.composite
def specs(draw: st.DrawFn, *, alike: bool = True) -> Json:
    """Every field of the CRD in some of them; a few fields each, so that each has its say.

    Unless entries may be `alike`, no two have one name or one model, which would be an error.
    """
    rest = sorted(SPEC.keys() - {"config", "vllmEndpoints"})
    spec = {name: draw(values(SPEC[name])) for name in sorted(draw(_few(rest, 4)))}
    blocks = sorted(draw(_few(sorted(CONFIG.keys() - {"routing"}), 2)))
    config = {name: draw(values(CONFIG[name])) for name in blocks}
    if draw(st.booleans()):
        config["routing"] = draw(_routing(DOCUMENT["properties"]["routing"]))
    distinct = st.lists(_entries(), max_size=2, unique_by=(_name, _model))
    entries = draw(st.lists(_entries() | values(ENTRY), max_size=3) if alike else distinct)
    return {**spec, **({"config": config} if config else {}), "vllmEndpoints": entries}


def _name(entry: Json) -> Any:
    return entry["name"]


def _model(entry: Json) -> Any:
    return entry["model"]


def _few(names: list[str], most: int) -> st.SearchStrategy[set[str]]:
    return st.sets(st.sampled_from(names), max_size=most)


router_names = st.lists(
    st.from_regex(r"\A[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\Z"), min_size=1, max_size=4
).map(".".join)
"""What the API server takes for one: at most 253 characters, dots too."""

_ports = st.lists(
    st.sampled_from(
        [
            port(80, "http", targetPort="web"),
            port(443, "https"),
            port(8321, "llama"),
            port(9090, "metrics"),
            port(7000, "x"),
            port(8000, "u", protocol="UDP"),
        ]
    ),
    unique_by=lambda item: item["name"],
    max_size=3,
)
_services = st.builds(
    lambda name, ports, headless, annotated: service(
        name,
        *ports,
        meta={"labels": LABELS, "annotations": {"vllm.ai/port": annotated}},
        clusterIP="None" if headless else "10.96.0.1",
    ),
    _names,
    _ports,
    st.booleans(),
    st.sampled_from(["7000", "bad", "443"]),
)
_slices = st.builds(
    lambda index, of, hosts, ports: endpoint_slice(
        f"s{index}", of, [address(host, ready=ready) for host, ready in hosts], ports
    ),
    st.integers(0, 9),
    _names,
    st.lists(
        st.tuples(
            st.sampled_from(["10.0.0.1", "10.0.0.2", "10.0.0.10", "fd00::1", "not one"]),
            st.sampled_from([True, False, None]),
        ),
        max_size=4,
    ),
    _ports,
)
_others = _names.map(
    lambda x: inference_service(x, status={"address": {"url": "http://c.ml.svc.cluster.local"}})
) | _names.map(lambda x: gateway(x, NAMESPACE))


def _distorted(item: Json, part: str, value: Any) -> Json:
    """The object with something else where a part of it was: nobody vouches for a CRD's object."""
    return {**item, part: value}


_sound = _services | _slices | _others
_odd = st.builds(
    _distorted, _sound, st.sampled_from(["spec", "status", "endpoints", "ports"]), anything
)


def _unique(objects: list[Json]) -> list[Json]:
    """At most one object of a kind and name, as in a cluster."""
    return list({(item["kind"], item["metadata"]["name"]): item for item in objects}.values())


sound_clusters = st.lists(_sound, min_size=3, max_size=8).map(_unique)
clusters = st.lists(_sound | _odd, max_size=8).map(_unique)


def reordered(objects: list[Json], chance: random.Random) -> list[Json]:
    """The same cluster with every list whose order means nothing in another order."""
    return [_shuffled(item, chance) for item in chance.sample(objects, len(objects))]


def _shuffled(item: Json, chance: random.Random) -> Json:
    parts = {key: item[key] for key in ("endpoints", "ports") if key in item}
    turned: Json = {key: chance.sample(value, len(value)) for key, value in parts.items()}
    if item["kind"] == "Service":
        ports = item["spec"]["ports"]
        turned["spec"] = {**item["spec"], "ports": chance.sample(ports, len(ports))}
    return {**item, **turned}
