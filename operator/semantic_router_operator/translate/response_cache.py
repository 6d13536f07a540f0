"""`global.stores.response_cache`: answers that are kept (field case OP-18)."""

from collections.abc import Iterator
from typing import Any, Final

from semantic_router_operator.model.canonical import Issue, SecretEnv
from semantic_router_operator.model.config.response_cache import ResponseCache
from semantic_router_operator.model.router import Spec
from semantic_router_operator.translate.blocks import Block, deprecated, written
from semantic_router_operator.translate.credentials import INVALID, Credential, credential

_PATH: Final = "global.stores.response_cache"
_PASSWORDS: Final = (
    "redis.connection.password",
    "valkey.connection.password",
    "milvus.connection.auth.password",
)
_SECRETS: Final = (
    *_PASSWORDS,
    *(f"{place}_secret_ref" for place in _PASSWORDS),
    "qdrant.api_key",
)
_GONE: Final = (
    *(f"{store}.development.verbose_errors" for store in ("redis", "valkey", "milvus")),
    "milvus.performance",
    "milvus.data_management",
    "hnsw",
)
_NO_PLACE: Final = "has no effect: today's router doesn't have it; remove it"


def response_cache(spec: Spec) -> Block | None:
    """The cache of the CR under either spelling, without what today's router refuses.

    Both spellings at once are an error of the CR's own rules (model/config).
    """
    config = spec.config
    origin = "spec.config.response_cache"
    cache, issues = config.response_cache, []
    if cache is None and config.semantic_cache is not None:
        cache, origin = config.semantic_cache, "spec.config.semantic_cache"
        issues.append(deprecated(origin, "write response_cache instead; it is the same block"))
    if cache is None:
        return None
    block = written(
        cache, _PATH, origin, numbers=("similarity_threshold",), without=(*_SECRETS, *_GONE)
    )
    issues += [*block.issues, *_unreachable(cache, origin), *_gone(cache, origin)]
    env: list[SecretEnv] = []
    for place, secret in _credentials(spec, cache, origin):
        issues += secret.issues
        env += secret.env
        if secret.value is not None:
            _put(block.value, place, secret.value)
    return Block(_PATH, block.value, block.origins, tuple(issues), tuple(env))


def _credentials(spec: Spec, cache: ResponseCache, origin: str) -> Iterator[tuple[str, Credential]]:
    """Place in the block -> what is to stand there."""
    for name, store in (("redis", cache.redis), ("valkey", cache.valkey)):
        if store is not None and store.connection is not None:
            place, connection = f"{name}.connection.password", store.connection
            ref = connection.password_secret_ref
            yield place, credential(spec, f"{origin}.{place}", connection.password, ref)
    milvus = cache.milvus.connection if cache.milvus else None
    if milvus is not None and milvus.auth is not None:
        place, auth = "milvus.connection.auth.password", milvus.auth
        ref = auth.password_secret_ref
        yield place, credential(spec, f"{origin}.{place}", auth.password, ref)
    if cache.qdrant is not None:
        place = "qdrant.api_key"
        yield place, credential(spec, f"{origin}.{place}", cache.qdrant.api_key)


def _unreachable(cache: ResponseCache, origin: str) -> Iterator[Issue]:
    """An enabled cache whose store has no host: the router couldn't start with it."""
    kind = cache.backend_type
    match kind:
        case "memory":
            return
        case "redis" | "valkey" | "milvus" | "hybrid":
            name = "milvus" if kind == "hybrid" else kind
            connection = getattr(getattr(cache, name), "connection", None)
            place, host = f"{name}.connection.host", getattr(connection, "host", None)
        case "qdrant":
            place, host = "qdrant.host", cache.qdrant.host if cache.qdrant else None
    if cache.enabled and not host:
        yield Issue(INVALID, f"{origin}.{place}", f"is needed by backend_type {kind}; add it")


def _put(block: dict[str, Any], place: str, value: str) -> None:
    *steps, last = place.split(".")
    for step in steps:
        block = block.setdefault(step, {})
    block[last] = value


def _gone(cache: ResponseCache, origin: str) -> Iterator[Issue]:
    """What is given and has no place in today's document.

    verbose_errors has a default that the API server fills in: true may be nobody's wish.
    """
    for name, store in (("redis", cache.redis), ("valkey", cache.valkey), ("milvus", cache.milvus)):
        development = store.development if store else None
        if development is not None and not development.verbose_errors:
            yield deprecated(f"{origin}.{name}.development.verbose_errors", _NO_PLACE)
    for key in ("performance", "data_management"):
        if cache.milvus is not None and getattr(cache.milvus, key) is not None:
            yield deprecated(f"{origin}.milvus.{key}", _NO_PLACE)
    if cache.hnsw is not None:
        yield deprecated(f"{origin}.hnsw", _NO_PLACE)
