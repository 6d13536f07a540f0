"""`providers.models[].backend_refs`: the targets of a model's entries, as the router reads them.

Two shapes work in the router (contract, backend-ref-semantics.md 2): an endpoint with its
protocol, or a base_url with its provider. Never both, never a mixture.
"""

import ipaddress
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue, SecretEnv
from semantic_router_operator.model.endpoints import SecretKeyRef
from semantic_router_operator.model.resolution import Target
from semantic_router_operator.translate.agreement import CONFLICT, both_are, disagreement
from semantic_router_operator.translate.entries import Entry, ModelEntries

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_OWN_ROOT: Final = ("anthropic", "minimax")
"""Provider types whose suffix begins with /v1 (contract, semantics 3), so that their base_url
must not end with it: /v1/v1/messages is not an API (field case SR-03)."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What all refs of one model must have in common (contract, semantics 7)."""

    provider: str | None
    protocol: str
    base_path: str
    address_kind: str
    auth_header: str | None
    auth_prefix: str | None
    credential: SecretKeyRef | None
    extra_headers: Mapping[str, str]
    api_version: str | None
    chat_path: str | None

    @property
    def profile(self) -> bool:
        """Whether the router needs a provider profile, that is a base_url."""
        return self.provider is not None


_FIELDS: Final[Mapping[str, str]] = {
    "provider": "connection.provider",
    "protocol": "connection.protocol",
    "base_path": "connection.basePath",
    "address_kind": "backend",
    "auth_header": "connection.auth.header",
    "auth_prefix": "connection.auth.prefix",
    "credential": "connection.auth.secretKeyRef",
    "extra_headers": "connection.extraHeaders",
    "api_version": "connection.apiVersion",
    "chat_path": "connection.chatPath",
}
"""Where an entry of the CR says each fact."""
_SECRET: Final = ("auth_header", "auth_prefix", "credential", "extra_headers")
"""Facts whose values stay out of messages."""


@dataclass(frozen=True, slots=True)
class _Ref:
    entry: Entry
    target: Target
    facts: Facts
    name: str


@dataclass(frozen=True, slots=True)
class BackendRefs:
    """The refs of one model, sorted by name, and which entry each comes from."""

    refs: tuple[Mapping[str, Any], ...]
    sources: tuple[Entry, ...]
    issues: tuple[Issue, ...]


def backend_refs(model: ModelEntries, api_format: str | None) -> BackendRefs:
    """One ref for each target of each serving entry.

    The weight of an entry goes to each of its refs: a selector that finds a second Service has
    twice the share, as two entries of that weight would have.
    """
    found = _found(model, api_format)
    env = credentials(model)
    ordered = sorted(found, key=lambda ref: (ref.name, ref.entry.index))
    return BackendRefs(
        refs=tuple(_ref(ref, env) for ref in ordered),
        sources=tuple(ref.entry for ref in ordered),
        issues=(*_conflicts(model, found), *_roots(found)),
    )


def _found(model: ModelEntries, api_format: str | None) -> list[_Ref]:
    """Every target, in the order written. A name that isn't unique in the model gets a hash.

    The router compares normalised names, so case doesn't make a difference. Names of entries
    that don't serve now count as well: their return must not rename a ref.
    """
    pairs = [(served.entry, target) for served in model.serving for target in served.targets]
    used = Counter(_name(entry, target).casefold() for entry, target in pairs if target.suffix)
    used.update(entry.endpoint.name.casefold() for entry in model.entries)
    refs = []
    for entry, target in pairs:
        name = _name(entry, target)
        if target.suffix and used[name.casefold()] > 1:
            distinct = f"{entry.endpoint.name}/{target.suffix}"
            name = f"{name}-{names.digest(distinct.encode('utf-8', 'replace'))[-8:]}"
        refs.append(_Ref(entry, target, _facts(entry, target, api_format), name))
    return refs


def _name(entry: Entry, target: Target) -> str:
    name = entry.endpoint.name
    return f"{name}-{target.suffix}" if target.suffix else name


def _ref(ref: _Ref, env: Mapping[SecretKeyRef, SecretEnv]) -> dict[str, Any]:
    facts, target = ref.facts, ref.target
    if facts.profile:
        where = {"base_url": f"{facts.protocol}://{target.authority}{facts.base_path}"}
    else:
        port = "" if target.port else f":{_DEFAULT_PORTS[facts.protocol]}"
        where = {"endpoint": f"{target.authority}{port}", "protocol": facts.protocol}
    headers = {key: facts.extra_headers[key] for key in sorted(facts.extra_headers)}
    key = env[facts.credential] if facts.credential else None
    optional = {
        "provider": facts.provider,
        "auth_header": facts.auth_header,
        "auth_prefix": facts.auth_prefix,
        "extra_headers": headers or None,
        "api_version": facts.api_version,
        "chat_path": facts.chat_path,
        "api_key_env": key.name if key else None,
    }
    said = {name: value for name, value in optional.items() if value is not None}
    return {"name": ref.name, **where, **said, "weight": ref.entry.endpoint.weight}


