"""The router's configuration document (canonical v0.3) and what became of a candidate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from typing_extensions import override

from semantic_router_operator.model import paths


@dataclass(frozen=True, slots=True)
class SecretEnv:
    """An environment variable of the pod that comes from a Secret. Never its value."""

    name: str
    secret: str
    key: str
    optional: bool = False
    """Whether the pod may start without the Secret or the key."""


class EnvReference(str):
    """Text `${NAME}` that the router replaces by the variable; its `$` is not the user's."""

    __slots__ = ()

    @classmethod
    def to(cls, name: str) -> "EnvReference":
        """The reference to the variable of that name."""
        return cls(f"${{{name}}}")


@dataclass(frozen=True, slots=True)
class CanonicalConfig:
    """A whole document, ready to be the live one.

    `text` is YAML, the same bytes for the same input. `digest` is sha256 over `text`.
    `restart_digest` covers only what the router can't reload by itself (listeners).
    """

    text: str
    digest: str
    restart_digest: str
    env: tuple[SecretEnv, ...] = ()
    tools: str = "[]"
    """Content of tools_db.json."""
    default_model: str | None = None
    """providers.defaults.model of the document."""
    settings_digest: str = ""
    """sha256 over the document without its backends: two with the same differ only in where the
    models are."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A translated document before validation.

    `document` holds what the router is to understand: a `$` of the user is one `$` here, and a
    reference to an environment variable is an `EnvReference`. Only `render` escapes.
    """

    document: Mapping[str, Any]
    env: tuple[SecretEnv, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict)
    """Path in the document (`providers.models[0].backend_refs[1]`) -> path in the CR
    (`spec.vllmEndpoints[3]`). The longest prefix counts."""
    notes: tuple["Issue", ...] = ()
    """Warnings: what was left out or translated from a deprecated field."""
    tools: str = "[]"
    """Content of tools_db.json."""

    def origin(self, path: str) -> str:
        """Where in the CR a path of the document comes from."""
        return paths.trace(self.origins, path)


@dataclass(frozen=True, slots=True)
class Held:
    """No candidate: a decision, default or alias would be left with nothing (WaitingForBackends),
    or entries contradict each other."""

    reason: str
    issues: tuple["Issue", ...]
    """Errors, and warnings by the way."""
    draft: Candidate | None = None
    """The document as far as it got: validating it as well tells all errors at once."""


@dataclass(frozen=True, slots=True)
class Issue:
    """One finding of translation or validation. `path` points into the CR."""

    code: str
    path: str
    message: str
    severity: Literal["error", "warning"] = "error"

    @override
    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


@dataclass(frozen=True, slots=True)
class Accepted:
    """The candidate passed every rule."""

    config: CanonicalConfig
    warnings: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """It didn't, or there is none. What ran keeps running with the last good document."""

    reason: str
    """CamelCase: InvalidConfig, WaitingForBackends, ConflictingModelSettings, GatewayNotFound..."""
    errors: tuple[Issue, ...]
    warnings: tuple[Issue, ...] = ()


Verdict = Accepted | Rejected
