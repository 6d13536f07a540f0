"""Documents for the rules over what the operator itself writes, or will: nothing in the routing
block of a CR can break them."""

from typing import Any

from candidates import Json

MANAGEMENT = "spec.config.global.services.management_api"
LLM = {"name": "c", "type": "llm", "model": "x", "labels": ["a"], "instructions": "i"}
EXTERNAL: Json = {
    "name": "x",
    "llm_provider": "vllm",
    "model_role": "classification",
    "llm_endpoint": {"address": "h", "port": 80},
    "llm_model_name": "y",
}
REMOTE: Json = {
    "embedding_config": {"backend": "openai_compatible", "model_type": "remote"},
    "endpoint": {"base_url": "http://h/v1", "model": "e"},
}
BASES = [{"name": "b", "source": {"path": "p"}, "threshold": 0.5, "groups": {"g": ["l"]}}]


def ref(**fields: Any) -> Json:
    """A plain backend ref."""
    return {"name": "a", "endpoint": "h:80", "protocol": "http", "weight": 1, **fields}


def model(*refs: Json, **fields: Any) -> Json:
    """A document with one provider model."""
    return {"providers": {"models": [{"name": "m", "backend_refs": list(refs), **fields}]}}


def url(base_url: str, **fields: Any) -> Json:
    """A ref with a provider profile."""
    return {"name": "a", "base_url": base_url, "provider": "openai", "weight": 1, **fields}


def management(**fields: Any) -> Json:
    """A document with that management API."""
    return {"global": {"services": {"management_api": fields}}}


def limiter(**fields: Any) -> Json:
    """A document with one rate limiter."""
    return {"global": {"services": {"ratelimit": {"providers": [fields]}}}}


def vector_store(**fields: Any) -> Json:
    """A document with an enabled vector store."""
    return {"global": {"stores": {"vector_store": {"enabled": True, **fields}}}}


def semantic(**fields: Any) -> Json:
    """A document with those semantic embeddings."""
    return {"global": {"model_catalog": {"embeddings": {"semantic": fields}}}}


def kb(target: Json, base: str = "b") -> Json:
    """A document with a knowledge base b and a signal on a base."""
    signal = {"name": "k", "kb": base, "target": target}
    return {
        "global": {"model_catalog": {"kbs": BASES}},
        "routing": {"signals": {"kb": [signal]}},
    }


def external(**fields: Any) -> Json:
    """A document with an llm classifier and its external model."""
    return {
        "global": {"model_catalog": {"external": [{**EXTERNAL, **fields}]}},
        "routing": {"signals": {"classifiers": [LLM]}},
    }


def image(model_type: str) -> Json:
    """A document that looks up images, with that embedding model type."""
    return {
        **semantic(embedding_config={"model_type": model_type}),
        "routing": {"signals": {"embeddings": [{"name": "e", "query_modality": "image"}]}},
    }


def prompt(api_format: str, **more: Any) -> Json:
    """A document where model m chooses between m and n."""
    refs = [{"model": "m"}, {"model": "n"}]
    block = {"type": "prompt", "prompt": {"model": "m", "instructions": "i"}}
    decision = {"name": "d", "modelRefs": refs, "algorithm": block}
    return {**model(ref(), api_format=api_format), "routing": {"decisions": [decision]}, **more}


LOOPER = {"global": {"integrations": {"looper": {"endpoint": ""}}}}
EVERYBODY = {"bind_address": "0.0.0.0", "remote_exposure": True}  # noqa: S104 - what is refused
TOKENS = {"mode": "bearer", "tokens": [{"env": "T", "role": "admin"}]}
GLOBAL = "spec.config.global"
ENTRY = "spec.vllmEndpoints[0]"