def _facts(entry: Entry, target: Target, api_format: str | None) -> Facts:
    connection = entry.endpoint.connection
    auth = connection.auth
    api_version = connection.api_version or target.api_version or None
    chat_path = connection.chat_path or target.chat_path or None
    header = (auth.header or None) if auth else None
    prefix = auth.prefix if auth else None
    needs_profile = bool(
        target.base_path or api_version or chat_path or header or connection.extra_headers
    )
    provider = _provider(entry, api_format, needs_profile=needs_profile or prefix is not None)
    return Facts(
        provider=provider,
        protocol=target.protocol,
        base_path=_root(provider, target.base_path),
        address_kind="an IP address" if _is_address(target.host) else "a DNS name",
        auth_header=header,
        auth_prefix=prefix,
        credential=_credential(entry),
        extra_headers=connection.extra_headers,
        api_version=api_version,
        chat_path=chat_path,
    )


def _provider(entry: Entry, api_format: str | None, *, needs_profile: bool) -> str | None:
    """The provider type to write, or None for a plain endpoint.

    `vllm` is the newer router's default and no type of the August one: a plain endpoint says it,
    and with a profile `openai` speaks the same protocol in both (contract, README.md).
    """
    backend = entry.endpoint.backend
    asked = entry.endpoint.connection.provider
    if asked is None and backend.type == "provider" and backend.provider is not None:
        asked = backend.provider.type
    if asked is not None and asked != "vllm":
        return asked
    if not needs_profile and backend.type != "provider":
        return None
    return "anthropic" if asked is None and api_format == "anthropic" else "openai"


def _root(provider: str | None, base_path: str) -> str:
    return base_path.removesuffix("/v1") if provider in _OWN_ROOT else base_path


def _roots(refs: list[_Ref]) -> list[Issue]:
    """A base URL whose root isn't the one that the provider's API has (field case SR-03)."""
    text = (
        "no path before the API: the router asks for /chat/completions; most servers that speak "
        "the OpenAI API want /v1 before it"
    )
    suspects = {
        ref.entry.path: Issue("BasePathMissing", f"{ref.entry.path}.backend", text, "warning")
        for ref in refs
        if ref.facts.provider == "openai" and not ref.facts.base_path and not ref.facts.chat_path
    }
    return list(suspects.values())


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def credentials(model: ModelEntries) -> Mapping[SecretKeyRef, SecretEnv]:
    """One variable for each credential of a model, since its refs must have the same.

    It has the model's name (a second one is told apart by its Secret), not an entry's: pods that
    run get the new document before they are replaced, and have no other variable. Entries that
    don't serve now count as well: a variable is part of the pod, so a backend that comes or goes,
    or is drained, would roll the pods otherwise (field case SR-10).
    """
    found = (_credential(entry) for entry in model.entries)
    secrets = list(dict.fromkeys(secret for secret in found if secret is not None))
    first = secrets[:1]
    return {
        secret: SecretEnv(
            names.env_name(
                model.name if secret in first else f"{model.name}/{secret.name}/{secret.key}"
            ),
            secret.name,
            secret.key,
        )
        for secret in secrets
    }


def _credential(entry: Entry) -> SecretKeyRef | None:
    auth = entry.endpoint.connection.auth
    return auth.secret_key_ref if auth else None


def _conflicts(model: ModelEntries, refs: list[_Ref]) -> list[Issue]:
    """One error for each entry and fact that isn't as in the first entry written."""
    issues: dict[str, Issue] = {}
    for ref in refs[1:]:
        for fact in fields(Facts):
            if getattr(ref.facts, fact.name) != getattr(refs[0].facts, fact.name):
                issue = _conflict(model, refs[0], ref, fact.name)
                issues.setdefault(issue.path, issue)
    return list(issues.values())


def _conflict(model: ModelEntries, first: _Ref, other: _Ref, fact: str) -> Issue:
    path = f"{other.entry.path}.{_FIELDS[fact]}"
    if first.entry is other.entry:
        text = (
            f"targets {first.target.url} and {other.target.url} of "
            f"{paths.quoted(first.entry.endpoint.name)} differ in it; "
            "set it here, or select alike targets"
        )
        return Issue(CONFLICT, path, text)
    there = f"{first.entry.path}.{_FIELDS[fact]}"
    if fact in _SECRET:
        return Issue(CONFLICT, path, disagreement(model.name, there))
    text = f"is {_shown(other, fact)}, {there} is {_shown(first, fact)}, {both_are(model.name)}"
    return Issue(CONFLICT, path, text)


def _shown(ref: _Ref, fact: str) -> str:
    return str(getattr(ref.facts, fact) or "not set")
