"""Environment and flags, as one frozen value. `run --help` is made from this table."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, cast

from semantic_router_operator.errors import InvalidSpec


def _setting(default: object, env: str, text: str) -> Any:
    return field(default=default, metadata={"env": env, "help": text})


_YES: Final = True


@dataclass(frozen=True, slots=True)
class Settings:
    """All that an administrator can set. Every field has an environment variable and a flag."""

    namespaces: str = _setting(
        "", "WATCH_NAMESPACES", "Comma-separated namespaces to work in; empty means all."
    )
    cluster_domain: str = _setting(
        "cluster.local", "CLUSTER_DOMAIN", "DNS domain of the cluster's Services."
    )
    cross_namespace: bool = _setting(
        _YES,
        "ALLOW_CROSS_NAMESPACE_BACKENDS",
        "Whether a router may use backends of other namespaces (never with a credential).",
    )
    workers: int = _setting(4, "WORKERS", "Routers that are reconciled at the same time.")
    resync_seconds: float = _setting(
        600.0, "RESYNC_SECONDS", "Every router is looked at again after so many seconds."
    )
    relist_seconds: float = _setting(
        600.0, "RELIST_SECONDS", "Every cache is listed anew after so many seconds."
    )
    backoff_seconds: float = _setting(
        1.0, "BACKOFF_SECONDS", "First delay after a failed pass; doubles each time, with jitter."
    )
    backoff_limit_seconds: float = _setting(
        300.0, "BACKOFF_LIMIT_SECONDS", "Longest delay after a failed pass."
    )
    api_concurrency: int = _setting(
        16, "API_CONCURRENCY", "Requests under way at the API server at the same time."
    )
    health_port: int = _setting(8081, "HEALTH_PORT", "Port of /healthz and /readyz.")
    metrics_port: int = _setting(8080, "METRICS_PORT", "Port of /metrics.")
    bind_address: str = _setting("0.0.0.0", "BIND_ADDRESS", "Address of both ports.")  # noqa: S104
    liveness_seconds: float = _setting(
        900.0, "LIVENESS_SECONDS", "/healthz fails when no watch made progress for so long."
    )
    leader_election: bool = _setting(
        _YES, "LEADER_ELECTION", "Whether a Lease decides which replica writes."
    )
    lease_namespace: str = _setting(
        "", "POD_NAMESPACE", "Namespace of the Lease; the pod's own, else default."
    )
    identity: str = _setting("", "POD_NAME", "Name in the Lease; the host's name by default.")
    log_level: str = _setting("info", "LOG_LEVEL", "debug, info, warning or error.")
    image_cpu: str = _setting(
        "", "RELATED_IMAGE_ROUTER_CPU", "Router image of profile cpu, where the CR names none."
    )
    image_nvidia: str = _setting(
        "",
        "RELATED_IMAGE_ROUTER_NVIDIA",
        "Router image of profile nvidia, where the CR names none.",
    )
    image_amd: str = _setting(
        "", "RELATED_IMAGE_ROUTER_AMD", "Router image of profile amd, where the CR names none."
    )
    image_arm64: str = _setting(
        "", "RELATED_IMAGE_ROUTER_ARM64", "Router image of profile arm64, where the CR names none."
    )

    @property
    def watched(self) -> tuple[str, ...]:
        """The namespaces to work in, sorted; empty means all."""
        return tuple(sorted({part.strip() for part in self.namespaces.split(",") if part.strip()}))


def load(environment: Mapping[str, str], flags: Mapping[str, str | None]) -> Settings:
    """Flags beat the environment, which beats the defaults.

    Raises InvalidSpec naming the variable when a text isn't a value of the field's type.
    """
    values: dict[str, Any] = {}
    for item in fields(Settings):
        text = flags.get(item.name)
        if text is None:
            text = environment.get(item.metadata["env"])
        if text is not None:
            values[item.name] = _parse(text, item.type, item.metadata["env"])
    return Settings(**values)


def _parse(text: str, kind: object, name: str) -> Any:
    try:
        if kind is bool:
            return {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()]
        if kind is int:
            return int(text)
        return float(text) if kind is float else text
    except (KeyError, ValueError):
        wanted = {bool: "true or false", int: "a whole number"}.get(cast("type", kind), "a number")
        message = f"{name}: {text!r} is not {wanted}"
        raise InvalidSpec(message) from None
