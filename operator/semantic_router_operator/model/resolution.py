"""What discovery found: each endpoint of the CR becomes a Resolution; nothing is dropped."""

from dataclasses import dataclass
from typing import Literal

from semantic_router_operator.model.facts import ObjectRef

Reason = Literal[
    "NotFound",
    "PortNotFound",
    "NoMatch",
    "Ambiguous",
    "NotReady",
    "NoReadyEndpoints",
    "KindNotInstalled",
    "Forbidden",
    "Unreachable",
    "Invalid",
    "ConflictingModelSettings",
]
"""Why an endpoint has no target (contract: backends.md)."""


@dataclass(frozen=True, slots=True)
class Target:
    """One address of a backend, as it was found.

    `host` is a qualified DNS name or an IP literal (IPv6 without brackets). `port` is None only
    for a URL that leaves it out. `base_path` is "" or begins with "/" and has no slash at the end.
    """

    protocol: Literal["http", "https"]
    host: str
    port: int | None
    base_path: str = ""
    suffix: str = ""
    """Added to the endpoint's name (`<endpoint>-<suffix>`) where one endpoint has several
    targets: the Service's name, or the address. Unique and stable within the endpoint."""
    api_version: str | None = None
    """From a Service annotation; connection.apiVersion of the CR wins."""
    chat_path: str | None = None
    """From a Service annotation; connection.chatPath of the CR wins."""

    @property
    def authority(self) -> str:
        """`host:port`, or `host` where there is no port; IPv6 in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """For status and messages."""
        return f"{self.protocol}://{self.authority}{self.base_path}"


@dataclass(frozen=True, slots=True)
class Note:
    """A warning about an endpoint that works all the same. The message begins with the path."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where the backend is. At least one target."""

    targets: tuple[Target, ...]
    source: ObjectRef | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Unresolved:
    """Why the backend has no target. The message names the object and what to do."""

    reason: Reason
    message: str
    source: ObjectRef | None = None
    declared: Target | None = None
    """For kind service: the address that the CR itself declares, kept when nothing else serves."""
    uncertain: bool = False
    """The cluster could not be asked, or answered with an old view: last known targets stay."""
    last_known: tuple[Target, ...] = ()
    """Filled in by `discover` from the previous status when `uncertain`."""


Resolution = Resolved | Unresolved


@dataclass(frozen=True, slots=True)
class LastKnown:
    """The targets that an earlier pass found, as status.backends tells of them."""

    type: str
    """backend.type of the entry."""
    source: str
    """Text of the object that they came from; empty where there wasn't one. Targets of another
    kind or object are no answer for an entry that was pointed elsewhere since."""
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class GatewayFound:
    """The Gateway of spec.gateway.existingRef is there."""


@dataclass(frozen=True, slots=True)
class GatewayMissing:
    """It isn't, or can't be asked for (then `uncertain`). The message begins with the path."""

    reason: str
    message: str
    uncertain: bool = False


GatewayState = GatewayFound | GatewayMissing | None


@dataclass(frozen=True, slots=True)
class Discovery:
    """All that a pass learned from the cluster about what the CR refers to."""

    endpoints: tuple[Resolution, ...] = ()
    """One for each entry of spec.vllmEndpoints, in the same order."""
    gateway: GatewayState = None
