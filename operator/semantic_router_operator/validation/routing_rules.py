"""The table's part on routing: signals, projections, model cards, decisions."""

from typing import Final

from semantic_router_operator.validation import (
    algorithms,
    classifiers,
    conditions,
    decisions,
    models,
    output_contracts,
    plugins,
    predicates,
    projections,
    signals,
)
from semantic_router_operator.validation.subject import Rule

_ROUTING: Final = "spec.config.routing"
_SIGNALS: Final = "spec.config.routing.signals"
_DECISION: Final = "spec.config.routing.decisions[]"
_PROJECTIONS: Final = "spec.config.routing.projections"

ROUTING: Final = (
    Rule(
        "DuplicateModelCard",
        models.duplicate_cards,
        at=f"{_ROUTING}.modelCards[].name",
        fix="Keep one card.",
    ),
    Rule(
        "ModelCardWithoutModel",
        models.cards_without_model,
        at=f"{_ROUTING}.modelCards[].name",
        fix="Add an entry with the model, or remove the card.",
    ),
    Rule(
        "DuplicateSignal",
        signals.duplicates,
        at=f"{_SIGNALS}.*[].name",
        fix="Rename or remove one.",
    ),
    Rule(
        "InvalidLanguage",
        signals.odd_languages,
        at=f"{_SIGNALS}.language[].name",
        fix="Write a code such as en.",
    ),
    Rule(
        "EmbeddingModality",
        signals.image_queries,
        at=f"{_SIGNALS}.embeddings[].query_modality",
        fix="Set the model type multimodal, or write text.",
    ),
    Rule(
        "InvalidStructure",
        signals.odd_structures,
        at=f"{_SIGNALS}.structure[]",
        fix="Give the source what its type reads.",
    ),
    Rule(
        "InvalidPattern",
        signals.odd_patterns,
        at=f"{_SIGNALS}.structure[].feature.source.pattern",
        fix="Write it in the syntax of Go's regexp (RE2).",
    ),
    Rule(
        "InvalidPredicate",
        predicates.odd_predicates,
        at=f"{_SIGNALS}.*[].predicate, {_DECISION}.rules",
        fix="Give at least one bound, and at most one on each side.",
    ),
    Rule(
        "RoleWithoutMessage",
        signals.odd_roles,
        at=f"{_SIGNALS}.conversation[].feature.source.role",
        fix="Remove role.",
    ),
    Rule(
        "InvalidMetadata",
        signals.odd_metadata,
        at=f"{_SIGNALS}.metadata[]",
        fix="Use each key once, with one of equals, in, exists.",
    ),
    Rule(
        "UnknownKnowledgeBase",
        signals.unknown_bases,
        at=f"{_SIGNALS}.kb[]",
        fix="Declare the base, or correct the name.",
    ),
    Rule(
        "InvalidClassifier",
        classifiers.odd_classifiers,
        at=f"{_SIGNALS}.classifiers[]",
        fix="Give it the settings of its type.",
    ),
    Rule(
        "UnusableModel",
        classifiers.unusable_models,
        at=f"{_SIGNALS}.classifiers[].model",
        fix="Declare the external model with role and address.",
    ),
    Rule(
        "InvalidPartition",
        projections.odd_partitions,
        at=f"{_PROJECTIONS}.partitions[]",
        fix="Name domains only, or embeddings only.",
    ),
    Rule(
        "InvalidScore",
        projections.odd_scores,
        at=f"{_PROJECTIONS}.scores[]",
        fix="Declare the inputs; break circles.",
    ),
    Rule(
        "InvalidValueSource",
        projections.odd_value_sources,
        at=f"{_PROJECTIONS}.scores[].inputs[].value_source",
        fix="Write a word that the input's type has.",
    ),
    Rule(
        "InvalidMapping",
        projections.odd_mappings,
        at=f"{_PROJECTIONS}.mappings[]",
        fix="Name a score; give each output a bound and its own name.",
    ),
)

DECISIONS: Final = (
    Rule("DuplicateDecision", decisions.duplicates, at=f"{_DECISION}.name", fix="Rename one."),
    Rule(
        "UnknownModel",
        decisions.unknown_models,
        at=f"{_DECISION}",
        fix="Add an entry with the model, or correct the name.",
    ),
    Rule(
        "UnknownLora",
        decisions.unknown_loras,
        at=f"{_DECISION}.modelRefs[].lora_name",
        fix="Add the adapter to the model's loras, or correct the name.",
    ),
    Rule(
        "AnnotationsTooLarge",
        decisions.large_annotations,
        at=f"{_DECISION}.annotations",
        fix="Shorten them.",
    ),
    Rule(
        "ModalityWithoutModel",
        decisions.modality_without_models,
        at=f"{_DECISION}.modelRefs",
        fix="Name models of both modalities.",
    ),
    Rule(
        "InvalidIteration",
        decisions.odd_iterations,
        at=f"{_DECISION}.candidateIterations[]",
        fix="Give it what it goes through.",
    ),
    Rule("InvalidEmit", decisions.odd_emits, at=f"{_DECISION}.emits[]", fix="Keep one."),
    Rule(
        "DecisionRetry",
        decisions.retries_without_condition,
        at=f"{_DECISION}.reliability.retry_on",
        fix="Add retry_on.",
    ),
    Rule(
        "InvalidOutputContract",
        output_contracts.odd_contracts,
        at=f"{_DECISION}.output_contract_spec",
        fix="Give it the parts of its type.",
    ),
    Rule(
        "ConditionWithoutType",
        conditions.typeless,
        at=f"{_DECISION}.rules",
        fix="Add type and name.",
    ),
    Rule(
        "UnknownSignal",
        conditions.unknown_signals,
        at=f"{_DECISION}.rules",
        fix="Declare the signal, or correct the name.",
    ),
    Rule(
        "InvalidComplexity",
        conditions.odd_complexity,
        at=f"{_DECISION}.rules",
        fix="Write <signal>:<level>.",
    ),
    Rule(
        "InvalidClassifierCondition",
        classifiers.odd_conditions,
        at=f"{_DECISION}.rules",
        fix="Give label and predicate; elsewhere remove label and on_error.",
    ),
    Rule(
        "NeverMatches",
        conditions.never_matching,
        "warning",
        at=f"{_DECISION}.rules",
        fix="Add a condition to OR, keep one in NOT.",
    ),
    Rule(
        "UnknownOperator",
        conditions.unknown_operators,
        "warning",
        at=f"{_DECISION}.rules",
        fix="Write AND, OR or NOT.",
    ),
    Rule(
        "AlgorithmMismatch",
        algorithms.mismatches,
        at=f"{_DECISION}.algorithm",
        fix="Remove the block that isn't the type's.",
    ),
    Rule(
        "AlgorithmOnError",
        algorithms.odd_on_error,
        at=f"{_DECISION}.algorithm.on_error",
        fix="Write a word that the type has.",
    ),
    Rule(
        "AlgorithmIncomplete",
        algorithms.incomplete,
        at=f"{_DECISION}.algorithm",
        fix="Add or remove what the message names.",
    ),
    Rule("DuplicatePlugin", plugins.duplicates, at=f"{_DECISION}.plugins[]", fix="Merge the two."),
    Rule(
        "PluginIncomplete",
        plugins.odd_settings,
        at=f"{_DECISION}.plugins[].configuration",
        fix="Add or remove what the message names.",
    ),
    Rule(
        "IneffectiveKey",
        plugins.ineffective,
        "warning",
        at=f"{_DECISION}.plugins[].configuration",
        fix="Set it in the router's global settings.",
    ),
)
