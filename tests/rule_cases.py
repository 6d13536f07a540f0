"""Bad and good CRs for the rules on routing, and short ways to write them."""

from typing import Any

from candidates import Json, entry

ENTRIES = [
    entry("a", "m", loras=[{"name": "l"}]),
    entry("b", "n"),
]
ROUTING = "spec.config.routing"
DECISION = f"{ROUTING}.decisions[0]"
Case = tuple[str, Json, list[str]]


def routing(**fields: Any) -> Json:
    """A CR with that routing block."""
    return {"vllmEndpoints": ENTRIES, "config": {"routing": fields}}


def decision(**fields: Any) -> Json:
    """One decision d with those fields."""
    return routing(decisions=[{"name": "d", **fields}])


def rules(tree: Any, **more: Any) -> Json:
    """One decision with that tree, and more of the routing block."""
    return routing(decisions=[{"name": "d", "rules": tree}], **more)


def leaf(type_: str, name: str, **fields: Any) -> Json:
    """A condition."""
    return {"type": type_, "name": name, **fields}


def one(**fields: Any) -> Json:
    """A CR with one entry."""
    return {"vllmEndpoints": [entry("a", "m", **fields)]}


def algorithm(**fields: Any) -> Json:
    """One decision with that algorithm over both models."""
    return decision(algorithm=fields, modelRefs=[{"model": "m"}, {"model": "n"}])


def signal(collection: str, **fields: Any) -> Json:
    """A CR with one signal of that collection."""
    return routing(signals={collection: [fields]})


SIGNALS = f"{ROUTING}.signals"
PROJECTIONS = f"{ROUTING}.projections"
REGEX = {"type": "count", "source": {"type": "regex", "pattern": "a+"}}
MESSAGE = {"type": "count", "source": {"type": "message", "role": "user"}}
LOCAL: Json = {"name": "c", "type": "local", "model_path": "p", "labels": ["a", "b"]}
LLM: Json = {"name": "c", "type": "llm", "model": "x", "labels": ["a"], "instructions": "i"}


def structure(**fields: Any) -> Json:
    """One structure signal."""
    return signal("structure", **{"name": "s", "feature": REGEX, **fields})


def pattern(text: str) -> Json:
    """One structure signal with that regular expression."""
    return structure(feature={"type": "count", "source": {"type": "regex", "pattern": text}})


def source(kind: str, type_: str, **fields: Any) -> Json:
    """One structure signal with that feature and source."""
    return structure(feature={"type": kind, "source": {"type": type_, **fields}})


def metadata(*signals: Json) -> Json:
    """Metadata signals, named by number."""
    members = [{"name": f"s{n}", **fields} for n, fields in enumerate(signals)]
    return routing(signals={"metadata": members})


def projections(**fields: Any) -> Json:
    """Projections over two domains d, e, an embedding v and a keyword k."""
    signals = {
        "domains": [{"name": "d"}, {"name": "e"}],
        "embeddings": [{"name": "v"}],
        "keywords": [{"name": "k"}],
    }
    return routing(signals=signals, projections=fields)


def score(*inputs: Json, name: str = "s") -> Json:
    """A score."""
    return {"name": name, "method": "weighted_sum", "inputs": list(inputs)}


def mapped(**fields: Any) -> Json:
    """A mapping of score s."""
    output = {"name": "high", "gt": 0.5}
    return {"name": "m", "source": "s", "method": "threshold_bands", "outputs": [output], **fields}


def mapping_of(**fields: Any) -> Json:
    """Projections with one score and one mapping."""
    return projections(
        scores=[score({"type": "keyword", "name": "k"})], mappings=[mapped(**fields)]
    )


def contract(**fields: Any) -> Json:
    """A decision with that output contract."""
    return decision(output_contract_spec=fields)


def plugin(type_: str, **settings: Any) -> Json:
    """A decision with that plugin."""
    return decision(plugins=[{"type": type_, "configuration": settings}])


def both(*modalities: str) -> Json:
    """A decision on modality BOTH over models m, n of those modalities."""
    cards = [{"name": name, "modality": x} for name, x in zip("mn", modalities, strict=False)]
    return routing(
        modelCards=cards,
        signals={"modality": [{"name": "BOTH"}]},
        decisions=[
            {
                "name": "d",
                "rules": leaf("modality", "BOTH"),
                "modelRefs": [{"model": card["name"]} for card in cards],
            }
        ],
    )


