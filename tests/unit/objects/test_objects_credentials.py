"""Variables of the pod that a document refers to, and what the ConfigMap remembers of them."""

import dataclasses

import objects_kit as kit
from semantic_router_operator.model.canonical import SecretEnv
from semantic_router_operator.objects.config_map import annotations_of, read_config
from semantic_router_operator.objects.env import env

NEEDED = SecretEnv("VSR_KEY_A", "redis", "password")
OPTIONAL = SecretEnv("VSR_KEY_B", "redis", "password", optional=True)


def test_a_secret_that_may_be_missing_is_optional_in_the_pod() -> None:
    needed, optional = env(kit.router({}), (NEEDED, OPTIONAL))
    assert needed["valueFrom"] == {"secretKeyRef": {"key": "password", "name": "redis"}}
    assert optional["valueFrom"] == {
        "secretKeyRef": {"key": "password", "name": "redis", "optional": True}
    }


def test_the_config_map_gives_the_variables_back_as_they_were() -> None:
    config = dataclasses.replace(kit.CONFIG, env=(NEEDED, OPTIONAL))
    notes = annotations_of(config)
    data = {"config.yaml": config.text, "tools_db.json": config.tools}
    read = read_config(notes, data)
    assert read is not None
    assert read.env == (NEEDED, OPTIONAL)