DOCUMENT_FIRES: list[tuple[str, Json, list[str]]] = [
    ("BackendRefAddress", model({"name": "a", "weight": 1}), [ENTRY]),
    ("BackendRefAddress", model(ref(base_url="http://h")), [ENTRY]),
    ("BackendRefAddress", model(ref(chat_path="/x")), [ENTRY]),
    ("BackendRefAddress", model(ref(endpoint=":80")), [ENTRY]),
    ("BackendRefAddress", model(ref(endpoint="h:70000")), [ENTRY]),
    ("BackendRefAddress", model(ref(endpoint="h:abc")), [ENTRY]),
    ("BackendRefAddress", model(ref(endpoint="h:80/v1")), [ENTRY]),
    ("BackendRefAddress", model(url("ftp://h")), [ENTRY]),
    ("BackendRefAddress", model(url("https://u:p@h/v1")), [ENTRY]),
    ("HttpsToAddress", model(ref(endpoint="10.0.0.1:443", protocol="https")), [ENTRY]),
    ("HttpsToAddress", model(url("https://[2001:db8::1]/v1")), [ENTRY]),
    ("DuplicateBackendRef", model(ref(), ref(name=" A")), [ENTRY]),
    ("ModelWithoutBackend", {"providers": {"models": [{"name": "m"}]}}, [ENTRY]),
    ("ForeignKey", model(ref(colour="red")), [ENTRY]),
    ("ForeignKey", {"colour": "red"}, ["spec"]),
    ("RejectedKey", model(ref(type="vllm")), [ENTRY]),
    ("UnknownKey", {"global": {"colour": "red"}}, [f"{GLOBAL}.colour"]),
    (
        "UnknownKnowledgeBase",
        kb({"kind": "group", "value": "g"}, "z"),
        ["spec.config.routing.signals.kb[0].kb"],
    ),
    (
        "UnknownKnowledgeBase",
        kb({"kind": "group", "value": "z"}),
        ["spec.config.routing.signals.kb[0].target.value"],
    ),
    (
        "UnusableModel",
        external(model_role="guardrail"),
        ["spec.config.routing.signals.classifiers[0].model"],
    ),
    (
        "UnusableModel",
        external(llm_endpoint={"address": "h"}),
        ["spec.config.routing.signals.classifiers[0].model"],
    ),
    (
        "UnusableModel",
        external(llm_model_name=""),
        ["spec.config.routing.signals.classifiers[0].model"],
    ),
    (
        "AlgorithmIncomplete",
        prompt("anthropic"),
        ["spec.config.routing.decisions[0].algorithm.prompt.model"],
    ),
    (
        "AlgorithmIncomplete",
        prompt("openai", **LOOPER),
        ["spec.config.routing.decisions[0].algorithm.prompt"],
    ),
    (
        "RemovedMethod",
        {"global": {"router": {"model_selection": {"method": "elo"}}}},
        [f"{GLOBAL}.router.model_selection.method"],
    ),
    ("ExposedManagement", management(**EVERYBODY), [f"{MANAGEMENT}.bind_address"]),
    (
        "ExposedManagement",
        management(bind_address="::", auth=TOKENS),
        [f"{MANAGEMENT}.bind_address"],
    ),
    ("ExposedManagement", management(bind_address="host"), [f"{MANAGEMENT}.bind_address"]),
    ("TakenPort", management(port=9190), [f"{MANAGEMENT}.port"]),
    (
        "LimiterIncomplete",
        limiter(type="envoy-ratelimit"),
        [f"{GLOBAL}.services.ratelimit.providers[0].address"],
    ),
    (
        "LimiterIncomplete",
        limiter(type="local-limiter", rules=[]),
        [f"{GLOBAL}.services.ratelimit.providers[0].rules"],
    ),
    ("VectorStoreIncomplete", vector_store(), [f"{GLOBAL}.stores.vector_store.backend_type"]),
    (
        "VectorStoreIncomplete",
        vector_store(backend_type="qdrant"),
        [f"{GLOBAL}.stores.vector_store.qdrant.host"],
    ),
    (
        "InvalidEmbeddings",
        semantic(embedding_config=REMOTE["embedding_config"]),
        [
            f"{GLOBAL}.model_catalog.embeddings.semantic.endpoint.{key}"
            for key in ("base_url", "model")
        ],
    ),
    (
        "InvalidEmbeddings",
        semantic(
            **REMOTE
            | {"embedding_config": {"backend": "openai_compatible", "model_type": "mmbert"}}
        ),
        [f"{GLOBAL}.model_catalog.embeddings.semantic.embedding_config.model_type"],
    ),
    (
        "InvalidEmbeddings",
        semantic(
            embedding_config={"backend": "openai_compatible", "target_dimension": 768},
            endpoint={"base_url": "https://h", "model": "e", "dimensions": 1024},
        ),
        [f"{GLOBAL}.model_catalog.embeddings.semantic.endpoint.dimensions"],
    ),
    (
        "DuplicateKnowledgeBase",
        {"global": {"model_catalog": {"kbs": BASES * 2}}},
        [f"{GLOBAL}.model_catalog.kbs[1].name"],
    ),
]

DOCUMENT_SILENT: list[tuple[str, Json]] = [
    ("BackendRefAddress", model(ref())),
    ("BackendRefAddress", model(ref(endpoint="[2001:db8::1]:80"))),
    ("BackendRefAddress", model(url("https://h.example:8443/v1", chat_path="/x"))),
    ("HttpsToAddress", model(ref(endpoint="h:443", protocol="https"))),
    ("DuplicateBackendRef", model(ref(), ref(name="b"))),
    ("ModelWithoutBackend", model(ref())),
    ("ForeignKey", model(ref())),
    ("RejectedKey", model(ref())),
    ("UnknownKnowledgeBase", kb({"kind": "group", "value": "g"})),
    ("UnknownKnowledgeBase", kb({"kind": "label", "value": "z"})),
    ("UnusableModel", external()),
    ("InvalidClassifier", external()),
    ("EmbeddingModality", image("multimodal")),
    ("AlgorithmIncomplete", prompt("openai")),
    ("RemovedMethod", {"global": {"router": {"model_selection": {"method": "knn"}}}}),
    ("ExposedManagement", management(**EVERYBODY, auth=TOKENS)),
    ("ExposedManagement", management(bind_address="localhost")),
    ("ExposedManagement", management(bind_address="10.0.0.1", port=8080)),
    ("TakenPort", management(port=8080)),
    ("LimiterIncomplete", limiter(type="envoy-ratelimit", address="h:1")),
    ("VectorStoreIncomplete", vector_store(backend_type="memory")),
    ("VectorStoreIncomplete", vector_store(backend_type="qdrant", qdrant={"host": "h"})),
    ("VectorStoreIncomplete", {"global": {"stores": {"vector_store": {"enabled": False}}}}),
    ("InvalidEmbeddings", semantic(**REMOTE)),
    ("InvalidEmbeddings", semantic(embedding_config={"backend": "candle"})),
    ("DuplicateKnowledgeBase", {"global": {"model_catalog": {"kbs": BASES}}}),
]
