"""Rules on spec.vllmEndpoints: what the schema can't say."""

import re
from collections.abc import Iterator
from typing import Final

from semantic_router_operator.model import paths
from semantic_router_operator.validation.subject import Found, Subject

_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""RFC 9110, 5.1."""
_SECRET_HEADER: Final = re.compile(
    r"authorization|cookie|passw(or)?d|secret|credential|(^|-)token$"
    r"|((^|-)(access|account|auth|functions?|master|private|subscription|user-[a-z-]+)|api)-?key$",
    re.IGNORECASE,
)
"""Names of headers that carry credentials, the router's own `x-user-openai-key` too."""
_SECRET_VALUE: Final = re.compile(
    r"(bearer|basic|token|apikey)\s+\S|(sk|hf|ghp|github_pat|xox[a-z])[-_]\w", re.IGNORECASE
)
"""How values of such headers begin."""
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_TOP_LEVEL_EFFORT: Final = "top_level_reasoning_effort"
_WITHOUT_PARAMETER: Final = "reasoning_mode"
"""The newer type, of which it isn't known whether it takes a parameter."""


def duplicate_names(subject: Subject) -> Iterator[Found]:
    """Names are unique in the router; the newer loader compares them without regard to case."""
    seen: dict[str, str] = {}
    for path, endpoint in subject.endpoints:
        first = seen.setdefault(endpoint.name.strip().casefold(), path)
        if first != path:
            yield Found(
                f"{path}.name", f"is the name of {first}, too; give each entry its own name"
            )


def invalid_names(subject: Subject) -> Iterator[Found]:
    """A name can be seen: it isn't blank and has no control character."""
    for path, name in _names(subject):
        if not name.strip() or _CONTROL.search(name):
            shown = paths.quoted(name)
            yield Found(path, f"{shown} is blank or has a control character; write a plain name")


def odd_names(subject: Subject) -> Iterator[Found]:
    """Space around a name is kept, and is hardly ever meant."""
    for path, name in _names(subject):
        if name.strip() and name != name.strip():
            yield Found(path, f"{paths.quoted(name)} has space around it; remove it")


def _names(subject: Subject) -> Iterator[tuple[str, str]]:
    for path, endpoint in subject.endpoints:
        yield f"{path}.name", endpoint.name
        yield f"{path}.model", endpoint.model
        for index, lora in enumerate(endpoint.loras):
            yield f"{path}.loras[{index}].name", lora.name


def ambiguous_aliases(subject: Subject) -> Iterator[Found]:
    """A LoRA adapter's name is an alias: it should mean one model."""
    models = {endpoint.model for _, endpoint in subject.endpoints}
    owners: dict[str, str] = {}
    for path, endpoint in subject.endpoints:
        for index, lora in enumerate(endpoint.loras):
            owner = owners.setdefault(lora.name, endpoint.model)
            if lora.name in models or owner != endpoint.model:
                yield Found(
                    f"{path}.loras[{index}].name",
                    f"{paths.quoted(lora.name)} also names another model or its adapter, and the "
                    "router takes the first it finds; use different names",
                )


def incomplete_reasoning(subject: Subject) -> Iterator[Found]:
    """Inline reasoning has a type and a parameter (canonical rules, E)."""
    for path, endpoint in subject.endpoints:
        reasoning = endpoint.reasoning
        if reasoning is None or reasoning.family or reasoning == type(reasoning)():
            continue
        place = f"{path}.reasoning"
        if not reasoning.type:
            yield Found(place, "has neither family nor type; add one of them")
        elif reasoning.type == _TOP_LEVEL_EFFORT and reasoning.parameter != "reasoning_effort":
            yield Found(
                f"{place}.parameter", f"must be reasoning_effort for type {_TOP_LEVEL_EFFORT}"
            )
        elif not reasoning.parameter and reasoning.type != _WITHOUT_PARAMETER:
            yield Found(f"{place}.parameter", f"is needed for type {reasoning.type}; add it")


def retries_without_condition(subject: Subject) -> Iterator[Found]:
    """retryCount above 0 needs retryOn (canonical rules, E)."""
    for path, endpoint in subject.endpoints:
        reliability = endpoint.reliability
        if reliability and reliability.retry_count and not reliability.retry_on:
            yield Found(
                f"{path}.reliability.retryOn",
                "is needed when retryCount is above 0; add it, such as 5xx,reset",
            )


def secrets_in_headers(subject: Subject) -> Iterator[Found]:
    """A header that carries a key would put the key into a ConfigMap (field case OP-18)."""
    text = (
        "carries a credential, which must stay in its Secret; "
        "use connection.auth.header and connection.auth.secretKeyRef"
    )
    for path, endpoint in subject.endpoints:
        auth = endpoint.connection.auth
        own = (auth.header or "").lower() if auth else ""
        if auth and _SECRET_VALUE.match(auth.prefix or ""):
            yield Found(f"{path}.connection.auth.prefix", text)
        for name, value in sorted(endpoint.connection.extra_headers.items()):
            if _SECRET_HEADER.search(name) or _SECRET_VALUE.match(value) or name.lower() == own:
                yield Found(paths.child(f"{path}.connection.extraHeaders", name), text)


def invalid_headers(subject: Subject) -> Iterator[Found]:
    """A header is one line: nobody may add further ones to a request."""
    for path, endpoint in subject.endpoints:
        place = f"{path}.connection"
        auth = endpoint.connection.auth
        if auth and auth.header and not _HEADER_NAME.fullmatch(auth.header):
            yield Found(f"{place}.auth.header", "is no name of an HTTP header; correct it")
        if auth and _CONTROL.search(auth.prefix or ""):
            yield Found(f"{place}.auth.prefix", "has a control character; remove it")
        for name, value in sorted(endpoint.connection.extra_headers.items()):
            where = paths.child(f"{place}.extraHeaders", name)
            if not _HEADER_NAME.fullmatch(name):
                yield Found(where, "is no name of an HTTP header; correct it")
            elif _CONTROL.search(value.replace("\t", " ")):
                yield Found(where, "has a control character; remove it")
