"""spec.config.response_cache in the document; its passwords never are (field case OP-18)."""

from typing import Any

import pytest

from candidates import Json, as_the_router_reads, candidate, config, errors, held, router
from semantic_router_operator.model.canonical import Candidate, EnvReference
from semantic_router_operator.validation import validate

REF = {"name": "redis", "key": "pw"}
PASSWORDS = [
    ("redis", ("connection",), "VSR_KEY_RESPONSE_CACHE_REDIS_PASSWORD_"),
    ("valkey", ("connection",), "VSR_KEY_RESPONSE_CACHE_VALKEY_PASSWORD_"),
    ("milvus", ("connection", "auth"), "VSR_KEY_RESPONSE_CACHE_MILVUS_PASSWORD_"),
]
PLACE = "spec.config.response_cache"


def nested(steps: tuple[str, ...], value: Json) -> Json:
    for step in reversed(steps):
        value = {step: value}
    return value


def spec(cache: Json, **more: Any) -> Json:
    return {"config": {"response_cache": cache}, **more}


def cache_of(result: Candidate) -> Json:
    block: Json = result.document["global"]["stores"]["response_cache"]
    return block


def warned(result: Candidate) -> list[str]:
    return [str(issue) for issue in result.notes]


def test_a_cache_that_is_not_given_is_not_written() -> None:
    assert "global" not in candidate({"config": {}}).document


def test_the_smallest_cache_says_what_kubectl_shows() -> None:
    assert cache_of(candidate(spec({}))) == {
        "enabled": True,
        "backend_type": "memory",
        "similarity_threshold": 0.8,
        "max_entries": 1000,
        "ttl_seconds": 3600,
        "eviction_policy": "fifo",
        "embedding_model": "mmbert",
    }


def test_sr_12_the_older_spelling_is_the_same_block_and_a_warning() -> None:
    block = {"redis": {"connection": {"password_secret_ref": REF}}}
    old = candidate({"config": {"semantic_cache": block}})
    new = candidate(spec(block))
    assert old.document == new.document
    assert old.env == new.env
    assert warned(old) == [
        "spec.config.semantic_cache: write response_cache instead; it is the same block"
    ]
    assert old.origin("global.stores.response_cache.redis.connection.port") == (
        "spec.config.semantic_cache.redis.connection.port"
    )


def test_sr_11_both_spellings_are_an_error() -> None:
    both: Json = {"config": {"response_cache": {}, "semantic_cache": {}}}
    issues = validate(router(both), candidate(both))
    assert [issue.path for issue in issues if issue.severity == "error"] == [
        "spec.config.semantic_cache"
    ]


@pytest.mark.parametrize(("store", "steps", "variable"), PASSWORDS)
def test_op_18_a_password_from_a_secret_is_a_variable(
    store: str, steps: tuple[str, ...], variable: str
) -> None:
    given = spec({store: nested(steps, {"password_secret_ref": REF})})
    result = candidate(given)
    (env,) = result.env
    assert (env.secret, env.key, env.optional) == ("redis", "pw", False)
    assert env.name.startswith(variable)
    at: Any = cache_of(result)[store]
    for step in steps:
        at = at[step]
    assert at["password"] == f"${{{env.name}}}"
    assert isinstance(at["password"], EnvReference)
    assert "password_secret_ref" not in at
    assert f'password: "${{{env.name}}}"' in config(given).text


def test_op_18_a_secret_that_may_be_missing_may_be_missing_in_the_pod() -> None:
    given = spec({"redis": {"connection": {"password_secret_ref": {**REF, "optional": True}}}})
    (env,) = candidate(given).env
    assert env.optional


@pytest.mark.parametrize(("store", "steps", "variable"), PASSWORDS)
def test_op_18_a_password_and_a_secret_exclude_each_other(
    store: str, steps: tuple[str, ...], variable: str
) -> None:
    both = {"password": "hunter2", "password_secret_ref": REF}
    found = errors(held(spec({store: nested(steps, both)})))
    path = ".".join((PLACE, store, *steps))
    assert found == [
        f"{path}.password: excludes {path}.password_secret_ref; keep that and remove this"
    ]


