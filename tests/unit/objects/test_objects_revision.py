"""A recorded document comes back as it was, small or large."""

import pytest

import objects_kit as kit
from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, SecretEnv
from semantic_router_operator.model.manifests import Revision
from semantic_router_operator.objects import revision

PODS = {"spec": {"containers": [{"image": "router:v1"}]}}


def config(text: str) -> CanonicalConfig:
    return CanonicalConfig(
        text=text,
        digest=names.digest(text.encode()),
        restart_digest="sha256:0",
        env=(SecretEnv("KEY", "keys", "token"),),
        tools="[]",
    )


@pytest.mark.parametrize("size", [10, revision.PLAIN_LIMIT + 1])
def test_a_recorded_document_reads_back_as_it_was(size: int) -> None:
    wanted = config("é" * size)
    made = revision.build(kit.router({}), wanted, PODS, number=7)
    assert revision.read_revision(made.body) == Revision(7, wanted, PODS)


def test_a_large_document_is_recorded_in_few_bytes() -> None:
    made = revision.build(kit.router({}), config("a: b\n" * 100_000), PODS, number=1)
    assert sum(len(text) for text in made.body["data"].values()) < 10_000


@pytest.mark.parametrize("data", [None, {}, {"config.yaml.gz": "not base64!"}, {"config.yaml": 1}])
def test_what_is_no_document_of_ours_reads_as_none(data: object) -> None:
    made = revision.build(kit.router({}), config("a: b\n"), PODS, number=1)
    assert revision.read_revision({**made.body, "data": data}) is None


def test_another_environment_is_another_revision() -> None:
    one = config("a: b\n")
    other = CanonicalConfig(one.text, one.digest, one.restart_digest, tools=one.tools)
    assert revision.revision_digest(one, PODS) != revision.revision_digest(other, PODS)


def test_other_pods_are_another_revision() -> None:
    one = config("a: b\n")
    assert revision.revision_digest(one, PODS) != revision.revision_digest(one, {"spec": {}})


def test_a_revision_of_a_version_that_kept_no_pods_has_the_document() -> None:
    made = revision.build(kit.router({}), config("a: b\n"), PODS, number=1)
    data = {key: text for key, text in made.body["data"].items() if key != "template.json"}
    found = revision.read_revision({**made.body, "data": data})
    assert found is not None
    assert (found.config, found.template) == (config("a: b\n"), None)
