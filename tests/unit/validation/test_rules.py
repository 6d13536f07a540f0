"""Every rule fires where it should, with the path in the CR, and is silent where it should be."""

import sys
from typing import Any

import pytest

from candidates import Json, candidate, entry, found, kserve, missing, router, target
from document_cases import DOCUMENT_FIRES, DOCUMENT_SILENT, management
from rule_cases import (
    DECISION,
    ENTRIES,
    MORE_FIRES,
    MORE_SILENT,
    ROUTING,
    Case,
    algorithm,
    decision,
    leaf,
    one,
    routing,
    rules,
    signal,
)
from semantic_router_operator.model.canonical import Candidate, Issue
from semantic_router_operator.model.resolution import Resolution
from semantic_router_operator.validation import validate
from semantic_router_operator.validation.rules import RULES

PROJECTIONS = {"mappings": [{"name": "x", "outputs": [{"name": "high", "gt": 1}]}]}

FIRES: list[Case] = [
    *MORE_FIRES,
    (
        "DuplicateName",
        {"vllmEndpoints": [entry("a", "m"), entry("b", "m"), entry("A", "n")]},
        ["spec.vllmEndpoints[2].name"],
    ),
    ("InvalidName", {"vllmEndpoints": [entry("a", " ")]}, ["spec.vllmEndpoints[0].model"]),
    ("InvalidName", one(loras=[{"name": "a\tb"}]), ["spec.vllmEndpoints[0].loras[0].name"]),
    ("OddName", {"vllmEndpoints": [entry("a ", "m")]}, ["spec.vllmEndpoints[0].name"]),
    ("AmbiguousAlias", one(loras=[{"name": "m"}]), ["spec.vllmEndpoints[0].loras[0].name"]),
    (
        "AmbiguousAlias",
        {
            "vllmEndpoints": [
                entry("a", "m", loras=[{"name": "l"}]),
                entry("b", "n", loras=[{"name": "l"}]),
            ]
        },
        ["spec.vllmEndpoints[1].loras[0].name"],
    ),
    (
        "ReasoningIncomplete",
        one(reasoning={"parameter": "p"}),
        ["spec.vllmEndpoints[0].reasoning"],
    ),
    (
        "ReasoningIncomplete",
        one(reasoning={"type": "chat_template_kwargs"}),
        ["spec.vllmEndpoints[0].reasoning.parameter"],
    ),
    (
        "ReasoningIncomplete",
        one(reasoning={"type": "top_level_reasoning_effort", "parameter": "x"}),
        ["spec.vllmEndpoints[0].reasoning.parameter"],
    ),
    (
        "RetryWithoutCondition",
        one(reliability={"retryCount": 1}),
        ["spec.vllmEndpoints[0].reliability.retryOn"],
    ),
    (
        "SecretInHeader",
        one(connection={"extraHeaders": {"Authorization": "x"}}),
        ["spec.vllmEndpoints[0].connection.extraHeaders.Authorization"],
    ),
    (
        "SecretInHeader",
        one(connection={"auth": {"prefix": "Bearer sk-0123"}}),
        ["spec.vllmEndpoints[0].connection.auth.prefix"],
    ),
    *(
        ("InvalidHeader", one(connection=connection), [f"spec.vllmEndpoints[0].connection.{path}"])
        for connection, path in (
            ({"auth": {"header": "X\r\nY: z"}}, "auth.header"),
            ({"auth": {"header": "X Y"}}, "auth.header"),
            ({"auth": {"prefix": "a\nb"}}, "auth.prefix"),
            ({"extraHeaders": {"x-team": "a\r\nb: c"}}, "extraHeaders.x-team"),
            ({"extraHeaders": {"x team": "a"}}, 'extraHeaders["x team"]'),
            ({"extraHeaders": {"": "a"}}, 'extraHeaders[""]'),
        )
    ),
    *(
        (
            "SecretInHeader",
            one(connection={"extraHeaders": {name: value}}),
            [f"spec.vllmEndpoints[0].connection.extraHeaders.{name}"],
        )
        for name, value in (
            ("X-Auth-Token", "x"),
            ("Ocp-Apim-Subscription-Key", "x"),
            ("x-user-openai-key", "x"),
            ("x-functions-key", "x"),
            ("x-client-secret", "x"),
            ("x-team", "Bearer abc"),
            ("x-team", "basic dTpw"),
            ("x-team", "sk-proj-0123456789"),
        )
    ),
    (
        "SecretInHeader",
        one(connection={"auth": {"header": "X-K"}, "extraHeaders": {"x-k": "x"}}),
        ["spec.vllmEndpoints[0].connection.extraHeaders.x-k"],
    ),
    (
        "UnknownDefaultModel",
        {"vllmEndpoints": ENTRIES, "defaultModel": "x"},
        ["spec.defaultModel"],
    ),
    (
        "DuplicateModelCard",
        routing(modelCards=[{"name": "m"}, {"name": "n"}, {"name": "m"}]),
        [f"{ROUTING}.modelCards[2].name"],
    ),
    (
        "ModelCardWithoutModel",
        routing(modelCards=[{"name": "x"}]),
        [f"{ROUTING}.modelCards[0].name"],
    ),
    ("WrongType", routing(decisions="x"), [f"{ROUTING}.decisions"]),
    ("WrongType", routing(decisions=[{"name": 7}]), [f"{DECISION}.name"]),
    (
        "WrongType",
        decision(modelRefs=[{"model": "m", "use_reasoning": "yes"}]),
        [f"{DECISION}.modelRefs[0].use_reasoning"],
    ),
    (
        "WrongType",
        rules({"operator": "AND", "conditions": ["x", {"type": 1, "name": "a"}]}),
        [f"{DECISION}.rules.conditions[0]", f"{DECISION}.rules.conditions[1].type"],
    ),
    ("WrongType", rules({"operator": "AND", "conditions": {}}), [f"{DECISION}.rules.conditions"]),
    ("RejectedKey", routing(models=[]), [f"{ROUTING}.models"]),
    ("RejectedKey", decision(allow_tools=[]), [f"{DECISION}.allow_tools"]),
    ("UnknownKey", routing(foo=1), [f"{ROUTING}.foo"]),
    ("UnknownKey", signal("smells", name="x"), [f"{ROUTING}.signals.smells"]),
    ("ValueOutOfRange", decision(tier=-1), [f"{DECISION}.tier"]),
    (
        "WrongType",
        signal("reasks", name="x", threshold="0.5"),
        [f"{ROUTING}.signals.reasks[0].threshold"],
    ),
    (
        "ValueOutOfRange",
        signal("reasks", name="x", threshold=1.5),
        [f"{ROUTING}.signals.reasks[0].threshold"],
    ),
    ("UnknownValue", routing(strategy="best"), [f"{ROUTING}.strategy"]),
    (
        "UnknownValue",
        signal("domains", name="x", mmlu_categories=["law", "computer_science"]),
        [f"{ROUTING}.signals.domains[0].mmlu_categories[1]"],
    ),
    ("MissingKey", signal("keywords", keywords=["x"]), [f"{ROUTING}.signals.keywords[0].name"]),
    ("MissingKey", signal("pii", name=""), [f"{ROUTING}.signals.pii[0].name"]),
    (
        "MissingKey",
        signal("role_bindings", name="x", role="y", subjects=[]),
        [f"{ROUTING}.signals.role_bindings[0].subjects"],
    ),
    (
        "DuplicateSignal",
        routing(signals={"pii": [{"name": "x"}, {"name": "x"}]}),
        [f"{ROUTING}.signals.pii[1].name"],
    ),
    (
        "InvalidLanguage",
        signal("language", name="English"),
        [f"{ROUTING}.signals.language[0].name"],
    ),
    ("MissingKey", routing(decisions=[{"priority": 1}]), [f"{DECISION}.name"]),
    (
        "DuplicateDecision",
        routing(decisions=[{"name": "d"}, {"name": "e"}, {"name": "d"}]),
        [f"{ROUTING}.decisions[2].name"],
    ),
    (
        "UnknownModel",
        decision(modelRefs=[{"model": "m"}, {"model": "x"}]),
        [f"{DECISION}.modelRefs[1].model"],
    ),
    (
        "UnknownModel",
        algorithm(type="fusion", fusion={"analysis_models": ["m", "x"]}),
        [f"{DECISION}.algorithm.fusion.analysis_models[1]"],
    ),
    (
        "UnknownLora",
        decision(modelRefs=[{"model": "n", "lora_name": "l"}]),
        [f"{DECISION}.modelRefs[0].lora_name"],
    ),
    (
        "AnnotationsTooLarge",
        decision(annotations={f"k{number}": 1 for number in range(33)}),
        [f"{DECISION}.annotations"],
    ),
    (
        "AnnotationsTooLarge",
        decision(annotations={"k": "\u00e9" * 2048}),
        [f"{DECISION}.annotations"],
    ),
    ("UnknownValue", rules(leaf("bogus", "x")), [f"{DECISION}.rules.type"]),
    (
        "ConditionWithoutType",
        rules({"operator": "AND", "conditions": [{"name": "x"}]}),
        [f"{DECISION}.rules.conditions[0]"],
    ),
    ("UnknownSignal", rules(leaf("keyword", "nope")), [f"{DECISION}.rules.name"]),
    ("UnknownSignal", rules({"type": "keyword"}), [f"{DECISION}.rules"]),
    (
        "UnknownSignal",
        rules(leaf("domain", "law"), signals={"domains": [{"name": "math"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "UnknownSignal",
        rules(leaf("complexity", "x:hard"), signals={"complexity": [{"name": "y"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "UnknownSignal",
        rules(leaf("projection", "x"), projections=PROJECTIONS),
        [f"{DECISION}.rules.name"],
    ),
    (
        "UnknownSignal",
        rules(
            {
                "operator": "OR",
                "conditions": [{"operator": "NOT", "conditions": [leaf("pii", "nope")]}],
            }
        ),
        [f"{DECISION}.rules.conditions[0].conditions[0].name"],
    ),
    (
        "InvalidComplexity",
        rules(leaf("complexity", "y:extreme"), signals={"complexity": [{"name": "y"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "InvalidComplexity",
        rules(leaf("complexity", "y"), signals={"complexity": [{"name": "y"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "InvalidClassifierCondition",
        rules(leaf("classifier", "c", label="x"), signals={"classifiers": [{"name": "c"}]}),
        [f"{DECISION}.rules.predicate"],
    ),
    (
        "InvalidClassifierCondition",
        rules(leaf("pii", "p", on_error="match"), signals={"pii": [{"name": "p"}]}),
        [f"{DECISION}.rules.on_error"],
    ),
    ("NeverMatches", rules({"operator": "OR", "conditions": []}), [f"{DECISION}.rules"]),
    ("NeverMatches", rules({"operator": "NOT", "conditions": []}), [f"{DECISION}.rules"]),
    (
        "UnknownOperator",
        rules({"operator": "XOR", "conditions": []}),
        [f"{DECISION}.rules.operator"],
    ),
    ("MissingKey", algorithm(on_error="skip"), [f"{DECISION}.algorithm.type"]),
    ("UnknownValue", algorithm(type="elo"), [f"{DECISION}.algorithm.type"]),
    ("UnknownValue", algorithm(type="Static"), [f"{DECISION}.algorithm.type"]),
    ("RejectedKey", algorithm(type="static", elo={}), [f"{DECISION}.algorithm.elo"]),
    (
        "AlgorithmMismatch",
        algorithm(type="static", hybrid={}, automix={}),
        [f"{DECISION}.algorithm.automix", f"{DECISION}.algorithm.hybrid"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="latency_aware"),
        [f"{DECISION}.algorithm.latency_aware"],
    ),
    (
        "AlgorithmIncomplete",
        decision(algorithm={"type": "prompt"}, modelRefs=[{"model": "m"}]),
        [f"{DECISION}.algorithm.prompt", f"{DECISION}.modelRefs"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="remom", remom={"synthesis_model": "l"}),
        [f"{DECISION}.algorithm.remom.synthesis_model"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="workflows", workflows={"mode": "static"}),
        [f"{DECISION}.algorithm.workflows.roles"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="workflows", workflows={"mode": "dynamic", "roles": [{"name": "r"}]}),
        [
            f"{DECISION}.algorithm.workflows.planner.model",
            f"{DECISION}.algorithm.workflows.roles",
        ],
    ),
    (
        "UnknownValue",
        decision(plugins=[{"type": "x", "configuration": {}}]),
        [f"{DECISION}.plugins[0].type"],
    ),
    (
        "DuplicatePlugin",
        decision(
            plugins=[
                {"type": "semantic-cache", "configuration": {}},
                {"type": "response_cache", "configuration": {}},
            ]
        ),
        [f"{DECISION}.plugins[1].type"],
    ),
    (
        "MissingKey",
        decision(plugins=[{"type": "memory"}]),
        [f"{DECISION}.plugins[0].configuration"],
    ),
    (
        "MissingKey",
        decision(plugins=[{"type": "fast_response", "configuration": {}}]),
        [f"{DECISION}.plugins[0].configuration.message"],
    ),
]

SILENT: list[tuple[str, Json]] = [
    *MORE_SILENT,
    ("DuplicateName", {"vllmEndpoints": [entry("a", "m"), entry("b", "m")]}),
    ("InvalidName", {"vllmEndpoints": [entry("a", "openai/gpt-oss-20b: the 2nd \u6a21\u578b")]}),
    ("OddName", {"vllmEndpoints": [entry("a b", "m")]}),
    (
        "AmbiguousAlias",
        {"vllmEndpoints": [entry(name, "m", loras=[{"name": "l"}]) for name in "ab"]},
    ),
    ("ReasoningIncomplete", one(reasoning={"family": "qwen3"})),
    ("ReasoningIncomplete", one(reasoning={})),
    ("ReasoningIncomplete", one(reasoning={"type": "reasoning_mode"})),
    (
        "ReasoningIncomplete",
        one(reasoning={"type": "reasoning_effort", "parameter": "reasoning_effort"}),
    ),
    ("RetryWithoutCondition", one(reliability={"retryCount": 0})),
    ("RetryWithoutCondition", one(reliability={"retryCount": 1, "retryOn": "5xx"})),
    ("SecretInHeader", one(connection={"extraHeaders": {"x-team": "x"}})),
    ("SecretInHeader", one(connection={"auth": {"prefix": "Bearer"}})),
    ("InvalidHeader", one(connection={"auth": {"header": "X-Key", "prefix": ""}})),
    ("InvalidHeader", one(connection={"auth": {"header": ""}})),
    ("InvalidHeader", one(connection={"extraHeaders": {"x-team": "größe\t1"}})),
    ("SecretInHeader", one(connection={"extraHeaders": {"x-max-tokens": "64"}})),
    ("SecretInHeader", one(connection={"extraHeaders": {"x-partition-key": "basically"}})),
    ("ValueOutOfRange", one(weight=100)),
    ("ValueOutOfRange", one(weight=0)),
    ("HttpsToAddress", one()),
    ("DuplicateBackendRef", {"vllmEndpoints": [entry("a", "m"), entry("b", "m")]}),
    ("UnknownDefaultModel", {"vllmEndpoints": ENTRIES, "defaultModel": "m"}),
    ("UnknownDefaultModel", {"vllmEndpoints": ENTRIES, "defaultModel": "l"}),
    ("UnknownDefaultModel", {}),
    ("DuplicateModelCard", routing(modelCards=[{"name": "m"}, {"name": "n"}])),
    ("ModelCardWithoutModel", routing(modelCards=[{"name": "m"}])),
    ("WrongType", routing(decisions=[], signals={}, modelCards=[])),
    ("RejectedKey", decision(algorithm={"type": "static"})),
    ("UnknownKey", routing(fallback={}, signals={"safety": []})),
    ("ValueOutOfRange", decision(tier=0)),
    ("ValueOutOfRange", signal("reasks", name="x", threshold=1)),
    ("UnknownValue", routing(strategy="confidence")),
    ("UnknownValue", signal("domains", name="x", mmlu_categories=["computer science"])),
    ("MissingKey", signal("keywords", name="x")),
    ("DuplicateSignal", routing(signals={"pii": [{"name": "x"}], "kb": [{"name": "x"}]})),
    ("InvalidLanguage", signal("language", name="en")),
    ("MissingKey", decision()),
    ("DuplicateDecision", routing(decisions=[{"name": "d"}, {"name": "D"}])),
    ("UnknownModel", decision(modelRefs=[{"model": "m"}, {"model": "l"}])),
    ("UnknownModel", decision()),
    ("UnknownLora", decision(modelRefs=[{"model": "m", "lora_name": "l"}])),
    ("AnnotationsTooLarge", decision(annotations={f"k{number}": 1 for number in range(32)})),
    ("ConditionWithoutType", rules({})),
    ("UnknownValue", rules(leaf("Domain", "law"))),
    ("UnknownSignal", rules(leaf("domain", "law"))),
    (
        "UnknownSignal",
        rules(
            {
                "operator": "AND",
                "conditions": [
                    leaf("keyword", "k"),
                    leaf("complexity", "c:hard"),
                    leaf("authz", "binding"),
                    leaf("authz", "role"),
                    leaf("projection", "high"),
                ],
            },
            signals={
                "keywords": [{"name": "k"}],
                "complexity": [{"name": "c"}],
                "role_bindings": [{"name": "binding", "role": "role"}],
            },
            projections=PROJECTIONS,
        ),
    ),
    (
        "InvalidComplexity",
        rules(leaf("complexity", "y:easy"), signals={"complexity": [{"name": "y"}]}),
    ),
    (
        "InvalidClassifierCondition",
        rules(
            leaf("classifier", "c", label="x", predicate={"gte": 0.5}, on_error="match"),
            signals={"classifiers": [{"name": "c"}]},
        ),
    ),
    ("NeverMatches", rules({"operator": "AND", "conditions": []})),
    (
        "NeverMatches",
        rules({"operator": "not", "conditions": [leaf("domain", "x")]}),
    ),
    ("UnknownOperator", rules({"operator": "and", "conditions": []})),
    ("MissingKey", algorithm(type="static")),
    ("UnknownValue", algorithm(type="workflows")),
    ("AlgorithmMismatch", algorithm(type="hybrid", hybrid={}, on_error="skip")),
    ("AlgorithmIncomplete", algorithm(type="latency_aware", latency_aware={"ttft_percentile": 9})),
    (
        "AlgorithmIncomplete",
        algorithm(type="prompt", prompt={"model": "m", "instructions": "choose"}),
    ),
    ("AlgorithmIncomplete", algorithm(type="remom")),
    (
        "AlgorithmIncomplete",
        algorithm(type="remom", remom={"breadth_schedule": [3, 1], "synthesis_model": "m"}),
    ),
    ("UnknownValue", decision(plugins=[{"type": "semantic_cache", "configuration": {}}])),
    (
        "DuplicatePlugin",
        decision(
            plugins=[
                {"type": "memory", "configuration": {}},
                {"type": "tools", "configuration": {}},
            ]
        ),
    ),
    ("MissingKey", decision(plugins=[{"type": "memory", "configuration": {}}])),
    (
        "MissingKey",
        decision(plugins=[{"type": "fast_response", "configuration": {"message": "no"}}]),
    ),
]


def _issues(spec: Json, resolutions: list[Resolution] | None = None) -> tuple[Issue, ...]:
    return validate(router(spec), candidate(spec, resolutions))


@pytest.mark.parametrize(("code", "spec", "where"), FIRES)
def test_a_rule_fires_with_the_path_of_the_cr(code: str, spec: Json, where: list[str]) -> None:
    assert [issue.path for issue in _issues(spec) if issue.code == code] == where


@pytest.mark.parametrize(("code", "spec"), SILENT)
def test_a_rule_is_silent(code: str, spec: Json) -> None:
    assert [issue for issue in _issues(spec) if issue.code == code] == []


def _of(document: Json, **spec: Any) -> tuple[Issue, ...]:
    """The issues of a document that is written by hand."""
    spec = {"vllmEndpoints": ENTRIES, **spec}
    origins = {
        "providers": "spec.vllmEndpoints",
        "providers.models[0]": "spec.vllmEndpoints[0]",
        "routing": "spec.config.routing",
        "global": "spec.config.global",
    }
    return validate(router(spec), Candidate({"version": "v0.3", **document}, origins=origins))


@pytest.mark.parametrize(("code", "document", "where"), DOCUMENT_FIRES)
def test_a_rule_on_what_the_operator_writes_fires(
    code: str, document: Json, where: list[str]
) -> None:
    assert [issue.path for issue in _of(document) if issue.code == code] == where


@pytest.mark.parametrize(("code", "document"), DOCUMENT_SILENT)
def test_a_rule_on_what_the_operator_writes_is_silent(code: str, document: Json) -> None:
    assert [issue for issue in _of(document) if issue.code == code] == []


@pytest.mark.parametrize(("value", "codes"), [("true", []), ("false", ["ExposedManagement"])])
def test_an_internal_listener_of_the_management_api_may_be_open(
    value: str, codes: list[str]
) -> None:
    env = [{"name": "VLLM_SR_MANAGEMENT_INTERNAL_LISTENER", "value": value}]
    assert [issue.code for issue in _of(management(bind_address="::"), env=env)] == codes


def _calls(count: int) -> int:
    """Function calls that it takes to validate so many of everything."""
    names = [f"n{number}" for number in range(count)]
    scores = [{"type": "keyword", "name": name} for name in names]
    spec = {
        "vllmEndpoints": [entry(name, name, loras=[{"name": f"l-{name}"}]) for name in names],
        "config": {
            "routing": {
                "modelCards": [{"name": name} for name in names],
                "signals": {
                    "keywords": [{"name": name} for name in names],
                    "metadata": [
                        {"name": name, "key": name, "predicate": {"exists": True}} for name in names
                    ],
                },
                "projections": {
                    "scores": [
                        {"name": name, "method": "weighted_sum", "inputs": [scores[index]]}
                        for index, name in enumerate(names)
                    ],
                },
                "decisions": [
                    {
                        "name": name,
                        "rules": leaf("keyword", name),
                        "modelRefs": [{"model": name, "lora_name": f"l-{name}"}],
                    }
                    for name in names
                ],
            }
        },
    }
    subject, made = router(spec), candidate(spec)
    validate(subject, made)
    calls = 0

    def count_calls(_: Any, event: str, __: Any) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count_calls)
    try:
        assert validate(subject, made) == ()
    finally:
        sys.setprofile(None)
    return calls


def test_ten_times_as_much_takes_ten_times_as_long() -> None:
    assert _calls(200) < 11 * _calls(20)


def test_every_rule_is_tested_both_ways() -> None:
    codes = {rule.code for rule in RULES}
    assert len(codes) == len(RULES)
    assert {code for code, _, _ in (*FIRES, *DOCUMENT_FIRES)} == codes
    assert {code for code, _ in (*SILENT, *DOCUMENT_SILENT)} == codes


def test_a_good_case_has_no_error_at_all() -> None:
    good = [_issues(spec) for _, spec in MORE_SILENT] + [_of(x) for _, x in DOCUMENT_SILENT]
    assert [issue for issues in good for issue in issues if issue.severity == "error"] == []


@pytest.mark.parametrize("spec", [spec for _, spec, _ in FIRES])
def test_a_message_says_what_to_do_and_ends_without_a_stop(spec: Json) -> None:
    for issue in _issues(spec):
        assert not issue.message.endswith(".")
        assert issue.path.startswith("spec.")


@pytest.mark.parametrize("weight", [0, 101, -1, "5", 1.5, True])
def test_sr_09_a_weight_that_the_router_reads_otherwise_is_an_error(weight: Any) -> None:
    spec = one()
    document = dict(candidate(spec).document)
    refs = document["providers"]["models"][0]["backend_refs"]
    refs[0]["weight"] = weight
    (issue,) = validate(router(spec), Candidate(document, origins=candidate(spec).origins))
    code = "ValueOutOfRange" if type(weight) is int else "WrongType"
    assert (issue.code, issue.path) == (code, "spec.vllmEndpoints[0]")
    assert issue.message.startswith("weight is ")


@pytest.mark.parametrize("host", ["10.0.0.1", "2001:db8::1"])
@pytest.mark.parametrize("base_path", ["", "/v1"])
def test_https_to_an_address_is_an_error(host: str, base_path: str) -> None:
    to = target(host, 443, protocol="https", base_path=base_path)
    issues = [issue for issue in _issues(one(), [found(to)]) if issue.severity == "error"]
    assert [(issue.code, issue.path) for issue in issues] == [
        ("HttpsToAddress", "spec.vllmEndpoints[0]")
    ]


@pytest.mark.parametrize("to", [target("10.0.0.1"), target("h.example", 443, protocol="https")])
def test_http_to_an_address_and_https_to_a_name_are_fine(to: Any) -> None:
    assert _issues(one(), [found(to)]) == ()


def test_two_refs_of_one_name_are_an_error() -> None:
    resolved = found(target("x.ns"), target("y.ns"))
    assert [issue.code for issue in _issues(one(), [resolved])] == ["DuplicateBackendRef"]


def test_sr_11_everything_is_told_at_once_errors_first() -> None:
    spec = routing(
        foo=1,
        decisions=[
            {"name": "d", "rules": leaf("bogus", "x"), "modelRefs": [{"model": "x"}]},
            {"name": "d", "rules": leaf("keyword", "nope")},
        ],
    )
    assert [(issue.code, issue.severity) for issue in _issues(spec)] == [
        ("UnknownValue", "error"),
        ("DuplicateDecision", "error"),
        ("UnknownModel", "error"),
        ("UnknownSignal", "error"),
        ("UnknownKey", "warning"),
    ]


def test_sr_12_an_invented_key_is_a_warning_and_not_an_error() -> None:
    (issue,) = _issues(routing(foo=1))
    assert (str(issue), issue.severity) == (
        (
            "spec.config.routing.foo: is passed on, but not known here; "
            "a router that doesn't know it either refuses it"
        ),
        "warning",
    )


def test_a_path_is_that_of_the_cr_though_refs_before_it_were_left_out() -> None:
    spec = {
        "vllmEndpoints": [entry("a", "m"), kserve("b", "down")],
        "config": {
            "routing": {
                "decisions": [
                    {"name": "d", "modelRefs": [{"model": x} for x in ("down", "m", "oops")]}
                ]
            }
        },
    }
    issues = _issues(spec, [found("a.ns"), missing()])
    assert [issue.path for issue in issues] == [f"{DECISION}.modelRefs[2].model"]


def test_a_message_can_always_be_written_down() -> None:
    spec = decision(modelRefs=[{"model": "x\u2028\u202e\x1b"}])
    (issue,) = _issues(spec)
    assert '"x\\u2028\\u202e\\x1b"' in issue.message


def test_a_router_without_a_flaw_has_no_issue() -> None:
    spec = rules(
        {"operator": "AND", "conditions": [leaf("keyword", "k")]},
        signals={"keywords": [{"name": "k", "operator": "OR", "keywords": ["x"]}]},
        modelCards=[{"name": "m", "description": "good"}],
    )
    assert _issues(spec) == ()


@pytest.mark.parametrize("value", ["x", 1, [1], [None], {"a": [1]}, ["x", [1]], True, [{}], [[]]])
def test_no_shape_of_the_routing_block_breaks_a_rule(value: Any) -> None:
    for key in ("decisions", "signals", "projections", "modelCards", "strategy"):
        _issues(routing(**{key: value}))
    fields = ("name", "rules", "modelRefs", "algorithm", "plugins", "annotations", "tier")
    for field in fields:
        _issues(decision(**{field: value}))
    for key in ("type", "name", "operator", "conditions", "label"):
        _issues(rules({"type": "keyword", "name": "x", key: value}))
    for collection in ("domains", "complexity", "keywords", "role_bindings"):
        _issues(routing(signals={collection: value}))
    _issues(algorithm(type=value, prompt=value, fusion={"analysis_models": value}))
    _issues(decision(plugins=[{"type": value, "configuration": value}]))
    _issues(routing(modelCards=[{"name": value, "loras": value}]))
    _issues(routing(modelCards=[{"name": "m", "loras": [{"name": value}]}]))
