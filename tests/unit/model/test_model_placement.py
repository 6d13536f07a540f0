"""Model placement by hardware profile."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from semantic_router_operator.model.hardware import Profile, model_placement

DEFAULTS_ON_CPU = {
    "model_catalog.embeddings.semantic.use_cpu",
    "model_catalog.modules.prompt_guard.use_cpu",
    "model_catalog.modules.classifier.domain.use_cpu",
    "model_catalog.modules.classifier.pii.use_cpu",
    "model_catalog.modules.hallucination_mitigation.fact_check.use_cpu",
    "model_catalog.modules.hallucination_mitigation.detector.use_cpu",
    "model_catalog.modules.hallucination_mitigation.explainer.use_cpu",
    "model_catalog.modules.feedback_detector.use_cpu",
}
"""The keys of canonical v0.3 under `global` that the router's defaults set to true."""


def leaves(tree: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


@pytest.mark.parametrize("profile", ["nvidia", "amd"])
def test_a_device_takes_exactly_the_models_that_the_router_puts_on_the_cpu(
    profile: Profile,
) -> None:
    assert dict(leaves(model_placement(profile))) == dict.fromkeys(DEFAULTS_ON_CPU, False)


@pytest.mark.parametrize("profile", ["cpu", "arm64"])
def test_without_a_device_the_router_s_defaults_stand(profile: Profile) -> None:
    assert model_placement(profile) == {}
