"""The CRD against the field table of the Go operator's CRD, path by path.

data/crd-fields.tsv has both generations of that CRD: `aug` and `newer`. A CR of either is accepted,
so a row of one generation that says REMOVED is no reason to drop the path of the other.
"""

import csv
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final

import pytest

from schema_paths import Row, rows
from semantic_router_operator.crd import router_schema

TABLE: Final = Path(__file__).parent / "data" / "crd-fields.tsv"

DIFFERENT: Final[Mapping[str, tuple[Mapping[str, object], str]]] = {
    "spec.config.strategy": (
        {"enum": "priority|confidence"},
        "today's router knows both, the Go CRD lagged behind",
    ),
    "spec.resources.limits": (
        {"type": "map<string,int-or-string>"},
        "the table's `any` is a quantity: a number or text with the quantity pattern",
    ),
    "spec.resources.requests": (
        {"type": "map<string,int-or-string>"},
        "the table's `any` is a quantity: a number or text with the quantity pattern",
    ),
    "spec.vllmEndpoints[].backend.service.port": (
        {
            "type": "int-or-string",
            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            "limits": frozenset({"minimum=1", "maximum=65535", "maxLength=63"}),
        },
        "a port may be named; no Service has a port above 65535",
    ),
    "spec.vllmEndpoints[].backend.type": (
        {"enum": "service|serviceSelector|endpointslice|kserve|llamastack|endpoint|url|provider"},
        "five kinds of backend more",
    ),
    "spec.vllmEndpoints[].weight": (
        {"limits": frozenset({"minimum=0", "maximum=100"})},
        "a negative weight has no meaning; 0 drains, 100 is the most (field case SR-09)",
    ),
    "status": (
        {"default": "{'observedGeneration': -1}"},
        "a resource that nobody has looked at must not be taken for current",
    ),
    "status.conditions": (
        {"limits": frozenset({"list-type=map", "list-map-keys=type"})},
        "the table leaves out what its notes say: a list-map with the key type",
    ),
}
"""Paths of both, with what ours says instead, and why."""

ADDED: Final[Mapping[str, str]] = {
    "spec.defaultModel": "the default is an answer of its own, not the first model by name",
    "spec.hardware": "hardware profiles",
    "spec.vllmEndpoints[].apiFormat": "the model's api_format",
    "spec.vllmEndpoints[].backend.endpoint": "backend kind endpoint",
    "spec.vllmEndpoints[].backend.endpointSlice": "backend kind endpointslice",
    "spec.vllmEndpoints[].backend.kserve": "long form of inferenceServiceName",
    "spec.vllmEndpoints[].backend.llamastack": "long form of discoveryLabels",
    "spec.vllmEndpoints[].backend.provider": "backend kind provider",
    "spec.vllmEndpoints[].backend.serviceSelector": "backend kind serviceSelector",
    "spec.vllmEndpoints[].backend.url": "backend kind url",
    "spec.vllmEndpoints[].connection": "how to talk to a backend",
    "spec.vllmEndpoints[].pricing": "the model's pricing",
    "spec.vllmEndpoints[].providerModelId": "the model's provider_model_id",
    "spec.vllmEndpoints[].reliability": "the model's reliability",
    "status.backends": "what became of each endpoint",
    "status.config": "digest and revision of the document",
    "status.replicasSummary": "printer column Replicas: a column can't join two paths",
    "status.selector": "scale subresource",
    "status.url": "where clients send their requests",
}
"""Paths of ours alone; what is below them counts too."""

NOT_YET: Final = (
    "spec.bootstrap",
    "spec.config.api",
    "spec.config.classifier",
    "spec.config.complexity_model",
    "spec.config.complexity_rules",
    "spec.config.decisions",
    "spec.config.embedding_models",
    "spec.config.external_models",
    "spec.config.model_admission",
    "spec.config.model_deployments",
    "spec.config.observability",
    "spec.config.prompt_guard",
    "spec.config.response_cache",
    "spec.config.semantic_cache",
    "spec.config.streamed_body",
    "spec.config.tools",
    "spec.envFrom",
    "spec.ingress",
    "spec.persistence",
    "spec.toolsDb",
    "spec.topologySpread",
    "spec.volumeMounts",
    "spec.volumes",
)
"""Paths of the table that the operator doesn't work with yet. A field that it would ignore is not
in the CRD: the API server says "unknown field" instead of nobody saying anything."""


def read_table() -> dict[str, Row]:
    """The first row of each path that isn't a removal; the older generation comes first."""
    result: dict[str, Row] = {}
    with TABLE.open(newline="") as file:
        for record in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            cell = {key: value or "" for key, value in record.items()}
            if not cell["type"].startswith("REMOVED"):
                row = Row(
                    type=cell["type"],
                    default=cell["default"],
                    enum=cell["enum"],
                    pattern=cell["pattern"],
                    limits=frozenset(x for x in cell["limits"].split("; ") if x),
                    required=cell["required"],
                    preserve=cell["preserve_unknown"],
                )
                result.setdefault(cell["path"], row)
    return result


def below(path: str, roots: object) -> bool:
    assert isinstance(roots, tuple | Mapping)
    return any(path == root or path.startswith((f"{root}.", f"{root}[")) for root in roots)


PARTS = router_schema()["properties"]
OURS = dict(rows(PARTS["spec"], "spec")) | dict(rows(PARTS["status"], "status"))
THEIRS = read_table()


@pytest.mark.parametrize("path", [path for path in THEIRS if not below(path, NOT_YET)])
def test_a_path_of_the_table_is_there_with_its_type_default_and_limits(path: str) -> None:
    changes, _reason = DIFFERENT.get(path, ({}, ""))
    assert asdict(OURS[path]) == {**asdict(THEIRS[path]), **changes}


def test_each_difference_is_one() -> None:
    equal = [
        path
        for path, (changes, reason) in DIFFERENT.items()
        if not reason or changes.items() <= asdict(THEIRS[path]).items()
    ]
    assert equal == []


def test_a_path_that_the_table_does_not_have_is_listed_with_its_reason() -> None:
    assert [path for path in OURS if path not in THEIRS and not below(path, ADDED)] == []
    assert [path for path in ADDED if path in THEIRS or path not in OURS] == []


def test_what_is_not_there_yet_is_listed_and_no_more_than_that() -> None:
    assert [root for root in NOT_YET if not any(below(path, (root,)) for path in THEIRS)] == []
    assert [path for path in OURS if below(path, NOT_YET)] == []
