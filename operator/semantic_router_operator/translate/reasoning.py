"""How reasoning is switched on: `reasoning` of a model, and what older CRs say instead.

The newer router knows families by name from a built-in catalogue; `providers.defaults.
reasoning_families` and `providers.models[].reasoning_family` are gone (canonical rules, N). So a
family that the CR defines becomes inline reasoning of the models that name it, and an undeclared
family is never written in the old place, where the router refuses the whole file (case SR-07).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.config import Config, ReasoningFamily
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.served_model import Reasoning
from semantic_router_operator.translate.agreement import Given
from semantic_router_operator.translate.entries import Entry

KNOWN_FAMILIES: Final = frozenset(("deepseek", "gpt", "gpt-oss", "qwen3"))
"""Families of the router's documented configurations: deepseek (chat_template_kwargs `thinking`),
qwen3 (chat_template_kwargs `enable_thinking`), gpt-oss and gpt (reasoning_effort)."""
_FAMILIES: Final = "spec.config.reasoning_families"
_TYPES: Final = (
    "chat_template_kwargs",
    "reasoning_effort",
    "reasoning_mode",
    "top_level_reasoning_effort",
)
_ORDER: Final = (
    "family",
    "type",
    "parameter",
    "activation_parameter",
    "effort_flags",
    "levels",
    "default",
    "modes",
    "default_mode",
    "disabled",
)


def reasoning_of(entry: Entry, families: Mapping[str, ReasoningFamily]) -> Given[Any] | None:
    """The canonical `reasoning` that an entry asks for, or None."""
    given = _given(entry)
    if given is None:
        return None
    declared = families.get(given.value.family or "")
    if declared is not None:
        inline = {"type": declared.type, "parameter": declared.parameter}
        return Given({key: text for key, text in inline.items() if text}, given.path)
    dumped = given.value.model_dump(exclude_defaults=True)
    return Given({key: _plain(dumped[key]) for key in _ORDER if key in dumped}, given.path)


def _given(entry: Entry) -> Given[Reasoning] | None:
    endpoint = entry.endpoint
    if endpoint.reasoning is not None and endpoint.reasoning != Reasoning():
        return Given(endpoint.reasoning, f"{entry.path}.reasoning")
    if endpoint.reasoning_family:
        family = Reasoning(family=endpoint.reasoning_family)
        return Given(family, f"{entry.path}.reasoningFamily")
    return None


def _plain(value: object) -> object:
    match value:
        case dict():
            return {key: value[key] for key in sorted(value)}
        case tuple():
            return list(value)
        case _:
            return value


def problems(entry: Entry, families: Mapping[str, ReasoningFamily]) -> tuple[Issue, ...]:
    """What is wrong or out of date in how an entry asks for reasoning."""
    found = [*_both_spellings(entry)]
    given = _given(entry)
    if given is None:
        return tuple(found)
    where = given.path if given.path.endswith("Family") else f"{given.path}.family"
    if given.value.family and given.value != Reasoning(family=given.value.family):
        found.append(
            Issue(
                "InvalidConfig",
                where,
                "excludes the other fields of reasoning; keep family, or type and parameter",
            )
        )
    family = given.value.family or ""
    if family in families:
        found += _declared_badly(family, families[family])
    elif family and family not in KNOWN_FAMILIES:
        text = (
            f"{paths.quoted(family)} is left to the router's own catalogue; if that doesn't "
            "have it, write reasoning.type and reasoning.parameter instead"
        )
        found.append(Issue("UnknownReasoningFamily", where, text, "warning"))
    return tuple(found)


def _both_spellings(entry: Entry) -> list[Issue]:
    endpoint = entry.endpoint
    if not endpoint.reasoning_family:
        return []
    path = f"{entry.path}.reasoningFamily"
    deprecated = Issue("Deprecated", path, "write reasoning.family instead", "warning")
    same = (None, Reasoning(), Reasoning(family=endpoint.reasoning_family))
    if endpoint.reasoning in same:
        return [deprecated]
    text = f"differs from {entry.path}.reasoning; keep reasoning and remove reasoningFamily"
    return [Issue("InvalidConfig", path, text)]


def _declared_badly(name: str, family: ReasoningFamily) -> Iterator[Issue]:
    path = paths.child(_FAMILIES, name)
    if not family.type or not family.parameter:
        text = "needs type and parameter, since a model names it; add them or remove the family"
        yield Issue("InvalidConfig", path, text)
    elif family.type not in _TYPES:
        text = f"is no type of reasoning; write one of {', '.join(_TYPES)}"
        yield Issue("InvalidConfig", f"{path}.type", text)


def family_problems(config: Config) -> tuple[Issue, ...]:
    """That spec.config.reasoning_families is out of date."""
    if not config.reasoning_families:
        return ()
    text = "write type and parameter in vllmEndpoints[].reasoning instead"
    return (Issue("Deprecated", _FAMILIES, text, "warning"),)


def default_effort(router: SemanticRouter) -> tuple[Given[str] | None, tuple[Issue, ...]]:
    """`providers.defaults.reasoning_effort`, and what is out of date or contradicts itself."""
    config = router.spec.config
    new, old = config.reasoning_effort or None, config.default_reasoning_effort
    old_path = "spec.config.default_reasoning_effort"
    if old is None:
        return (Given(new, "spec.config.reasoning_effort") if new else None), ()
    if new not in (None, old):
        text = "differs from spec.config.reasoning_effort; keep only reasoning_effort"
        return None, (Issue("InvalidConfig", old_path, text),)
    issue = Issue("Deprecated", old_path, "write reasoning_effort instead", "warning")
    return Given(old, old_path), (issue,)
