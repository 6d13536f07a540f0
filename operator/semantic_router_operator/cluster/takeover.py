"""Objects that were written by other means before, made ours (field cases OP-10, OP-11).

The Go operator wrote with Update. What it set and we don't want would stay for ever, since an
apply removes only what the same manager applied before. So its entry of managedFields becomes
ours, as client-go's `csaupgrade` does it.
"""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.cluster.ownership import applied_fields, merged

FORMER_MANAGERS = frozenset({"manager", "semantic-router-operator-manager"})
"""Field managers of the Go operator: the name of its program."""


def takeover_patch(raw: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """A JSON patch that makes the fields of the former managers ours; None where there is nothing
    to take over. It fails with 409 when the object has changed meanwhile."""
    metadata = raw["metadata"]
    entries = metadata.get("managedFields") or []
    former = [entry for entry in entries if _is_former(entry)]
    if not former or applied_fields(raw) is not None:
        return None
    fields: Mapping[str, Any] = {}
    for entry in former:
        fields = merged(fields, entry.get("fieldsV1") or {})
    ours = {**former[-1], "manager": names.FIELD_MANAGER, "operation": "Apply", "fieldsV1": fields}
    kept = [entry for entry in entries if not _is_former(entry)]
    return [
        {"op": "replace", "path": "/metadata/managedFields", "value": [*kept, ours]},
        {
            "op": "replace",
            "path": "/metadata/resourceVersion",
            "value": metadata["resourceVersion"],
        },
    ]


def _is_former(entry: Mapping[str, Any]) -> bool:
    return (
        entry.get("manager") in FORMER_MANAGERS
        and entry.get("operation") == "Update"
        and not entry.get("subresource")
    )
