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
    "spec.config.complexity_rules[].easy": (
        {"required": "no"},
        "the newer generation doesn't ask for it: hard and easy may be scores instead",
    ),
    "spec.config.complexity_rules[].hard": (
        {"required": "no"},
        "the newer generation doesn't ask for it: hard and easy may be scores instead",
    ),
    "spec.config.embedding_models.embedding_config.model_type": (
        {"enum": "qwen3|gemma|mmbert|multimodal|remote"},
        "today's router looks images up with multimodal, the Go CRD lagged behind (SR-12)",
    ),
    "spec.config.embedding_models.use_cpu": (
        {"default": ""},
        "spec.hardware.profile decides; on a CPU the router's own default is the same",
    ),
    "spec.config.prompt_guard.use_cpu": (
        {"default": ""},
        "spec.hardware.profile decides; on a CPU the router's own default is the same",
    ),
    "spec.config.strategy": (
        {"enum": "priority|confidence"},
        "today's router knows both, the Go CRD lagged behind",
    ),
    "spec.persistence.storageClassName": (
        {"default": ""},
        "the cluster's default class, not one called standard, which few clusters have",
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
    "spec.volumes": (
        {"preserve": "items: yes"},
        "the sources of a volume are Kubernetes' own, and the API server checks them in the pod",
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
    "spec.config.embedding_models.multimodal_model_path": "the model of model_type multimodal",
    "spec.defaultModel": "the default is an answer of its own, not the first model by name",
    "spec.bootstrap": "the table has the two leaves alone; accepted, not used, and said so",
    "spec.drainSeconds": "requests under way finish when a pod ends",
    "spec.envFrom[].configMapRef": "the table has the list alone",
    "spec.envFrom[].prefix": "the table has the list alone",
    "spec.envFrom[].secretRef": "the table has the list alone",
    "spec.hardware": "hardware profiles",
    "spec.networkPolicy": "who may connect to the pods",
    "spec.persistence.retentionPolicy": "whether the data outlives the router (field case OP-07)",
    "spec.podDisruptionBudget": "how many pods a drain may take",
    "spec.priorityClassName": "PriorityClass of the pods",
    "spec.progressDeadlineSeconds": "when new pods are given up",
    "spec.rollback": "whether the operator goes back by itself",
    "spec.revisionHistoryLimit": "how many accepted documents are kept",
    "spec.runtimeClassName": "RuntimeClass of the pods",
    "spec.suspend": "hands off, for maintenance",
    "spec.terminationGracePeriodSeconds": "time for requests to end",
    "spec.topologySpread": "the table has the four leaves alone",
    "spec.topologySpreadConstraints": "the whole of what topologySpread is short for",
    "spec.volumeMounts[].mountPath": "the table has the list alone",
    "spec.volumeMounts[].mountPropagation": "the table has the list alone",
    "spec.volumeMounts[].name": "the table has the list alone",
    "spec.volumeMounts[].readOnly": "the table has the list alone",
    "spec.volumeMounts[].recursiveReadOnly": "the table has the list alone",
    "spec.volumeMounts[].subPath": "the table has the list alone",
    "spec.volumeMounts[].subPathExpr": "the table has the list alone",
    "spec.volumes[].name": "the table has the list alone; a volume is passed on whole",
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


def read_table() -> dict[str, Row]:
    """The first row of each path that isn't a removal; the older generation comes first.

    Its defaults count where the two differ (prompt_guard.model_id and threshold,
    embedding_config.enable_soft_matching): they are those of the router itself. `nullable` is not
    compared: every optional field is.
    """
    result: dict[str, Row] = {}
    with TABLE.open(newline="") as file:
        for record in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            cell = {key: value or "" for key, value in record.items()}
            about_the_item = cell["path"].endswith("[]")
            if not cell["type"].startswith("REMOVED") and not about_the_item:
                row = Row(
                    type=cell["type"],
                    default=cell["default"],
                    enum=cell["enum"],
                    pattern=cell["pattern"],
                    limits=frozenset(cell["limits"].split("; ")) - {"", "nullable"},
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


@pytest.mark.parametrize("path", list(THEIRS))
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


def test_op_17_an_older_resource_lacks_nothing_that_is_required_now() -> None:
    """What is required must have been required, or be part of an object that is new itself.

    Of a volume and its mount the table has the list alone; Kubernetes has always required these.
    """
    required = [path for path, row in OURS.items() if row.required == "yes"]
    new = [path for path in required if THEIRS.get(path, Row("")).required != "yes"]
    roots = [path for path in new if path in ADDED or not below(path, ADDED)]
    assert roots == [
        "spec.volumeMounts[].mountPath",
        "spec.volumeMounts[].name",
        "spec.volumes[].name",
    ]


def test_op_17_no_word_that_was_legal_is_refused_now() -> None:
    lost = {
        path: gone
        for path, row in THEIRS.items()
        if row.enum and (gone := set(row.enum.split("|")) - set(OURS[path].enum.split("|")))
    }
    assert lost == {}
