"""What holds of every SemanticRouter that the CRD accepts, in every cluster: whole passes.

A pass is `reconcile`: parse, discover, judge, build, assess, publish, through fake ports. What is
drawn is checked against the CRD's own schema first.
"""

import asyncio
import json
import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from any_router import (
    LABELS,
    NAMESPACE,
    clusters,
    reordered,
    router_names,
    sound_clusters,
    specs,
)
from candidates import as_the_router_reads
from fakes.cluster_objects import Raw
from fakes.world import FakeWorld
from semantic_router_operator.cli.schema_check import json_schema
from semantic_router_operator.crd import router_schema
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model import paths
from semantic_router_operator.model.base import without_nulls
from semantic_router_operator.model.canonical import Candidate, EnvReference
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.state_view import StateView
from semantic_router_operator.model.status_document import StatusDocument
from semantic_router_operator.reconcile import Outcome, reconcile
from semantic_router_operator.status.publish import CONDITION_ORDER
from semantic_router_operator.translate import render, translate

Json = dict[str, Any]
LAW: Final = settings(
    deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, max_examples=100
)
WORLDS: Final = st.fixed_dictionaries(
    {
        "forbidden": st.sets(st.sampled_from(["Service", "EndpointSlice", "Gateway"]), max_size=1),
        "silent": st.sets(st.sampled_from(["Service", "InferenceService"]), max_size=1),
        "not_installed": st.sets(st.sampled_from(["InferenceService", "Gateway"]), max_size=1),
    }
)
PLATFORMS: Final = st.builds(Platform, st.booleans(), st.booleans())
SCHEMA: Final = Draft202012Validator(json_schema(router_schema()["properties"]["spec"]))


def body_of(spec: Json, name: str = "r", **more: Any) -> Json:
    """A SemanticRouter as a watch brings it."""
    metadata = {"name": name, "namespace": NAMESPACE, "uid": "uid-r", "generation": 3}
    head = {"apiVersion": "vllm.ai/v1alpha1", "kind": "SemanticRouter"}
    return {**head, "metadata": metadata, "spec": spec, **more}


def passed(body: Json, outside: FakeWorld, platform: Platform = Platform()) -> Outcome:  # noqa: B008
    outside.cluster.platforms = platform
    return asyncio.run(reconcile(body, outside.world))


def document_of(outside: FakeWorld) -> str | None:
    """The document of the pass; None where the spec could not be read or the document not made."""
    return outside.cluster.document() if outside.cluster.applied else None


@LAW
@given(specs())
def test_what_these_laws_draw_is_valid(spec: Json) -> None:
    assert [error.json_path for error in SCHEMA.iter_errors(without_nulls(spec))] == []


@settings(LAW, max_examples=200)
@given(router_names, specs(), clusters, WORLDS, PLATFORMS)
def test_a_pass_over_any_router_in_any_cluster_never_raises_and_ends_with_a_whole_status(
    name: str, spec: Json, objects: list[Raw], view: Json, platform: Platform
) -> None:
    outside = FakeWorld(objects, **view)
    body = body_of(spec, name)
    outcome = passed(body, outside, platform)
    status = outcome.status
    assert tuple(item["type"] for item in status["conditions"]) == CONDITION_ORDER
    StatusDocument.model_validate(status)
    json.dumps(status, ensure_ascii=False, allow_nan=False).encode()
    for note in outcome.events:
        assert 0 < len(note.message.encode()) <= 1024
    for _, manifests, _ in outside.cluster.applied:
        json.dumps([item.body for item in manifests], allow_nan=False)
    text = document_of(outside)
    if text is not None:
        assert as_the_router_reads(text)["version"] == "v0.3"
    event("a document" if text else "no document" if outside.cluster.applied else "unreadable")
    again = passed({**body, "status": status}, outside, platform)
    assert (again.status, again.events) == (status, ())


EVERY_KIND: Final[Mapping[str, Json]] = {
    "selected": {"type": "serviceSelector", "serviceSelector": {"matchLabels": LABELS}},
    "stack": {"type": "llamastack", "discoveryLabels": LABELS},
    "slices": {"type": "endpointslice", "endpointSlice": {"serviceName": "a", "maxEndpoints": 3}},
    "service": {"type": "service", "service": {"name": "b", "port": "http"}},
    "isvc": {"type": "kserve", "inferenceServiceName": "a"},
}


@LAW
@given(sound_clusters, st.randoms(use_true_random=False))
def test_any_order_of_a_clusters_lists_gives_the_same_bytes(
    objects: list[Raw], chance: random.Random
) -> None:
    entries = [{"name": name, "model": name, "backend": at} for name, at in EVERY_KIND.items()]
    both = []
    for cluster in (objects, reordered(objects, chance)):
        outside = FakeWorld(cluster)
        outcome = passed(body_of({"vllmEndpoints": entries}), outside)
        both.append((document_of(outside), json.dumps(outcome.status), outcome.events))
    event(f"{(both[0][0] or '').count('backend_refs')} models")
    assert both[0] == both[1]


@LAW
@given(specs(alike=False), sound_clusters)
def test_op_19_every_text_of_a_router_reads_back_the_same_from_its_document(
    spec: Json, objects: list[Raw]
) -> None:
    candidate = candidate_of(body_of(spec), objects)
    if candidate is None:
        return
    said = dict(texts(spec, "spec"))
    read = dict(texts(as_the_router_reads(render(candidate).text)))
    same = {
        path: said[origin]
        for path, value in texts(candidate.document)
        if (origin := candidate.origin(path)) in said and not isinstance(value, EnvReference)
    }
    event(f"texts: {min(len(same), 5)}")
    assert {path: read[path] for path in same} == same


def candidate_of(body: Json, objects: list[Raw]) -> Candidate | None:
    """What translate makes of it; None for what is refused or held."""
    try:
        router = parse(body)
    except InvalidSpec:
        return None
    found = discover(router, StateView(objects), policy=DiscoveryPolicy(), last_known={})
    result = translate(router, found, previous_default=None)
    return result if isinstance(result, Candidate) else None


def texts(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text below a value, with its path as messages write it."""
    match value:
        case str():
            yield path, value
        case dict():
            for key, member in value.items():
                yield from texts(member, paths.child(path, key))
        case list():
            for index, member in enumerate(value):
                yield from texts(member, paths.item(path, index))
        case _:
            pass
