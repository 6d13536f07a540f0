"""What a watch looks at, how fast, and in which state it can be."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

P = TypeVar("P")
Place = tuple[str, str]
"""(namespace, name)"""


@dataclass(frozen=True, slots=True)
class NotSynced:
    """Nothing has been heard yet."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What is held is what the API server says."""


@dataclass(frozen=True, slots=True)
class NotInstalled:
    """The API server doesn't serve the kind; nothing is held."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """We may not look; what was known before is kept, and not shown."""

    message: str


@dataclass(frozen=True, slots=True)
class Failing:
    """No answer; what was known before is still shown."""

    message: str


State = NotSynced | Synced | NotInstalled | Forbidden | Failing


@dataclass(frozen=True, slots=True)
class Pace:
    """All the times of a watch, in seconds."""

    relist: float = 600.0
    server: float = 300.0
    """timeoutSeconds of a WATCH: a balanced load after an API server has restarted."""
    idle: float = 100.0
    """A stream that is mute for so long is dead; a bookmark comes about every 60 s."""
    first_retry: float = 0.2
    """Doubles with each failure, up to the longest."""
    longest_retry: float = 10.0
    """What an outage costs after its end, at most: a cache that waits blinds us to its kind."""
    forbidden: float = 60.0
    """Rights are looked at again after so long at most."""


DEFAULT_PACE = Pace()


@dataclass(frozen=True, slots=True)
class Source(Generic[P]):
    """What is watched and what is kept of it."""

    kind: str
    plural: str
    locate: Callable[[], Awaitable[str | None]]
    """`/api/v1` or `/apis/<group>/<version>`; None while the kind isn't served."""
    project: Callable[[Mapping[str, Any]], P]
    namespace: str | None = None
    """None means all of them."""
    selector: str = ""
    metadata_only: bool = False
    page: int = 500
    """Objects of one page of a LIST; less where objects are big."""

    def url(self, path: str) -> str:
        """URL path of the collection; `path` as `locate` gave it."""
        if self.namespace is None:
            return f"{path}/{self.plural}"
        return f"{path}/namespaces/{self.namespace}/{self.plural}"

    def query(self, **parts: str) -> dict[str, str]:
        """The parts, and the selector."""
        return {**({"labelSelector": self.selector} if self.selector else {}), **parts}


def place(raw: Mapping[str, Any]) -> Place:
    """Namespace ("" for none) and name of an object."""
    metadata = raw["metadata"]
    return (metadata.get("namespace") or "", metadata["name"])


def number(version: str) -> int:
    """resourceVersions of one kind grow and are decimal, except behind some aggregated API
    servers: 0 then, which is older than nothing and newer than nothing."""
    return int(version) if version.isdecimal() else 0