def classifier(leaf_fields: Json, **fields: Any) -> Json:
    """A condition of type classifier with those fields, and the local classifier c."""
    return rules(
        leaf("classifier", "c", **leaf_fields), signals={"classifiers": [{**LOCAL, **fields}]}
    )


CONTRACT = f"{DECISION}.output_contract_spec"
CONFIGURATION = f"{DECISION}.plugins[0].configuration"
ALGORITHM = f"{DECISION}.algorithm"
CHOICE = {"type": "choice", "choice_set": {"values": ["a"]}}
ITERATION = {"variable": "v", "source": "models", "models": [{"model": "m"}]}

MORE_FIRES: list[Case] = [
    (
        "InvalidFormat",
        decision(reliability={"total_timeout": "5"}),
        [f"{DECISION}.reliability.total_timeout"],
    ),
    ("UnlikelyValue", plugin("system_prompt", mode="append"), [f"{CONFIGURATION}.mode"]),
    ("UnknownKey", plugin("system_prompt", promt="x"), [f"{CONFIGURATION}.promt"]),
    ("InvalidLanguage", signal("language", name="xx"), [f"{SIGNALS}.language[0].name"]),
    (
        "EmbeddingModality",
        signal("embeddings", name="x", query_modality="image"),
        [f"{SIGNALS}.embeddings[0].query_modality"],
    ),
    (
        "InvalidStructure",
        source("count", "regex"),
        [f"{SIGNALS}.structure[0].feature.source.pattern"],
    ),
    (
        "InvalidStructure",
        source("sequence", "regex", pattern="a"),
        [f"{SIGNALS}.structure[0].feature.source.type"],
    ),
    ("InvalidStructure", source("density", "text_bytes"), [f"{SIGNALS}.structure[0].feature.type"]),
    (
        "InvalidStructure",
        source("sequence", "sequence", sequences=[["a"]]),
        [f"{SIGNALS}.structure[0].feature.source.sequences[0]"],
    ),
    (
        "InvalidStructure",
        structure(feature={**REGEX, "type": "exists"}, predicate={"gt": 1}),
        [f"{SIGNALS}.structure[0].predicate"],
    ),
    *(
        ("InvalidPattern", pattern(text), [f"{SIGNALS}.structure[0].feature.source.pattern"])
        for text in ("(a", "a)", "[a", "a(?=b)", r"(a)\1", "*a", "a**", "a\\", "a{1001}", "a++")
    ),
    ("InvalidPredicate", structure(predicate={}), [f"{SIGNALS}.structure[0].predicate"]),
    (
        "InvalidPredicate",
        structure(predicate={"gt": 1, "gte": 1}),
        [f"{SIGNALS}.structure[0].predicate"],
    ),
    (
        "InvalidPredicate",
        structure(predicate={"gt": 2, "lt": 1}),
        [f"{SIGNALS}.structure[0].predicate"],
    ),
    (
        "InvalidPredicate",
        structure(predicate={"gt": 1, "lte": 1}),
        [f"{SIGNALS}.structure[0].predicate"],
    ),
    (
        "InvalidPredicate",
        signal(
            "complexity",
            name="x",
            composer={"operator": "AND", "conditions": [leaf("classifier", "c", predicate={})]},
        ),
        [f"{SIGNALS}.complexity[0].composer.conditions[0].predicate"],
    ),
    (
        "InvalidPredicate",
        classifier({"label": "a", "predicate": {"x": 1}}),
        [f"{DECISION}.rules.predicate"],
    ),
    (
        "RoleWithoutMessage",
        signal(
            "conversation",
            name="x",
            feature={"type": "count", "source": {"type": "image_content", "role": "user"}},
        ),
        [f"{SIGNALS}.conversation[0].feature.source.role"],
    ),
    (
        "InvalidMetadata",
        metadata({"key": " a", "predicate": {"exists": True}}),
        [f"{SIGNALS}.metadata[0].key"],
    ),
    (
        "InvalidMetadata",
        metadata(
            {"key": "a", "predicate": {"exists": True}}, {"key": "A", "predicate": {"exists": True}}
        ),
        [f"{SIGNALS}.metadata[1].key"],
    ),
    (
        "InvalidMetadata",
        metadata({"key": "a", "predicate": {"exists": True, "in": ["x"]}}),
        [f"{SIGNALS}.metadata[0].predicate"],
    ),
    (
        "InvalidClassifier",
        signal("classifiers", **LOCAL | {"model_path": ""}),
        [f"{SIGNALS}.classifiers[0].model_path"],
    ),
    (
        "InvalidClassifier",
        signal("classifiers", **LOCAL, instructions="i"),
        [f"{SIGNALS}.classifiers[0].instructions"],
    ),
    (
        "InvalidClassifier",
        signal("classifiers", **LOCAL | {"labels": ["a"]}),
        [f"{SIGNALS}.classifiers[0].labels"],
    ),
    (
        "InvalidClassifier",
        signal("classifiers", **LOCAL | {"labels": ["a:b", "c"]}),
        [f"{SIGNALS}.classifiers[0].labels[0]"],
    ),
    (
        "InvalidClassifier",
        routing(signals={"classifiers": [LOCAL, {**LOCAL, "name": "d"}]}),
        [f"{SIGNALS}.classifiers[1].type"],
    ),
    ("UnusableModel", signal("classifiers", **LLM), [f"{SIGNALS}.classifiers[0].model"]),
    (
        "InvalidClassifierCondition",
        classifier({"label": "z", "predicate": {"gte": 0.5}}),
        [f"{DECISION}.rules.label"],
    ),
    (
        "InvalidClassifierCondition",
        classifier({"label": "a", "predicate": {"gte": 0.4}}),
        [f"{DECISION}.rules.predicate"],
    ),
    (
        "InvalidClassifierCondition",
        classifier({"label": "a", "predicate": {"gt": 0.5}}),
        [f"{DECISION}.rules.predicate"],
    ),
    (
        "InvalidPartition",
        projections(partitions=[{"semantics": "exclusive", "members": ["d", "v"]}]),
        [f"{PROJECTIONS}.partitions[0].members"],
    ),
    (
        "InvalidPartition",
        projections(partitions=[{"semantics": "exclusive", "members": ["d"], "default": "e"}]),
        [f"{PROJECTIONS}.partitions[0].default"],
    ),
    (
        "InvalidPartition",
        projections(partitions=[{"semantics": "softmax_exclusive", "members": ["d"]}]),
        [f"{PROJECTIONS}.partitions[0].temperature"],
    ),
    (
        "InvalidScore",
        projections(scores=[score({"type": "keyword", "name": "z"})]),
        [f"{PROJECTIONS}.scores[0].inputs[0].name"],
    ),
    (
        "InvalidScore",
        projections(scores=[score({"type": "projection", "name": "s"})]),
        [f"{PROJECTIONS}.scores[0].inputs"],
    ),
    (
        "InvalidScore",
        projections(scores=[score({"type": "projection", "name": "high"})], mappings=[mapped()]),
        [f"{PROJECTIONS}.scores[0].inputs"],
    ),
    (
        "InvalidValueSource",
        projections(scores=[score({"type": "keyword", "name": "k", "value_source": "score"})]),
        [f"{PROJECTIONS}.scores[0].inputs[0].value_source"],
    ),
    ("InvalidMapping", mapping_of(source="z"), [f"{PROJECTIONS}.mappings[0].source"]),
    ("InvalidMapping", mapping_of(method="multi_emit"), [f"{PROJECTIONS}.mappings[0].outputs"]),
    (
        "InvalidMapping",
        mapping_of(outputs=[{"name": "x"}]),
        [f"{PROJECTIONS}.mappings[0].outputs[0]"],
    ),
    (
        "InvalidMapping",
        mapping_of(outputs=[{"name": "x", "lt": 1}, {"name": "x", "gt": 1}]),
        [f"{PROJECTIONS}.mappings[0].outputs[1].name"],
    ),
    ("ModalityWithoutModel", both("ar"), [f"{DECISION}.modelRefs"]),
    ("ModalityWithoutModel", both("ar", "ar"), [f"{DECISION}.modelRefs"]),
    (
        "InvalidIteration",
        decision(candidateIterations=[{"variable": "v", "source": "models"}]),
        [f"{DECISION}.candidateIterations[0].models"],
    ),
    (
        "InvalidIteration",
        decision(candidateIterations=[{"variable": "v", "source": "decision.candidates"}]),
        [f"{DECISION}.candidateIterations[0].source"],
    ),
    (
        "InvalidIteration",
        decision(candidateIterations=[{**ITERATION, "outputs": [{"type": "model", "value": "w"}]}]),
        [f"{DECISION}.candidateIterations[0].outputs[0].value"],
    ),
    (
        "InvalidEmit",
        decision(emits=[{"kind": "retention", "retention": {"drop": True, "ttl_turns": 1}}]),
        [f"{DECISION}.emits[0].retention.drop"],
    ),
    (
        "InvalidEmit",
        decision(emits=[{"kind": "retention", "retention": {}}] * 2),
        [f"{DECISION}.emits[1].kind"],
    ),
    (
        "DecisionRetry",
        decision(reliability={"retry_count": 1}),
        [f"{DECISION}.reliability.retry_on"],
    ),
    (
        "DecisionRetry",
        decision(reliability={"retry_on": "5xx", "retriable_status_codes": [503]}),
        [f"{DECISION}.reliability.retry_on"],
    ),
    ("InvalidOutputContract", contract(type="choice"), [f"{CONTRACT}.choice_set.values"]),
    ("InvalidOutputContract", contract(**CHOICE, reference={}), [f"{CONTRACT}.reference"]),
    (
        "InvalidOutputContract",
        contract(**CHOICE, render={"mode": "template", "template": "x"}),
        [f"{CONTRACT}.render.template"],
    ),
    (
        "InvalidOutputContract",
        contract(**CHOICE, extract={"sources": ["content", "content"]}),
        [f"{CONTRACT}.extract.sources"],
    ),
    (
        "InvalidOutputContract",
        contract(**CHOICE, postprocess=[{"type": "dereference_selected_reference"}]),
        [f"{CONTRACT}.postprocess[0]"],
    ),
    ("AlgorithmOnError", algorithm(type="hybrid", on_error="fallback"), [f"{ALGORITHM}.on_error"]),
    ("AlgorithmOnError", algorithm(type="prompt", on_error="skip"), [f"{ALGORITHM}.on_error"]),
    (
        "AlgorithmIncomplete",
        algorithm(type="confidence", confidence={"confidence_method": "automix_entailment"}),
        [f"{ALGORITHM}.confidence.verifier_server_url"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="confidence", confidence={"verifier_timeout_seconds": 1}),
        [f"{ALGORITHM}.confidence.verifier_timeout_seconds"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="confidence", confidence={"hybrid_weights": {"logprob_weight": 0.7}}),
        [f"{ALGORITHM}.confidence.hybrid_weights"],
    ),
    (
        "MissingKey",
        algorithm(type="remom", remom={"synthesis_model": "m"}),
        [f"{ALGORITHM}.remom.breadth_schedule"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="fusion", fusion={"analysis_overrides": [{"model": "m"}, {"model": "m"}]}),
        [f"{ALGORITHM}.fusion.analysis_overrides[1].model"],
    ),
    (
        "AlgorithmIncomplete",
        algorithm(
            type="workflows",
            workflows={
                "roles": [{"name": "r", "models": ["m", "m"]}, {"name": "r", "models": ["l"]}]
            },
        ),
        [
            f"{ALGORITHM}.workflows.roles[0].models",
            f"{ALGORITHM}.workflows.roles[1].name",
            f"{ALGORITHM}.workflows.roles[1].models[0]",
        ],
    ),
    ("PluginIncomplete", plugin("rag", enabled=True), [f"{CONFIGURATION}.backend"]),
    (
        "PluginIncomplete",
        plugin("rag", enabled=True, backend="milvus"),
        [f"{CONFIGURATION}.backend_config.collection"],
    ),
    ("PluginIncomplete", plugin("tools", enabled=True, mode="filtered"), [f"{CONFIGURATION}.mode"]),
    (
        "PluginIncomplete",
        plugin("tools", enabled=True, allow_tools=["x"]),
        [f"{CONFIGURATION}.allow_tools"],
    ),
    (
        "PluginIncomplete",
        plugin("tools", enabled=True, strip_tool_history=True),
        [f"{CONFIGURATION}.strip_tool_history"],
    ),
    (
        "IneffectiveKey",
        plugin("memory", enabled=True, reflection={"algorithm": "x"}),
        [f"{CONFIGURATION}.reflection"],
    ),
]

