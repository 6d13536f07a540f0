"""Laws over all of spec.config: every field has its place, every text reads back the same."""

import random
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from candidates import Json, as_the_router_reads, router
from semantic_router_operator.crd import router_schema
from semantic_router_operator.model.canonical import Candidate, EnvReference
from semantic_router_operator.model.resolution import Discovery
from semantic_router_operator.translate import render, translate
from structural_values import values

CONFIG: Final = router_schema()["properties"]["spec"]["properties"]["config"]
BLOCKS: Final = CONFIG["properties"]
NO_PLACE: Final = {
    "decisions[].preferred_endpoints[]": "the router has no such setting",
    "prompt_guard.protocol": "backend instead",
    "classifier.pii_model.use_modernbert": "use_mmbert_32k instead",
    "response_cache.hnsw": "the router has no such setting",
    "response_cache.redis.development.verbose_errors": "the router has no such setting",
    "response_cache.valkey.development.verbose_errors": "the router has no such setting",
    "response_cache.milvus.development.verbose_errors": "the router has no such setting",
    "response_cache.milvus.performance": "the router has no such setting",
    "response_cache.milvus.data_management": "the router has no such setting",
}
"""Fields that today's document has no place for; each is a warning."""
VARIABLES: Final = {
    "response_cache.redis.connection.password",
    "response_cache.valkey.connection.password",
    "response_cache.milvus.connection.auth.password",
}
"""Where the document names the variable of a Secret."""
MADE_UP: Final = {
    "routing.modelCards",
    "prompt_guard.variant",
    "classifier.category_model.use_mmbert_32k",
}
"""What is written though the CR doesn't say it: today's router needs it beside what it says."""
ELSEWHERE: Final = ("routing", "semantic_cache", "default_reasoning_effort", "reasoning_families")
"""Tested on their own: other spellings, and what is passed on whole."""


def translated(config: Json, **more: Any) -> Candidate:
    """The candidate, or what a held one got to."""
    read = router({"config": config, **more})
    result = translate(read, Discovery(()), previous_default=None)
    if isinstance(result, Candidate):
        return result
    assert result.draft is not None
    return result.draft


def filled(schema: Json, path: str) -> Any:
    """A value that says every field below it; a text is its own path where it may be any."""
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        return {name: filled(x, f"{path}.{name}") for name, x in schema["properties"].items()}
    return {
        "object": {"key": {"deep": path}},
        "array": [filled(schema["items"], f"{path}[]")] if "items" in schema else [],
        "string": _text(schema.get("pattern", ""), path),
        "integer": max(schema.get("minimum", 0), 3),
        "boolean": not schema.get("default", False),
    }[schema["type"]]


def _text(pattern: str, path: str) -> str:
    """A duration, a number or any text."""
    if "ns|us" in pattern:
        return "1s"
    return "0.25" if pattern or path.endswith("duration_buckets[]") else path


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    match value:
        case dict() if value:
            for key, member in value.items():
                yield from leaves(member, f"{path}.{key}" if path else key)
        case list() if value:
            for index, member in enumerate(value):
                yield from leaves(member, f"{path}[{index}]")
        case _:
            yield path, value


def whole_config() -> Json:
    config: Json = {
        name: filled(schema, name) for name, schema in BLOCKS.items() if name not in ELSEWHERE
    }
    for store in ("redis", "valkey"):
        del config["response_cache"][store]["connection"]["password"]
    del config["response_cache"]["milvus"]["connection"]["auth"]["password"]
    config["response_cache"]["qdrant"]["api_key"] = "${KEY}"
    return config


def expected() -> set[str]:
    """Every leaf of the whole config that must be somewhere in the document."""
    refs = tuple(f"{path}_secret_ref" for path in VARIABLES)
    wanted = {path.replace("[0]", "[]") for path, _ in leaves(whole_config())}
    gone = tuple(NO_PLACE)
    return {path for path in wanted if not path.startswith((*gone, *refs))} | VARIABLES


def test_every_field_of_the_crd_has_its_place_in_the_document() -> None:
    config = whole_config()
    result = translated(config, env=[{"name": "KEY", "value": "x"}])
    reached: dict[str, Any] = {}
    for path, value in leaves(result.document):
        origin = result.origin(path)
        if origin.startswith("spec.config."):
            reached[origin.removeprefix("spec.config.").replace("[0]", "[]")] = value
    assert set(reached) - MADE_UP == expected() - MADE_UP
    given_leaves = {path.replace("[0]", "[]"): value for path, value in leaves(config)}
    for path in expected() - VARIABLES - MADE_UP:
        given_value = given_leaves[path]
        assert reached[path] == (0.25 if given_value == "0.25" else given_value), path


def test_every_field_without_a_place_is_a_warning() -> None:
    config = whole_config()
    for store in ("redis", "valkey", "milvus"):
        config["response_cache"][store]["development"]["verbose_errors"] = False
    warned = {
        issue.path.removeprefix("spec.config.").replace("[0]", "[]")
        for issue in translated(config).notes
        if issue.code == "Deprecated"
    }
    assert warned == {path.removesuffix("[]") for path in NO_PLACE}


def test_every_number_in_text_is_a_number_in_the_document() -> None:
    document = translated(whole_config()).document
    assert "0.25" not in [value for _, value in leaves(document)]


TEXT: Final = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1
)
LAW: Final = settings(
    max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@pytest.mark.parametrize("name", sorted(set(BLOCKS) - {"semantic_cache"}))
@LAW
@given(data=st.data())
def test_render_after_parse_never_raises_and_reads_back_the_same(
    name: str, data: st.DataObject
) -> None:
    config = {name: data.draw(values(BLOCKS[name]))}
    result = translated(config)
    assert as_the_router_reads(render(result).text) == expanded(result.document)


def expanded(value: Any) -> Any:
    """The document with every variable empty, as it is where none is set."""
    match value:
        case EnvReference():
            return ""
        case Mapping():
            return {key: expanded(member) for key, member in value.items()}
        case list():
            return [expanded(member) for member in value]
        case _:
            return value


@LAW
@given(text=TEXT)
def test_op_19_every_text_of_every_block_reads_back_the_same(text: str) -> None:
    config = _with(whole_config(), text)
    document = as_the_router_reads(render(translated(config)).text)
    count = [value for _, value in leaves(document)].count(text)
    plain = [path for path, value in leaves(config) if value == text]
    gone = [path.replace("[]", "[0]") for path in NO_PLACE]
    gone += [f"{path}_secret_ref" for path in VARIABLES]
    assert count >= len([path for path in plain if not path.startswith(tuple(gone))])


def _with(value: Any, text: str) -> Any:
    """The config with `text` wherever a text may be any."""
    match value:
        case dict():
            return {key: _with(member, text) for key, member in value.items()}
        case list():
            return [_with(member, text) for member in value]
        case str() if "." in value and value.split(".")[0] in BLOCKS and "secret_ref" not in value:
            return text
        case _:
            return value


@LAW
@given(chance=st.randoms(use_true_random=False))
def test_op_09_any_order_of_keys_gives_the_same_bytes(chance: random.Random) -> None:
    config = whole_config()
    assert render(translated(_turned(config, chance))) == render(translated(config))


def _turned(value: Any, chance: random.Random) -> Any:
    match value:
        case dict():
            keys = list(value)
            chance.shuffle(keys)
            return {key: _turned(value[key], chance) for key in keys}
        case list():
            return [_turned(member, chance) for member in value]
        case _:
            return value
