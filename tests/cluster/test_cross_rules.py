"""The rules on several fields as CEL on a real API server: it agrees with the operator.

The CRD is accepted at all, so the rules are within the budget of their cost.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controlplane.errors import KubectlError
from cross_rule_examples import EXAMPLES, GOOD, Example

ROOT = Path(__file__).parents[2]
ONLY_THE_OPERATOR = {"ReasoningFamilies", "SecretWithoutName"}
"""Rules that the API server doesn't know: too dear for it, or the Go operator accepts what breaks
them."""

Kubectl = Callable[..., str]


@pytest.fixture(scope="module", autouse=True)
def _installed(kubectl: Kubectl) -> None:
    kubectl("apply", "--server-side", "-f", str(ROOT / "crds"))
    crd = "crd/semanticrouters.vllm.ai"
    named = "--for=jsonpath={.status.acceptedNames.kind}=SemanticRouter"
    for what in (named, "--for=condition=Established"):
        kubectl("wait", what, "--timeout=30s", crd)


def create(kubectl: Kubectl, spec: dict[str, Any]) -> None:
    body = {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": "r", "namespace": "default"},
        "spec": spec,
    }
    kubectl("create", "--validate=strict", "--dry-run=server", "-f", "-", input=json.dumps(body))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda x: x.code)
def test_what_breaks_a_rule_is_refused_with_its_path(kubectl: Kubectl, example: Example) -> None:
    if example.code in ONLY_THE_OPERATOR:
        create(kubectl, example.bad)
        return
    with pytest.raises(KubectlError) as caught:
        create(kubectl, example.bad)
    said = str(caught.value)
    assert f"{example.path}: Invalid value" in said
    assert said.count("Invalid value") == 1


@pytest.mark.parametrize(("_code", "spec"), GOOD)
def test_what_keeps_the_rules_is_accepted(
    kubectl: Kubectl, _code: str, spec: dict[str, Any]
) -> None:
    create(kubectl, spec)
