"""What publish writes is what the CRD knows: the API server would prune the rest in silence."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, get_args

from semantic_router_operator.crd import router_schema
from semantic_router_operator.model.status import (
    Assessment,
    BackendStatus,
    ConditionType,
    Finding,
)
from semantic_router_operator.status import publish

TARGET = {"url": "http://s:1/v1", "suffix": "s", "apiVersion": "1", "chatPath": "/c"}
FULL = Assessment(
    findings=tuple(Finding(kind, "True", "Reason", "text") for kind in get_args(ConditionType)),
    backends=(BackendStatus("a", "m", "url", "Service n/s", (TARGET,), "Resolved", "R", "text"),),
    phase="Running",
    gateway_mode="standalone",
    replicas=2,
    ready_replicas=1,
    selector="a=b",
    config_digest="sha256:0",
    url="http://r",
    route_hostname="host",
    routes_enabled=True,
    default_model="m",
)


def pruned(schema: Mapping[str, Any], value: object, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            field = schema.get("properties", {}).get(key)
            yield from [f"{path}.{key}"] if field is None else pruned(field, item, f"{path}.{key}")
    elif isinstance(value, list):
        for item in value:
            yield from pruned(schema["items"], item, f"{path}[]")


def test_nothing_of_a_full_status_is_pruned() -> None:
    status = publish(FULL, {}, generation=1, now=datetime(2026, 1, 1, tzinfo=UTC))
    schema = router_schema()["properties"]["status"]
    assert list(pruned(schema, status, "status")) == []
    missing = schema["properties"].keys() - status.keys()
    assert missing == set()
