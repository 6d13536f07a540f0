"""The table of rules. The checks stand in the module of their subject.

Sources: the rules of the router's loader (canonical v0.3, sections B to J) and of the newer one
(section N). A rule that the router checks only when it starts counts as well. Rules on several
fields of one object of the CR are in cross_field.py. docs/validation.md is made from this table
(see hack/validation_doc.py).
"""

from typing import Final

from semantic_router_operator.validation import (
    backend_refs,
    document,
    endpoints,
    models,
    services,
)
from semantic_router_operator.validation.routing_rules import DECISIONS, ROUTING
from semantic_router_operator.validation.subject import Rule

_ENTRY: Final = "spec.vllmEndpoints[]"
_CONFIG: Final = "spec.config"

ENTRIES: Final = (
    Rule(
        "DuplicateName",
        endpoints.duplicate_names,
        at=f"{_ENTRY}.name",
        fix="Give each entry its own name.",
    ),
    Rule(
        "InvalidName",
        endpoints.invalid_names,
        at=f"{_ENTRY}.{{name, model, loras[].name}}",
        fix="Write a plain name.",
    ),
    Rule(
        "OddName",
        endpoints.odd_names,
        "warning",
        at=f"{_ENTRY}.{{name, model, loras[].name}}",
        fix="Remove the space.",
    ),
    Rule(
        "AmbiguousAlias",
        endpoints.ambiguous_aliases,
        "warning",
        at=f"{_ENTRY}.loras[].name",
        fix="Use different names.",
    ),
    Rule(
        "ReasoningIncomplete",
        endpoints.incomplete_reasoning,
        at=f"{_ENTRY}.reasoning",
        fix="Name a family, or give type and parameter.",
    ),
    Rule(
        "RetryWithoutCondition",
        endpoints.retries_without_condition,
        at=f"{_ENTRY}.reliability.retryOn",
        fix="Add retryOn, such as 5xx,reset.",
    ),
    Rule(
        "SecretInHeader",
        endpoints.secrets_in_headers,
        at=f"{_ENTRY}.connection.{{auth.prefix, extraHeaders}}",
        fix="Use connection.auth.header and connection.auth.secretKeyRef.",
    ),
    Rule(
        "InvalidHeader",
        endpoints.invalid_headers,
        at=f"{_ENTRY}.connection.{{auth, extraHeaders}}",
        fix="Write a header's name, and a value on one line.",
    ),
    Rule(
        "BackendRefAddress",
        backend_refs.odd_addresses,
        at=_ENTRY,
        fix="Correct host, port or URL of the backend.",
    ),
    Rule(
        "HttpsToAddress",
        backend_refs.https_to_address,
        at=_ENTRY,
        fix="Use a DNS name, or http.",
    ),
    Rule("DuplicateBackendRef", backend_refs.duplicates, at=_ENTRY, fix="Rename the entry."),
    Rule("ModelWithoutBackend", models.without_backend, at=_ENTRY, fix="Give it a backend."),
    Rule(
        "UnknownDefaultModel",
        models.unknown_default,
        at="spec.defaultModel",
        fix="Name a model or LoRA adapter of vllmEndpoints, or leave it out.",
    ),
)

DOCUMENT: Final = (
    Rule("WrongType", document.wrong_types, at=_CONFIG, fix="Write the value as that type."),
    Rule("UnknownValue", document.unknown_values, at=_CONFIG, fix="Write one of the words."),
    Rule(
        "UnlikelyValue",
        document.unlikely_values,
        "warning",
        at=_CONFIG,
        fix="Write one of the words, if you meant one.",
    ),
    Rule("ValueOutOfRange", document.out_of_range, at=_CONFIG, fix="Write a number in range."),
    Rule(
        "InvalidFormat",
        document.odd_formats,
        at=_CONFIG,
        fix="Write a duration such as 1m30s, a path such as /health.",
    ),
    Rule("MissingKey", document.missing_keys, at=_CONFIG, fix="Add the key."),
    Rule(
        "RejectedKey",
        document.rejected_keys,
        at=_CONFIG,
        fix="Write what the message names, or remove the key.",
    ),
    Rule(
        "UnknownKey",
        document.unknown_keys,
        "warning",
        at=_CONFIG,
        fix="Correct the key, or make sure that your router knows it.",
    ),
    Rule("ForeignKey", document.foreign_keys, at="spec", fix="Report it: the fault is ours."),
)

GLOBAL: Final = (
    Rule(
        "RemovedMethod",
        services.removed_methods,
        at=_CONFIG,
        fix="Write another method, such as knn.",
    ),
    Rule(
        "ExposedManagement",
        services.exposed_management,
        at=_CONFIG,
        fix="Listen on 127.0.0.1, or add remote_exposure and bearer tokens.",
        startup=True,
    ),
    Rule("TakenPort", services.taken_ports, at=_CONFIG, fix="Write another port.", startup=True),
    Rule(
        "LimiterIncomplete",
        services.incomplete_limiters,
        at=_CONFIG,
        fix="Add address or rules.",
        startup=True,
    ),
    Rule(
        "VectorStoreIncomplete",
        services.incomplete_vector_store,
        at=_CONFIG,
        fix="Add the backend and its address.",
        startup=True,
    ),
    Rule(
        "InvalidEmbeddings",
        services.odd_embeddings,
        at="spec.config.embedding_models",
        fix="Give endpoint base_url and model, and equal dimensions.",
    ),
    Rule(
        "DuplicateKnowledgeBase",
        services.duplicate_bases,
        at=_CONFIG,
        fix="Rename one.",
    ),
)

RULES: Final = (*ENTRIES, *DOCUMENT, *ROUTING, *DECISIONS, *GLOBAL)
