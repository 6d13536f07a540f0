"""What a request to the API server is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = "application/json"
APPLY = "application/apply-patch+yaml"
"""Server-side apply; JSON is YAML."""
JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""`Accept` of a list that carries metadata only."""
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
"""The same for a watch."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request. `path` begins with `/api/v1` or `/apis/<group>/<version>`, quoted already."""

    method: Literal["GET", "POST", "PATCH", "PUT", "DELETE"]
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    content_type: str = JSON
    accept: str = JSON

    @property
    def resource(self) -> str:
        """Plural, with the subresource: `deployments`, `semanticrouters/status`."""
        parts = self.path.strip("/").split("/")
        rest = parts[2:] if parts[0] == "api" else parts[3:]
        if len(rest) > 2 and rest[0] == "namespaces":
            rest = rest[2:]
        return "/".join((rest[0], *rest[2:3])) if rest else "discovery"

    @property
    def verb(self) -> str:
        """GET, LIST, WATCH, POST, PATCH, PUT or DELETE."""
        if self.method != "GET" or self.resource == "discovery":
            return self.method
        if "watch" in self.query:
            return "WATCH"
        return "LIST" if self.path.endswith("/" + self.resource) else "GET"
