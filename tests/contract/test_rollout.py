"""The table of what reloads and what rolls, against what the code does with every property."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import rollout_doc
from fakes.cluster_view import FakeView
from rollout_walk import PATHS, effects
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.model.canonical import Held
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.rollout import SPEC, STARTUP, SpecPart
from semantic_router_operator.objects import Images, build
from semantic_router_operator.translate import render, translate
from semantic_router_operator.validation.document_schema import rows as document_rows

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.yaml"))
QUIET = {
    "config.decisions[].preferred_endpoints": "left out of the document, with a warning",
    "config.prompt_guard.protocol": "one value is known, which is the default",
    "config.response_cache.hnsw": "left out of the document, with a warning",
    "config.response_cache.milvus.data_management": "left out of the document, with a warning",
    "config.response_cache.milvus.performance": "left out of the document, with a warning",
    "config.semantic_cache.hnsw": "left out of the document, with a warning",
    "config.semantic_cache.milvus.data_management": "left out of the document, with a warning",
    "config.semantic_cache.milvus.performance": "left out of the document, with a warning",
    "gateway.existingRef.name": "which Gateway it is only has to exist",
    "gateway.existingRef.namespace": "which Gateway it is only has to exist",
    "openshift.routes.tls.termination": "anything but edge is refused",
    "service.api.protocol": "anything but TCP is refused",
    "service.grpc.protocol": "anything but TCP is refused",
    "service.metrics.protocol": "anything but TCP is refused",
}
"""Properties of which no value moves anything by itself, and why."""


def row_of(path: str) -> SpecPart | None:
    """The row with the longest path that the property is below."""
    found = (row for row in SPEC if is_below(path, row.path))
    return max(found, key=lambda row: len(row.path), default=None)


def is_below(path: str, row: str) -> bool:
    return path == row or path.startswith((f"{row}.", f"{row}[", f"{row}{{"))


ROWS = {path: row_of(path) for path in PATHS}


def quiet(path: str) -> bool:
    return path.endswith(".verbose_errors") or any(is_below(path, known) for known in QUIET)


def test_every_property_of_the_spec_has_a_row_and_every_row_a_property() -> None:
    assert [path for path, part in ROWS.items() if part is None] == []
    assert {part.path for part in ROWS.values() if part} == {part.path for part in SPEC}
    assert len({part.path for part in SPEC}) == len(SPEC)


@pytest.mark.parametrize("part", SPEC, ids=lambda part: str(part.path))
def test_what_a_change_moves_is_what_the_table_says(part: SpecPart) -> None:
    until = frozenset(part.effects)
    seen = {path: effects(path, until=until) for path, row in ROWS.items() if row == part}
    more = {path: found for path, found in seen.items() if not found <= set(part.effects)}
    assert more == {}, "moves more than the table says"
    assert set().union(*seen.values()) == set(part.effects)
    if part.effects:
        assert [path for path, found in seen.items() if not found and not quiet(path)] == []


def test_what_is_read_at_the_start_alone_is_part_of_the_routers_document() -> None:
    known = {row.path.removesuffix("[]") for row in document_rows()}
    for part in STARTUP:
        steps = re.sub(r"\[\w+=\w+\]", "[]", part.path)
        steps = re.escape(steps).replace(r"\*\*", r".+").replace(r"\*", r"\w*")
        assert [path for path in known if re.fullmatch(steps, path)], part.path
        assert len(part.source) > 20


def template(body: Json, objects: list[Json]) -> Any:
    """The pod template, or None while nothing would be changed."""
    router = parse(body)
    view = FakeView(objects)
    discovery = discover(router, view, policy=DiscoveryPolicy(), last_known={})
    translation = translate(router, discovery, previous_default=None)
    if isinstance(translation, Held):
        return None
    built = build(router, render(translation), platform=Platform(), images=Images())
    deployment = next(item for item in built.manifests if item.kind.kind == "Deployment")
    return deployment.body["spec"]["template"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_no_backend_that_comes_or_goes_replaces_pods(sample: Path) -> None:
    everything = list(yaml.safe_load_all((ROOT / "tests/golden/cluster.yaml").read_text()))
    for body in yaml.safe_load_all(sample.read_text()):
        if body["kind"] == "SemanticRouter":
            worlds: tuple[list[Json], ...] = (everything, everything[::2], everything[1::2], [])
            found = [template(body, objects) for objects in worlds]
            assert found[0] is not None
            assert [item for item in found if item not in (None, found[0])] == []


def test_the_document_is_up_to_date() -> None:
    written = rollout_doc.TARGET.read_text(encoding="utf-8")
    assert written == rollout_doc.content(), "run `make generate`"
