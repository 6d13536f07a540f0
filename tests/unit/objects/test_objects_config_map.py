"""The live ConfigMap and its inverse."""

import json

import pytest

import objects_kit as kit
from semantic_router_operator.model.canonical import SecretEnv
from semantic_router_operator.objects import read_config

KEY = SecretEnv(name="VSR_KEY_A", secret="openai", key="api-key")  # noqa: S106  a name, no secret


def test_what_was_written_is_read_back_whole() -> None:
    config = kit.document("a: é\n", restart="sha256:x", env=(KEY,), tools='[{"a": 1}]')
    live = kit.body(kit.built(config=config), "ConfigMap")
    assert read_config(live["metadata"]["annotations"], live["data"]) == config


def test_the_list_of_credentials_names_secrets_and_never_values() -> None:
    live = kit.body(kit.built(config=kit.document(env=(KEY,))), "ConfigMap")
    listed = json.loads(live["metadata"]["annotations"]["vllm.ai/config-env"])
    assert listed == [{"key": "api-key", "name": "VSR_KEY_A", "secret": "openai"}]


def test_a_document_that_somebody_edited_is_not_taken_for_ours() -> None:
    live = kit.body(kit.built(), "ConfigMap")
    assert read_config(live["metadata"]["annotations"], {"config.yaml": "version: v9\n"}) is None


def test_a_config_map_of_the_go_operator_is_not_taken_for_ours() -> None:
    assert read_config({}, {"config.yaml": "version: v0.3\n", "tools_db.json": "[]"}) is None


@pytest.mark.parametrize("text", ["", "{", "5", "[1]", '[{"name": "A"}]', '"ab"'])
def test_a_broken_list_of_credentials_is_no_document(text: str) -> None:
    live = kit.body(kit.built(), "ConfigMap")
    annotations = {**live["metadata"]["annotations"], "vllm.ai/config-env": text}
    assert read_config(annotations, live["data"]) is None


def test_op_14_size_counts_in_bytes_and_exactly_the_limit_still_fits() -> None:
    room = 1_048_576 - len("[]")
    assert kit.built(config=kit.document("x" * room)).issues == ()
    result = kit.built(config=kit.document("é" * (room // 2 + 1)))
    assert [issue.code for issue in result.issues] == ["ConfigTooLarge"]
    assert "1048577" not in str(result.issues[0])
    assert "1048576" in str(result.issues[0])


def test_op_14_a_document_too_large_leaves_config_map_and_deployment_as_they_are() -> None:
    result = kit.built(config=kit.document("x" * 1_048_577))
    assert {item.kind.kind for item in result.manifests} == {"ServiceAccount", "Service"}
    assert {key.kind.kind for key in result.withheld} == {"ConfigMap", "Deployment"}


def test_op_14_a_list_of_credentials_too_long_for_an_annotation_is_told_too() -> None:
    env = tuple(SecretEnv(f"VSR_KEY_{i}", "s" * 60, "k" * 60) for i in range(2000))
    result = kit.built(config=kit.document(env=env))
    assert [issue.code for issue in result.issues] == ["ConfigTooLarge"]
