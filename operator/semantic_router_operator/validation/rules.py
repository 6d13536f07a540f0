"""The table of rules. One line each; the checks stand in the module of their subject.

Sources: the rules of the router's loader (canonical v0.3, sections B to H) and of the newer one
(section N). A rule that the router checks only when it starts counts as well.
"""

from typing import Final

from semantic_router_operator.validation import (
    algorithms,
    conditions,
    decisions,
    endpoints,
    models,
    plugins,
    shapes,
    signals,
    values,
)
from semantic_router_operator.validation.subject import Rule

RULES: Final = (
    Rule("DuplicateName", endpoints.duplicate_names),
    Rule("InvalidName", endpoints.invalid_names),
    Rule("OddName", endpoints.odd_names, "warning"),
    Rule("AmbiguousAlias", endpoints.ambiguous_aliases, "warning"),
    Rule("ReasoningIncomplete", endpoints.incomplete_reasoning),
    Rule("RetryWithoutCondition", endpoints.retries_without_condition),
    Rule("SecretInHeader", endpoints.secrets_in_headers),
    Rule("WeightOutOfRange", models.weights),
    Rule("HttpsToAddress", models.https_to_address),
    Rule("DuplicateBackendRef", models.duplicate_refs),
    Rule("UnknownDefaultModel", models.unknown_default),
    Rule("DuplicateModelCard", models.duplicate_cards),
    Rule("ModelCardWithoutModel", models.cards_without_model),
    Rule("WrongType", shapes.wrong_types),
    Rule("RejectedKey", shapes.rejected_keys),
    Rule("UnknownKey", shapes.unknown_keys, "warning"),
    Rule("ValueOutOfRange", values.out_of_range),
    Rule("UnknownValue", values.unknown_values),
    Rule("SignalWithoutName", signals.nameless),
    Rule("DuplicateSignal", signals.duplicates),
    Rule("InvalidSignal", signals.odd_languages),
    Rule("DecisionWithoutName", decisions.nameless),
    Rule("DuplicateDecision", decisions.duplicates),
    Rule("UnknownModel", decisions.unknown_models),
    Rule("UnknownLora", decisions.unknown_loras),
    Rule("AnnotationsTooLarge", decisions.large_annotations),
    Rule("UnknownConditionType", conditions.unknown_types),
    Rule("UnknownSignal", conditions.unknown_signals),
    Rule("InvalidComplexity", conditions.odd_complexity),
    Rule("InvalidClassifierCondition", conditions.odd_classifiers),
    Rule("NeverMatches", conditions.never_matching, "warning"),
    Rule("UnknownOperator", conditions.unknown_operators, "warning"),
    Rule("AlgorithmWithoutType", algorithms.without_type),
    Rule("UnknownAlgorithm", algorithms.unknown_types),
    Rule("AlgorithmMismatch", algorithms.mismatches),
    Rule("AlgorithmIncomplete", algorithms.incomplete),
    Rule("UnknownPlugin", plugins.unknown_types),
    Rule("DuplicatePlugin", plugins.duplicates),
    Rule("PluginIncomplete", plugins.incomplete),
)
