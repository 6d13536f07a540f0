"""Rules on the document's global block (canonical rules, B and J)."""

import ipaddress
from collections.abc import Iterator
from typing import Final

from semantic_router_operator import names
from semantic_router_operator.model import paths
from semantic_router_operator.model.routing_block import mapping, sequence, text
from semantic_router_operator.validation.subject import Found, Subject

_MANAGEMENT: Final = "global.services.management_api"
_INTERNAL: Final = "VLLM_SR_MANAGEMENT_INTERNAL_LISTENER"
_TAKEN_PORTS: Final = (names.GRPC_PORT, names.METRICS_PORT)
_MODEL_SELECTION: Final = "global.router.model_selection.method"
_REMOVED_METHODS: Final = (
    "session_aware",
    "model_switch_gate",
    "lookup_tables",
    "elo",
    "rl_driven",
    "gmtrouter",
    "bandit",
    "personalization",
)
_VECTOR_STORE: Final = "global.stores.vector_store"
_STORE_NEEDS: Final = {
    "milvus": "milvus.connection.host",
    "llama_stack": "llama_stack.endpoint",
    "valkey": "valkey.host",
    "qdrant": "qdrant.host",
}
_LIMITER_NEEDS: Final = {"envoy-ratelimit": "address", "local-limiter": "rules"}
_SEMANTIC: Final = "global.model_catalog.embeddings.semantic"
_REMOTE: Final = "openai_compatible"
_SCHEMES: Final = ("http://", "https://")


def removed_methods(subject: Subject) -> Iterator[Found]:
    """Ways to select a model that have moved to global.router.learning are refused."""
    for path, method in subject.each(_MODEL_SELECTION):
        if method in _REMOVED_METHODS:
            yield Found(path, f"{method} was removed from the router; write another, such as knn")


def exposed_management(subject: Subject) -> Iterator[Found]:
    """The management API listens on an IP address or localhost; for everybody only with tokens."""
    api = subject.at(_MANAGEMENT)
    bind = text(api.get("bind_address"))
    if not bind or bind == "localhost":
        return
    path = f"{_MANAGEMENT}.bind_address"
    try:
        everybody = ipaddress.ip_address(bind).is_unspecified
    except ValueError:
        yield Found(path, "is neither an IP address nor localhost; write one of them")
        return
    auth = mapping(api.get("auth"))
    guarded = auth.get("mode") == "bearer" and bool(sequence(auth.get("tokens")))
    guarded = guarded and api.get("remote_exposure") is True
    if everybody and not guarded and not _is_internal(subject):
        yield Found(
            path,
            "opens the management API to everybody, which needs remote_exposure true and auth of "
            "mode bearer with tokens; add them, or listen on 127.0.0.1",
        )


def _is_internal(subject: Subject) -> bool:
    """Whether the pod's environment says that the listener is for the cluster's inside only."""
    return any(
        variable.name == _INTERNAL and variable.value == "true"
        for variable in subject.router.spec.env
    )


def taken_ports(subject: Subject) -> Iterator[Found]:
    """The management API has a port of its own."""
    port = subject.at(_MANAGEMENT).get("port")
    if port in _TAKEN_PORTS:
        yield Found(f"{_MANAGEMENT}.port", f"{port} is taken by the router itself; write another")


def incomplete_limiters(subject: Subject) -> Iterator[Found]:
    """A rate limiter without its settings would be switched off silently."""
    for path, found in subject.each("global.services.ratelimit.providers[]"):
        limiter = mapping(found)
        needed = _LIMITER_NEEDS.get(text(limiter.get("type")))
        if needed and not limiter.get(needed):
            yield Found(f"{path}.{needed}", f"is needed by {limiter['type']}; add it")


def incomplete_vector_store(subject: Subject) -> Iterator[Found]:
    """An enabled vector store has a backend, and the backend its address."""
    store = subject.at(_VECTOR_STORE)
    if store.get("enabled") is not True:
        return
    backend = text(store.get("backend_type"))
    if not backend:
        yield Found(f"{_VECTOR_STORE}.backend_type", "is needed by an enabled store; add it")
    needed = _STORE_NEEDS.get(backend)
    if needed and not any(subject.texts(f"{_VECTOR_STORE}.{needed}")):
        yield Found(f"{_VECTOR_STORE}.{needed}", f"is needed by backend {backend}; add it")


def odd_embeddings(subject: Subject) -> Iterator[Found]:
    """Remote embeddings have base URL and model, model type remote, and agreeing dimensions."""
    semantic = subject.at(_SEMANTIC)
    config, endpoint = mapping(semantic.get("embedding_config")), mapping(semantic.get("endpoint"))
    if config.get("backend") != _REMOTE:
        return
    host = next((url for url in _SCHEMES if text(endpoint.get("base_url")).startswith(url)), None)
    if host is None or not text(endpoint.get("base_url")).removeprefix(host).strip("/"):
        yield Found(
            f"{_SEMANTIC}.endpoint.base_url",
            f"is needed by backend {_REMOTE}; write http(s)://host[:port][/path]",
        )
    if not endpoint.get("model"):
        yield Found(f"{_SEMANTIC}.endpoint.model", f"is needed by backend {_REMOTE}; add it")
    if config.get("model_type") not in (None, "", "remote"):
        yield Found(
            f"{_SEMANTIC}.embedding_config.model_type", f"must be remote for backend {_REMOTE}"
        )
    sizes = {x for x in (endpoint.get("dimensions"), config.get("target_dimension")) if x}
    if len(sizes) > 1:
        yield Found(
            f"{_SEMANTIC}.endpoint.dimensions",
            "differs from embedding_config.target_dimension; make them equal",
        )


def duplicate_bases(subject: Subject) -> Iterator[Found]:
    """A knowledge base's name is unique."""
    seen: set[str] = set()
    for path, name in subject.each("global.model_catalog.kbs[].name"):
        if text(name) in seen:
            yield Found(path, f"{paths.quoted(text(name))} is there twice; rename one")
        seen.add(text(name))