@pytest.mark.parametrize(("store", "steps", "variable"), PASSWORDS)
def test_op_18_a_password_in_clear_text_is_refused_and_not_repeated(
    store: str, steps: tuple[str, ...], variable: str
) -> None:
    result = held(spec({store: nested(steps, {"password": "hunter2"})}))
    path = ".".join((PLACE, store, *steps))
    assert errors(result) == [
        (
            f"{path}.password: is a secret in clear text, which would lie in a ConfigMap; put it "
            "into a Secret and name that in password_secret_ref"
        )
    ]
    assert "hunter2" not in repr(result)


def test_op_18_an_api_key_in_clear_text_is_refused_and_not_repeated() -> None:
    result = held(spec({"qdrant": {"api_key": "hunter2"}}))
    (error,) = errors(result)
    assert error == (
        f"{PLACE}.qdrant.api_key: is a secret in clear text, which would lie in a ConfigMap; put "
        "it into a Secret, take that into spec.env with secretKeyRef and write ${NAME} of the "
        "variable here"
    )
    assert "hunter2" not in repr(result)


@pytest.mark.parametrize(
    "source",
    [
        {"env": [{"name": "QDRANT_KEY", "valueFrom": {"secretKeyRef": REF}}]},
        {"envFrom": [{"secretRef": {"name": "keys"}}]},
    ],
)
@pytest.mark.parametrize(
    ("block", "steps"),
    [
        ({"qdrant": {"api_key": "${QDRANT_KEY}"}}, ("qdrant", "api_key")),
        (
            {"redis": {"connection": {"password": "${QDRANT_KEY}"}}},
            ("redis", "connection", "password"),
        ),
    ],
)
def test_a_reference_to_a_variable_of_the_user_is_left_to_the_router(
    source: Json, block: Json, steps: tuple[str, ...]
) -> None:
    given = spec(block, **source)
    result = candidate(given)
    at: Any = cache_of(result)
    for step in steps:
        at = at[step]
    assert isinstance(at, EnvReference)
    assert result.env == ()
    assert '"${QDRANT_KEY}"' in config(given).text


def test_a_reference_to_a_variable_that_is_not_there_is_refused() -> None:
    env = [{"name": "OTHER", "value": "x"}]
    assert errors(held(spec({"qdrant": {"api_key": "${KEY}"}}, env=env))) == [
        f"{PLACE}.qdrant.api_key: names the variable KEY, which spec.env doesn't have; add it"
    ]


@pytest.mark.parametrize("text", ["$KEY", "x${KEY}", "${KEY:-d}", "${KEY}\n", "${1KEY}"])
def test_only_a_whole_reference_is_one(text: str) -> None:
    env = [{"name": "KEY", "value": "x"}]
    (error,) = errors(held(spec({"qdrant": {"api_key": text}}, env=env)))
    assert "is a secret in clear text" in error


def test_an_empty_password_is_none() -> None:
    result = candidate(spec({"redis": {"connection": {"password": "", "host": "redis"}}}))
    assert "password" not in cache_of(result)["redis"]["connection"]
    both = {"password": "", "password_secret_ref": REF}
    assert len(candidate(spec({"redis": {"connection": both}})).env) == 1


@pytest.mark.parametrize(
    ("ref", "missing"), [({"key": "k"}, "name"), ({"name": "n", "key": ""}, "key")]
)
def test_a_secret_without_its_name_or_key_is_refused(ref: Json, missing: str) -> None:
    given = spec({"redis": {"connection": {"password_secret_ref": ref}}})
    assert errors(held(given)) == [
        (
            f"{PLACE}.redis.connection.password_secret_ref.{missing}: is empty; write the Secret's "
            "name and key"
        )
    ]


@pytest.mark.parametrize(
    ("kind", "block", "place"),
    [
        ("redis", {}, "redis.connection.host"),
        ("redis", {"redis": {}}, "redis.connection.host"),
        ("redis", {"redis": {"connection": {"host": ""}}}, "redis.connection.host"),
        ("valkey", {"redis": {"connection": {"host": "h"}}}, "valkey.connection.host"),
        ("milvus", {"milvus": {"connection": {}}}, "milvus.connection.host"),
        ("hybrid", {"hnsw": {}}, "milvus.connection.host"),
        ("qdrant", {}, "qdrant.host"),
        ("qdrant", {"qdrant": {}}, "qdrant.host"),
    ],
)
def test_sr_11_a_store_without_a_host_is_refused_unless_the_cache_is_off(
    kind: str, block: Json, place: str
) -> None:
    given = {"backend_type": kind, **block}
    assert errors(held(spec(given))) == [
        f"{PLACE}.{place}: is needed by backend_type {kind}; add it"
    ]
    candidate(spec({**given, "enabled": False}))


