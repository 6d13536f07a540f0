"""Every rule fires where it should, with the path in the CR, and is silent where it should be."""

from typing import Any

import pytest

from candidates import Json, candidate, entry, found, kserve, missing, router, target
from semantic_router_operator.model.canonical import Candidate, Issue
from semantic_router_operator.model.resolution import Resolution
from semantic_router_operator.validation import validate
from semantic_router_operator.validation.rules import RULES

ENTRIES = [
    entry("a", "m", loras=[{"name": "l"}]),
    entry("b", "n"),
]
RECIPES = "spec.config.routing"
DECISION = f"{RECIPES}.decisions[0]"
Case = tuple[str, Json, list[str]]


def _routing(**routing: Any) -> Json:
    return {"vllmEndpoints": ENTRIES, "config": {"routing": routing}}


def _decision(**fields: Any) -> Json:
    return _routing(decisions=[{"name": "d", **fields}])


def _rules(rules: Any, **routing: Any) -> Json:
    return _routing(decisions=[{"name": "d", "rules": rules}], **routing)


def _leaf(type_: str, name: str, **fields: Any) -> Json:
    return {"type": type_, "name": name, **fields}


def _entry(**fields: Any) -> Json:
    return {"vllmEndpoints": [entry("a", "m", **fields)]}


def _algorithm(**fields: Any) -> Json:
    return _decision(algorithm=fields, modelRefs=[{"model": "m"}, {"model": "n"}])


def _signal(collection: str, **fields: Any) -> Json:
    return _routing(signals={collection: [fields]})


PROJECTIONS = {"mappings": [{"name": "x", "outputs": [{"name": "high", "gt": 1}]}]}