GOOD_PATTERNS = (
    r"a|b",
    r"(?i)hello",
    r"[]a]",
    r"[^]]+",
    r"[[:alpha:]_]",
    r"\p{Greek}+",
    r"\[x\]",
    r"\(",
    r"a+?",
    r"(?P<n>x){1,3}",
    r"\Q(*\E",
    r"x{2,}",
    r"^\d{3}-\d{4}$",
    r"\bfoo\b",
    r"[\]\\]",
    r"a{,2}",
    r"\*+",
    r"{x}+",
    r"\x{10FFFF}+",
)

MORE_SILENT: list[tuple[str, Json]] = [
    *(("InvalidPattern", pattern(text)) for text in GOOD_PATTERNS),
    ("InvalidFormat", decision(reliability={"total_timeout": "1m30s", "idle_timeout": "0s"})),
    ("UnlikelyValue", plugin("system_prompt", mode="insert")),
    ("EmbeddingModality", signal("embeddings", name="x", query_modality="text")),
    ("InvalidStructure", structure(predicate={"gte": 1})),
    ("InvalidStructure", source("sequence", "sequence", sequences=[["a", "b"]])),
    ("InvalidStructure", source("count", "text_bytes")),
    ("InvalidPredicate", structure(predicate={"gte": 1, "lte": 1})),
    ("InvalidPredicate", structure(predicate={"gt": 1})),
    ("RoleWithoutMessage", signal("conversation", name="x", feature=MESSAGE)),
    (
        "InvalidMetadata",
        metadata(
            {"key": "a", "predicate": {"in": ["x"]}}, {"key": "b", "predicate": {"equals": ""}}
        ),
    ),
    ("InvalidClassifier", signal("classifiers", **LOCAL)),
    ("UnusableModel", signal("classifiers", **LOCAL)),
    ("InvalidClassifierCondition", classifier({"label": "a", "predicate": {"gte": 0.5}})),
    (
        "InvalidPartition",
        projections(
            partitions=[
                {
                    "semantics": "softmax_exclusive",
                    "temperature": 0.1,
                    "members": ["d", "e"],
                    "default": "d",
                }
            ]
        ),
    ),
    (
        "InvalidScore",
        projections(
            scores=[
                score(
                    {"type": "domain", "name": "d"}, {"type": "kb_metric", "kb": "x", "metric": "y"}
                ),
                score({"type": "projection", "name": "s"}, name="t"),
            ]
        ),
    ),
    (
        "InvalidValueSource",
        projections(scores=[score({"type": "keyword", "name": "k", "value_source": "raw"})]),
    ),
    ("InvalidMapping", mapping_of()),
    ("ModalityWithoutModel", both("ar", "diffusion")),
    ("ModalityWithoutModel", both("omni")),
    ("ModalityWithoutModel", decision(modelRefs=[{"model": "m"}])),
    (
        "InvalidIteration",
        decision(candidateIterations=[{**ITERATION, "outputs": [{"type": "model", "value": "v"}]}]),
    ),
    ("InvalidEmit", decision(emits=[{"kind": "retention", "retention": {"ttl_turns": 1}}])),
    (
        "DecisionRetry",
        decision(
            reliability={
                "retry_count": 1,
                "retry_on": "retriable-status-codes",
                "retriable_status_codes": [503],
            }
        ),
    ),
    (
        "InvalidOutputContract",
        contract(
            **CHOICE,
            render={"mode": "template", "template": "x {choice}"},
            extract={"sources": ["content"]},
        ),
    ),
    (
        "InvalidOutputContract",
        contract(
            type="reference_selection", postprocess=[{"type": "dereference_selected_reference"}]
        ),
    ),
    ("AlgorithmOnError", algorithm(type="hybrid", on_error="skip")),
    (
        "AlgorithmIncomplete",
        algorithm(
            type="confidence",
            confidence={"hybrid_weights": {"logprob_weight": 0.7, "margin_weight": 0.3}},
        ),
    ),
    (
        "AlgorithmIncomplete",
        algorithm(
            type="confidence",
            confidence={
                "confidence_method": "automix_entailment",
                "verifier_server_url": "http://v",
            },
        ),
    ),
    ("AlgorithmIncomplete", algorithm(type="workflows")),
    (
        "AlgorithmIncomplete",
        algorithm(type="workflows", workflows={"mode": "dynamic", "planner": {"model": "m"}}),
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="workflows", workflows={"roles": [{"name": "r", "models": ["m", "n"]}]}),
    ),
    (
        "AlgorithmIncomplete",
        algorithm(type="fusion", fusion={"analysis_overrides": [{"model": "m"}, {"model": "n"}]}),
    ),
    (
        "PluginIncomplete",
        plugin("rag", enabled=True, backend="milvus", backend_config={"collection": "x"}),
    ),
    ("PluginIncomplete", plugin("rag", enabled=False)),
    ("PluginIncomplete", plugin("tools", enabled=True, mode="filtered", block_tools=["x"])),
    ("PluginIncomplete", plugin("tools", enabled=True, mode="none", strip_tool_history=True)),
    (
        "IneffectiveKey",
        plugin("tool_selection", enabled=True, advanced_filtering={"enabled": True}),
    ),
]
