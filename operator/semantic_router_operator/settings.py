"""Environment and flags, as one frozen value. `run --help` is made from this table."""

import math
import re
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Final

from semantic_router_operator.errors import InvalidSpec


@dataclass(frozen=True, slots=True)
class Allowed:
    """Which values a setting takes: a range, or words."""

    least: float = -math.inf
    most: float = math.inf
    words: tuple[str, ...] = ()

    def refusal(self, value: Any) -> str:
        """What it should have been; empty when it is fine."""
        if self.words:
            return "" if value.lower() in self.words else f"one of {', '.join(self.words)}"
        if isinstance(value, str) or self.least <= value <= self.most:
            return ""
        if self.most == math.inf:
            return f"{self.least:g} or more"
        return f"from {self.least:g} to {self.most:g}"


_ANY: Final = Allowed()
_COUNT: Final = Allowed(least=1)
_SECONDS: Final = Allowed(least=0.01)
_PORT: Final = Allowed(least=1, most=65535)
_LEVEL: Final = Allowed(words=("debug", "info", "warning", "error"))


def _setting(default: object, env: str, text: str, *, allowed: Allowed = _ANY) -> Any:
    return field(default=default, metadata={"env": env, "help": text, "allowed": allowed})


_YES: Final = True
_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


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
    workers: int = _setting(
        4, "WORKERS", "Routers that are reconciled at the same time.", allowed=_COUNT
    )
    resync_seconds: float = _setting(
        600.0,
        "RESYNC_SECONDS",
        "Every router is looked at again after so many seconds.",
        allowed=_SECONDS,
    )
    relist_seconds: float = _setting(
        600.0,
        "RELIST_SECONDS",
        "Every cache is listed anew after so many seconds.",
        allowed=_SECONDS,
    )
    backoff_seconds: float = _setting(
        1.0,
        "BACKOFF_SECONDS",
        "First delay after a failed pass; doubles each time, with jitter.",
        allowed=_SECONDS,
    )
    backoff_limit_seconds: float = _setting(
        300.0, "BACKOFF_LIMIT_SECONDS", "Longest delay after a failed pass.", allowed=_SECONDS
    )
    api_concurrency: int = _setting(
        16,
        "API_CONCURRENCY",
        "Requests under way at the API server at the same time.",
        allowed=_COUNT,
    )
    health_port: int = _setting(8081, "HEALTH_PORT", "Port of /healthz and /readyz.", allowed=_PORT)
    metrics_port: int = _setting(8080, "METRICS_PORT", "Port of /metrics.", allowed=_PORT)
    bind_address: str = _setting("0.0.0.0", "BIND_ADDRESS", "Address of both ports.")  # noqa: S104
    liveness_seconds: float = _setting(
        900.0,
        "LIVENESS_SECONDS",
        "/healthz fails when a watch or the list of the routers made no progress for so long.",
        allowed=_SECONDS,
    )
    leader_election: bool = _setting(
        _YES, "LEADER_ELECTION", "Whether a Lease decides which replica writes."
    )
    lease_namespace: str = _setting(
        "", "POD_NAMESPACE", "Namespace of the Lease; the pod's own, else default."
    )
    identity: str = _setting(
        "",
        "POD_NAME",
        "Name in the Lease, of this process alone; the host's with a random end by default.",
    )
    log_level: str = _setting("info", "LOG_LEVEL", "debug, info, warning or error.", allowed=_LEVEL)
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
    """Flags beat the environment, which beats the defaults; an empty variable counts as absent.

    Raises InvalidSpec naming the flag or variable when a text isn't a value of the setting.
    """
    values: dict[str, Any] = {}
    for item in fields(Settings):
        flag, variable = flags.get(item.name), environment.get(item.metadata["env"])
        if flag is not None:
            values[item.name] = _value(flag, item, flag_name(item.name))
        elif variable:
            values[item.name] = _value(variable, item, item.metadata["env"])
    settings = Settings(**values)
    for name in settings.watched:
        if not _LABEL.fullmatch(name):
            message = f"WATCH_NAMESPACES: {name!r} is not the name of a namespace"
            raise InvalidSpec(message)
    return settings


def flag_name(setting: str) -> str:
    """The flag of a setting, as it is typed."""
    return "--" + setting.replace("_", "-")


def _value(text: str, item: Field[Any], name: str) -> Any:
    allowed: Allowed = item.metadata["allowed"]
    value, wanted = _parsed(text.strip(), item.type)
    if value is not None:
        wanted = allowed.refusal(value)
    if wanted:
        message = f"{name}: {text!r} is not {wanted}"
        raise InvalidSpec(message)
    return value


def _parsed(text: str, kind: object) -> tuple[Any, str]:
    """The value or None, and what it should have been."""
    try:
        if kind is bool:
            known = {"true": True, "1": True, "false": False, "0": False}
            return known.get(text.lower()), "true or false"
        if kind is int:
            return int(text), "a whole number"
        if kind is float:
            number = float(text)
            return (number if math.isfinite(number) else None), "a number"
    except ValueError:
        return None, "a whole number" if kind is int else "a number"
    return text, ""