FIRES: list[Case] = [
    (
        "DuplicateName",
        {"vllmEndpoints": [entry("a", "m"), entry("b", "m"), entry("A", "n")]},
        ["spec.vllmEndpoints[2].name"],
    ),
    ("InvalidName", {"vllmEndpoints": [entry("a", " ")]}, ["spec.vllmEndpoints[0].model"]),
    ("InvalidName", _entry(loras=[{"name": "a\tb"}]), ["spec.vllmEndpoints[0].loras[0].name"]),
    ("OddName", {"vllmEndpoints": [entry("a ", "m")]}, ["spec.vllmEndpoints[0].name"]),
    ("AmbiguousAlias", _entry(loras=[{"name": "m"}]), ["spec.vllmEndpoints[0].loras[0].name"]),
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
        _entry(reasoning={"parameter": "p"}),
        ["spec.vllmEndpoints[0].reasoning"],
    ),
    (
        "ReasoningIncomplete",
        _entry(reasoning={"type": "chat_template_kwargs"}),
        ["spec.vllmEndpoints[0].reasoning.parameter"],
    ),
    (
        "ReasoningIncomplete",
        _entry(reasoning={"type": "top_level_reasoning_effort", "parameter": "x"}),
        ["spec.vllmEndpoints[0].reasoning.parameter"],
    ),
    (
        "RetryWithoutCondition",
        _entry(reliability={"retryCount": 1}),
        ["spec.vllmEndpoints[0].reliability.retryOn"],
    ),
    (
        "SecretInHeader",
        _entry(connection={"extraHeaders": {"Authorization": "x"}}),
        ["spec.vllmEndpoints[0].connection.extraHeaders.Authorization"],
    ),
    (
        "SecretInHeader",
        _entry(connection={"auth": {"header": "X-K"}, "extraHeaders": {"x-k": "x"}}),
        ["spec.vllmEndpoints[0].connection.extraHeaders.x-k"],
    ),
    (
        "UnknownDefaultModel",
        {"vllmEndpoints": ENTRIES, "defaultModel": "x"},
        ["spec.defaultModel"],
    ),
    (
        "DuplicateModelCard",
        _routing(modelCards=[{"name": "m"}, {"name": "n"}, {"name": "m"}]),
        [f"{RECIPES}.modelCards[2].name"],
    ),
    (
        "ModelCardWithoutModel",
        _routing(modelCards=[{"name": "x"}, {"description": "no name"}]),
        [f"{RECIPES}.modelCards[0].name", f"{RECIPES}.modelCards[1]"],
    ),
    ("WrongType", _routing(decisions="x"), [f"{RECIPES}.decisions"]),
    ("WrongType", _routing(decisions=[{"name": 7}]), [f"{DECISION}.name"]),
    (
        "WrongType",
        _decision(modelRefs=[{"model": "m", "use_reasoning": "yes"}]),
        [f"{DECISION}.modelRefs[0].use_reasoning"],
    ),
    (
        "WrongType",
        _rules({"operator": "AND", "conditions": ["x", {"type": 1, "name": "a"}]}),
        [f"{DECISION}.rules.conditions[0]", f"{DECISION}.rules.conditions[1].type"],
    ),
    ("WrongType", _rules({"operator": "AND", "conditions": {}}), [f"{DECISION}.rules.conditions"]),
    ("RejectedKey", _routing(models=[]), [f"{RECIPES}.models"]),
    ("RejectedKey", _decision(allow_tools=[]), [f"{DECISION}.allow_tools"]),
    ("UnknownKey", _routing(foo=1), [f"{RECIPES}.foo"]),
    ("UnknownKey", _signal("smells", name="x"), [f"{RECIPES}.signals.smells"]),
    ("ValueOutOfRange", _decision(tier=-1), [f"{DECISION}.tier"]),
    (
        "ValueOutOfRange",
        _signal("reasks", name="x", threshold="0.5"),
        [f"{RECIPES}.signals.reasks[0].threshold"],
    ),
    ("UnknownValue", _routing(strategy="best"), [f"{RECIPES}.strategy"]),
    (
        "UnknownValue",
        _signal("domains", name="x", mmlu_categories=["law", "computer_science"]),
        [f"{RECIPES}.signals.domains[0].mmlu_categories[1]"],
    ),
    ("SignalWithoutName", _signal("keywords", keywords=["x"]), [f"{RECIPES}.signals.keywords[0]"]),
    (
        "DuplicateSignal",
        _routing(signals={"pii": [{"name": "x"}, {"name": "x"}]}),
        [f"{RECIPES}.signals.pii[1].name"],
    ),
    (
        "InvalidSignal",
        _signal("language", name="English"),
        [f"{RECIPES}.signals.language[0].name"],
    ),
    ("DecisionWithoutName", _routing(decisions=[{"priority": 1}]), [DECISION]),
    (
        "DuplicateDecision",
        _routing(decisions=[{"name": "d"}, {"name": "e"}, {"name": "d"}]),
        [f"{RECIPES}.decisions[2].name"],
    ),
    (
        "UnknownModel",
        _decision(modelRefs=[{"model": "m"}, {"model": "x"}, {}]),
        [f"{DECISION}.modelRefs[1].model", f"{DECISION}.modelRefs[2].model"],
    ),
    (
        "UnknownModel",
        _algorithm(type="fusion", fusion={"analysis_models": ["m", "x"]}),
        [f"{DECISION}.algorithm.fusion.analysis_models[1]"],
    ),
    (
        "UnknownLora",
        _decision(modelRefs=[{"model": "n", "lora_name": "l"}]),
        [f"{DECISION}.modelRefs[0].lora_name"],
    ),
    (
        "AnnotationsTooLarge",
        _decision(annotations={f"k{number}": 1 for number in range(33)}),
        [f"{DECISION}.annotations"],
    ),
    (
        "AnnotationsTooLarge",
        _decision(annotations={"k": "\u00e9" * 2048}),
        [f"{DECISION}.annotations"],
    ),
    ("UnknownConditionType", _rules(_leaf("bogus", "x")), [f"{DECISION}.rules.type"]),
    (
        "UnknownConditionType",
        _rules({"operator": "AND", "conditions": [{"name": "x"}]}),
        [f"{DECISION}.rules.conditions[0]"],
    ),
    ("UnknownSignal", _rules(_leaf("keyword", "nope")), [f"{DECISION}.rules.name"]),
    ("UnknownSignal", _rules({"type": "keyword"}), [f"{DECISION}.rules"]),
    (
        "UnknownSignal",
        _rules(_leaf("domain", "law"), signals={"domains": [{"name": "math"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "UnknownSignal",
        _rules(_leaf("complexity", "x:hard"), signals={"complexity": [{"name": "y"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "UnknownSignal",
        _rules(_leaf("projection", "x"), projections=PROJECTIONS),
        [f"{DECISION}.rules.name"],
    ),
    (
        "UnknownSignal",
        _rules(
            {
                "operator": "OR",
                "conditions": [{"operator": "NOT", "conditions": [_leaf("pii", "nope")]}],
            }
        ),
        [f"{DECISION}.rules.conditions[0].conditions[0].name"],
    ),
    (
        "InvalidComplexity",
        _rules(_leaf("complexity", "y:extreme"), signals={"complexity": [{"name": "y"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "InvalidComplexity",
        _rules(_leaf("complexity", "y"), signals={"complexity": [{"name": "y"}]}),
        [f"{DECISION}.rules.name"],
    ),
    (
        "InvalidClassifierCondition",
        _rules(_leaf("classifier", "c", label="x"), signals={"classifiers": [{"name": "c"}]}),
        [f"{DECISION}.rules"],
    ),
    (
        "InvalidClassifierCondition",
        _rules(_leaf("pii", "p", on_error="match"), signals={"pii": [{"name": "p"}]}),
        [f"{DECISION}.rules.on_error"],
    ),
    ("NeverMatches", _rules({"operator": "OR", "conditions": []}), [f"{DECISION}.rules"]),
    ("NeverMatches", _rules({"operator": "NOT", "conditions": []}), [f"{DECISION}.rules"]),
    (
        "UnknownOperator",
        _rules({"operator": "XOR", "conditions": []}),
        [f"{DECISION}.rules.operator"],
    ),
    ("AlgorithmWithoutType", _algorithm(on_error="skip"), [f"{DECISION}.algorithm"]),
    ("UnknownAlgorithm", _algorithm(type="elo"), [f"{DECISION}.algorithm.type"]),
    ("UnknownAlgorithm", _algorithm(type="Static"), [f"{DECISION}.algorithm.type"]),
    (
        "AlgorithmMismatch",
        _algorithm(type="static", hybrid={}, automix={}),
        [f"{DECISION}.algorithm.automix", f"{DECISION}.algorithm.hybrid"],
    ),
    (
        "AlgorithmIncomplete",
        _algorithm(type="latency_aware"),
        [f"{DECISION}.algorithm.latency_aware"],
    ),
    (
        "AlgorithmIncomplete",
        _decision(algorithm={"type": "prompt"}, modelRefs=[{"model": "m"}]),
        [
            f"{DECISION}.algorithm.prompt",
            f"{DECISION}.algorithm.prompt",
            f"{DECISION}.modelRefs",
        ],
    ),
    (
        "AlgorithmIncomplete",
        _algorithm(type="remom", remom={"synthesis_model": "l"}),
        [
            f"{DECISION}.algorithm.remom.breadth_schedule",
            f"{DECISION}.algorithm.remom.synthesis_model",
        ],
    ),
    (
        "AlgorithmIncomplete",
        _algorithm(type="workflows", workflows={"mode": "static"}),
        [f"{DECISION}.algorithm.workflows.roles"],
    ),
    (
        "AlgorithmIncomplete",
        _algorithm(type="workflows", workflows={"mode": "dynamic", "roles": [{"name": "r"}]}),
        [
            f"{DECISION}.algorithm.workflows.planner.model",
            f"{DECISION}.algorithm.workflows.roles",
        ],
    ),
    (
        "UnknownPlugin",
        _decision(plugins=[{"type": "x", "configuration": {}}]),
        [f"{DECISION}.plugins[0].type"],
    ),
    (
        "DuplicatePlugin",
        _decision(
            plugins=[
                {"type": "semantic-cache", "configuration": {}},
                {"type": "response_cache", "configuration": {}},
            ]
        ),
        [f"{DECISION}.plugins[1].type"],
    ),
    (
        "PluginIncomplete",
        _decision(plugins=[{"type": "memory"}]),
        [f"{DECISION}.plugins[0].configuration"],
    ),
    (
        "PluginIncomplete",
        _decision(plugins=[{"type": "fast_response", "configuration": {}}]),
        [f"{DECISION}.plugins[0].configuration.message"],
    ),
]

SILENT: list[tuple[str, Json]] = [
    ("DuplicateName", {"vllmEndpoints": [entry("a", "m"), entry("b", "m")]}),
    ("InvalidName", {"vllmEndpoints": [entry("a", "openai/gpt-oss-20b: the 2nd \u6a21\u578b")]}),
    ("OddName", {"vllmEndpoints": [entry("a b", "m")]}),
    (
        "AmbiguousAlias",
        {"vllmEndpoints": [entry(name, "m", loras=[{"name": "l"}]) for name in "ab"]},
    ),
    ("ReasoningIncomplete", _entry(reasoning={"family": "qwen3"})),
    ("ReasoningIncomplete", _entry(reasoning={})),
    ("ReasoningIncomplete", _entry(reasoning={"type": "reasoning_mode"})),
    (
        "ReasoningIncomplete",
        _entry(reasoning={"type": "reasoning_effort", "parameter": "reasoning_effort"}),
    ),
    ("RetryWithoutCondition", _entry(reliability={"retryCount": 0})),
    ("RetryWithoutCondition", _entry(reliability={"retryCount": 1, "retryOn": "5xx"})),
    ("SecretInHeader", _entry(connection={"extraHeaders": {"x-team": "x"}})),
    ("WeightOutOfRange", _entry(weight=100)),
    ("WeightOutOfRange", _entry(weight=0)),
    ("HttpsToAddress", _entry()),
    ("DuplicateBackendRef", {"vllmEndpoints": [entry("a", "m"), entry("b", "m")]}),
    ("UnknownDefaultModel", {"vllmEndpoints": ENTRIES, "defaultModel": "m"}),
    ("UnknownDefaultModel", {"vllmEndpoints": ENTRIES, "defaultModel": "l"}),
    ("UnknownDefaultModel", {}),
    ("DuplicateModelCard", _routing(modelCards=[{"name": "m"}, {"name": "n"}])),
    ("ModelCardWithoutModel", _routing(modelCards=[{"name": "m"}])),
    ("WrongType", _routing(decisions=[], signals={}, modelCards=[])),
    ("RejectedKey", _decision(algorithm={"type": "static"})),
    ("UnknownKey", _routing(fallback={}, signals={"safety": []})),
    ("ValueOutOfRange", _decision(tier=0)),
    ("ValueOutOfRange", _signal("reasks", name="x", threshold=1)),
    ("UnknownValue", _routing(strategy="confidence")),
    ("UnknownValue", _signal("domains", name="x", mmlu_categories=["computer science"])),
    ("SignalWithoutName", _signal("keywords", name="x")),
    ("DuplicateSignal", _routing(signals={"pii": [{"name": "x"}], "kb": [{"name": "x"}]})),
    ("InvalidSignal", _signal("language", name="en")),
    ("DecisionWithoutName", _decision()),
    ("DuplicateDecision", _routing(decisions=[{"name": "d"}, {"name": "D"}])),
    ("UnknownModel", _decision(modelRefs=[{"model": "m"}, {"model": "l"}])),
    ("UnknownModel", _decision()),
    ("UnknownLora", _decision(modelRefs=[{"model": "m", "lora_name": "l"}])),
    ("AnnotationsTooLarge", _decision(annotations={f"k{number}": 1 for number in range(32)})),
    ("UnknownConditionType", _rules({})),
    ("UnknownConditionType", _rules(_leaf("Domain", "law"))),
    ("UnknownSignal", _rules(_leaf("domain", "law"))),
    (
        "UnknownSignal",
        _rules(
            {
                "operator": "AND",
                "conditions": [
                    _leaf("keyword", "k"),
                    _leaf("complexity", "c:hard"),
                    _leaf("authz", "binding"),
                    _leaf("authz", "role"),
                    _leaf("projection", "high"),
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
        _rules(_leaf("complexity", "y:easy"), signals={"complexity": [{"name": "y"}]}),
    ),
    (
        "InvalidClassifierCondition",
        _rules(
            _leaf("classifier", "c", label="x", predicate={"gte": 0.5}, on_error="match"),
            signals={"classifiers": [{"name": "c"}]},
        ),
    ),
    ("NeverMatches", _rules({"operator": "AND", "conditions": []})),
    (
        "NeverMatches",
        _rules({"operator": "not", "conditions": [_leaf("domain", "x")]}),
    ),
    ("UnknownOperator", _rules({"operator": "and", "conditions": []})),
    ("AlgorithmWithoutType", _algorithm(type="static")),
    ("UnknownAlgorithm", _algorithm(type="workflows")),
    ("AlgorithmMismatch", _algorithm(type="hybrid", hybrid={}, on_error="skip")),
    ("AlgorithmIncomplete", _algorithm(type="latency_aware", latency_aware={"ttft_percentile": 9})),
    (
        "AlgorithmIncomplete",
        _algorithm(type="prompt", prompt={"model": "m", "instructions": "choose"}),
    ),
    ("AlgorithmIncomplete", _algorithm(type="remom")),
    (
        "AlgorithmIncomplete",
        _algorithm(type="remom", remom={"breadth_schedule": [3, 1], "synthesis_model": "m"}),
    ),
    ("UnknownPlugin", _decision(plugins=[{"type": "semantic_cache", "configuration": {}}])),
    (
        "DuplicatePlugin",
        _decision(
            plugins=[
                {"type": "memory", "configuration": {}},
                {"type": "tools", "configuration": {}},
            ]
        ),
    ),
    ("PluginIncomplete", _decision(plugins=[{"type": "memory", "configuration": {}}])),
    (
        "PluginIncomplete",
        _decision(plugins=[{"type": "fast_response", "configuration": {"message": "no"}}]),
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


BY_HAND = {"WeightOutOfRange", "HttpsToAddress", "DuplicateBackendRef"}
"""Rules over what translate writes: nothing in a CR can break them by itself."""


def test_every_rule_is_tested_both_ways() -> None:
    codes = {rule.code for rule in RULES}
    assert {code for code, _, _ in FIRES} | BY_HAND == codes
    assert {code for code, _ in SILENT} == codes


@pytest.mark.parametrize("spec", [spec for _, spec, _ in FIRES])
def test_a_message_says_what_to_do_and_ends_without_a_stop(spec: Json) -> None:
    for issue in _issues(spec):
        assert not issue.message.endswith(".")
        assert issue.path.startswith("spec.")


@pytest.mark.parametrize("weight", [0, 101, -1, "5", 1.5, True])
def test_sr_09_a_weight_that_the_router_reads_otherwise_is_an_error(weight: Any) -> None:
    spec = _entry()
    document = dict(candidate(spec).document)
    refs = document["providers"]["models"][0]["backend_refs"]
    refs[0]["weight"] = weight
    (issue,) = validate(router(spec), Candidate(document, origins=candidate(spec).origins))
    assert (issue.code, issue.path) == ("WeightOutOfRange", "spec.vllmEndpoints[0]")


@pytest.mark.parametrize("host", ["10.0.0.1", "2001:db8::1"])
@pytest.mark.parametrize("base_path", ["", "/v1"])
def test_https_to_an_address_is_an_error(host: str, base_path: str) -> None:
    to = target(host, 443, protocol="https", base_path=base_path)
    issues = [issue for issue in _issues(_entry(), [found(to)]) if issue.severity == "error"]
    assert [(issue.code, issue.path) for issue in issues] == [
        ("HttpsToAddress", "spec.vllmEndpoints[0]")
    ]


@pytest.mark.parametrize("to", [target("10.0.0.1"), target("h.example", 443, protocol="https")])
def test_http_to_an_address_and_https_to_a_name_are_fine(to: Any) -> None:
    assert _issues(_entry(), [found(to)]) == ()


def test_two_refs_of_one_name_are_an_error() -> None:
    resolved = found(target("x.ns"), target("y.ns"))
    assert [issue.code for issue in _issues(_entry(), [resolved])] == ["DuplicateBackendRef"]


def test_sr_11_everything_is_told_at_once_errors_first() -> None:
    spec = _routing(
        foo=1,
        decisions=[
            {"name": "d", "rules": _leaf("bogus", "x"), "modelRefs": [{"model": "x"}]},
            {"name": "d", "rules": _leaf("keyword", "nope")},
        ],
    )
    assert [(issue.code, issue.severity) for issue in _issues(spec)] == [
        ("DuplicateDecision", "error"),
        ("UnknownModel", "error"),
        ("UnknownConditionType", "error"),
        ("UnknownSignal", "error"),
        ("UnknownKey", "warning"),
    ]


def test_sr_12_an_invented_key_is_a_warning_and_not_an_error() -> None:
    (issue,) = _issues(_routing(foo=1))
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
    spec = _decision(modelRefs=[{"model": "x\u2028\u202e\x1b"}])
    (issue,) = _issues(spec)
    assert '"x\\u2028\\u202e\\x1b"' in issue.message


def test_a_router_without_a_flaw_has_no_issue() -> None:
    spec = _rules(
        {"operator": "AND", "conditions": [_leaf("keyword", "k")]},
        signals={"keywords": [{"name": "k", "operator": "OR", "keywords": ["x"]}]},
        modelCards=[{"name": "m", "description": "good"}],
    )
    assert _issues(spec) == ()


@pytest.mark.parametrize("value", ["x", 1, [1], [None], {"a": [1]}, ["x", [1]], True, [{}], [[]]])
def test_no_shape_of_the_routing_block_breaks_a_rule(value: Any) -> None:
    for key in ("decisions", "signals", "projections", "modelCards", "strategy"):
        _issues(_routing(**{key: value}))
    fields = ("name", "rules", "modelRefs", "algorithm", "plugins", "annotations", "tier")
    for field in fields:
        _issues(_decision(**{field: value}))
    for key in ("type", "name", "operator", "conditions", "label"):
        _issues(_rules({"type": "keyword", "name": "x", key: value}))
    for collection in ("domains", "complexity", "keywords", "role_bindings"):
        _issues(_routing(signals={collection: value}))
    _issues(_algorithm(type=value, prompt=value, fusion={"analysis_models": value}))
    _issues(_decision(plugins=[{"type": value, "configuration": value}]))
    _issues(_routing(modelCards=[{"name": value, "loras": value}]))
    _issues(_routing(modelCards=[{"name": "m", "loras": [{"name": value}]}]))