def test_a_store_with_a_host_is_enough() -> None:
    candidate(spec({"backend_type": "qdrant", "qdrant": {"host": "h"}}))
    candidate(spec({"backend_type": "valkey", "valkey": {"connection": {"host": "h"}}}))


GONE = "has no effect: today's router doesn't have it; remove it"


@pytest.mark.parametrize(
    ("block", "path"),
    [
        ({"redis": {"development": {"verbose_errors": False}}}, "redis.development.verbose_errors"),
        (
            {"valkey": {"development": {"verbose_errors": False}}},
            "valkey.development.verbose_errors",
        ),
        (
            {"milvus": {"development": {"verbose_errors": False}}},
            "milvus.development.verbose_errors",
        ),
        ({"milvus": {"performance": {"batch": {}}}}, "milvus.performance"),
        ({"milvus": {"data_management": {}}}, "milvus.data_management"),
        ({"hnsw": {"use_hnsw": True}}, "hnsw"),
    ],
)
def test_what_today_s_router_refuses_is_left_out_with_a_warning(block: Json, path: str) -> None:
    result = candidate(spec(block))
    assert warned(result) == [f"{PLACE}.{path}: {GONE}"]
    at: Any = cache_of(result)
    for step in path.split("."):
        at = at.get(step, {})
    assert at == {}


def test_a_default_that_the_api_server_fills_in_is_left_out_without_a_word() -> None:
    development = {"verbose_errors": True, "auto_create_index": True}
    result = candidate(spec({"redis": {"development": development}}))
    assert warned(result) == []
    assert cache_of(result)["redis"]["development"] == {
        "drop_index_on_startup": False,
        "auto_create_index": True,
    }


FULL: Json = {
    "backend_type": "hybrid",
    "similarity_threshold": "0.92",
    "max_entries": 5,
    "ttl_seconds": 6,
    "eviction_policy": "lru",
    "embedding_model": "bert",
    "redis": {
        "connection": {
            "host": "redis.cache.svc",
            "database": 2,
            "timeout": 0,
            "tls": {"enabled": True, "ca_file": "/ca", "cert_file": "/cert", "key_file": "/key"},
            "password_secret_ref": REF,
        },
        "index": {
            "name": "i",
            "vector_field": {"dimension": 768},
            "params": {"M": 8, "efConstruction": 9},
        },
        "search": {"topk": 3},
    },
    "milvus": {
        "connection": {"host": "milvus", "auth": {"enabled": True, "username": "root"}},
        "collection": {"index": {"params": {"M": 32}}, "vector_field": {"metric_type": "L2"}},
        "search": {"params": {"ef": 100}},
    },
    "qdrant": {"host": "qdrant", "use_tls": True},
}


def test_a_whole_cache_is_the_same_in_the_document() -> None:
    block = as_the_router_reads(config(spec(FULL)).text)["global"]["stores"]["response_cache"]
    assert block["similarity_threshold"] == 0.92
    assert block["embedding_model"] == "bert"
    redis = block["redis"]
    assert redis["connection"] == {
        "host": "redis.cache.svc",
        "port": 6379,
        "database": 2,
        "timeout": 0,
        "tls": {"enabled": True, "ca_file": "/ca", "cert_file": "/cert", "key_file": "/key"},
        "password": "",
    }
    assert redis["index"] == {
        "name": "i",
        "prefix": "doc:",
        "index_type": "HNSW",
        "vector_field": {"name": "embedding", "dimension": 768, "metric_type": "COSINE"},
        "params": {"M": 8, "efConstruction": 9},
    }
    milvus = block["milvus"]
    assert milvus["collection"]["index"] == {
        "type": "HNSW",
        "params": {"M": 32, "efConstruction": 64},
    }
    assert milvus["search"] == {
        "params": {"ef": 100},
        "topk": 10,
        "consistency_level": "Session",
    }
    assert block["qdrant"] == {
        "host": "qdrant",
        "port": 6334,
        "use_tls": True,
        "collection_name": "semantic_cache",
        "connect_timeout": 10,
    }


def test_a_whole_cache_passes_the_rules_of_the_router() -> None:
    given = spec(FULL)
    assert validate(router(given), candidate(given)) == ()
