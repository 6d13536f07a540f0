"""Resources and the hardware overlay (field cases OP-03, GPU-01, GPU-02)."""

from collections.abc import Iterator
from typing import Any

import pytest

import objects_kit as kit

NVIDIA_TAINT = {"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"}
GPU = "nvidia.com/gpu"


def resources(spec: dict[str, Any]) -> Any:
    return kit.container(spec).get("resources")


def with_limits(**limits: Any) -> dict[str, Any]:
    return {"resources": {"limits": limits}}


def differences(left: Any, right: Any, path: str = "") -> Iterator[str]:
    """Paths at which two JSON values differ."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            yield from differences(left.get(key), right.get(key), f"{path}.{key}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, pair in enumerate(zip(left, right, strict=True)):
            yield from differences(*pair, f"{path}[{index}]")
    elif left != right:
        yield path


@pytest.mark.parametrize("mode", [{}, kit.EXTPROC])
@pytest.mark.parametrize(
    ("profile", "moved"),
    [
        ("nvidia", {".containers[0].image", ".containers[0].resources", ".tolerations"}),
        ("amd", {".containers[0].image", ".containers[0].resources", ".tolerations"}),
        ("arm64", {".nodeSelector", ".tolerations"}),  # vllm-sr is for both architectures
    ],
)
def test_a_profile_moves_image_device_and_node_selection_and_nothing_else(
    mode: dict[str, Any], profile: str, moved: set[str]
) -> None:
    scaled = {**mode, "autoscaling": {"enabled": True}, "openshift": {"routes": {"enabled": True}}}
    plain = kit.built(scaled, platform=kit.OPENSHIFT)
    other = kit.built({**scaled, "hardware": {"profile": profile}}, platform=kit.OPENSHIFT)
    paths = {
        f"{left.kind.kind}{path}"
        for left, right in zip(plain.manifests, other.manifests, strict=True)
        for path in differences(left.body, right.body)
    }
    digest = "Deployment.metadata.annotations.vllm.ai/template-digest"
    assert paths == {f"Deployment.spec.template.spec{path}" for path in moved} | {digest}
    assert plain.issues == other.issues


@pytest.mark.parametrize(
    ("profile", "image", "limits"),
    [
        ("cpu", "vllm-sr", None),
        ("nvidia", "vllm-sr-cuda", {"limits": {"nvidia.com/gpu": "2"}}),
        ("amd", "vllm-sr-rocm", {"limits": {"amd.com/gpu": "2"}}),
        ("arm64", "vllm-sr", None),
    ],
)
def test_each_profile_has_its_image_and_device(profile: str, image: str, limits: Any) -> None:
    spec = {"hardware": {"profile": profile, "gpus": 2}}
    expected = f"ghcr.io/vllm-project/semantic-router/{image}:latest"
    assert kit.container(spec)["image"] == expected
    assert resources(spec) == limits


@pytest.mark.parametrize("limits", [{GPU: 4}, {"nvidia.com/mig-1g.5gb": 1}])
def test_gpu_01_a_device_that_the_resource_names_stands_alone(limits: dict[str, int]) -> None:
    spec = {"hardware": {"profile": "nvidia"}, "resources": {"limits": limits}}
    assert resources(spec) == {"limits": {name: str(n) for name, n in limits.items()}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({GPU: 1}, {GPU: "1"}),
        ({"amd.com/gpu": "2"}, {"amd.com/gpu": "2"}),
        ({"nvidia.com/mig-1g.5gb": 1}, {"nvidia.com/mig-1g.5gb": "1"}),
        ({"hugepages-2Mi": "64Mi"}, {"hugepages-2Mi": "64Mi"}),
    ],
)
def test_gpu_01_accelerators_pass_through_under_their_own_names(
    given: dict[str, Any], expected: dict[str, str]
) -> None:
    assert resources(with_limits(**given)) == {"limits": expected}


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (
            {"limits": {GPU: 0.5}},
            'spec.resources.limits["nvidia.com/gpu"]: a device is whole; write a whole number',
        ),
        (
            {"limits": {GPU: 2}, "requests": {GPU: 1}},
            (
                'spec.resources.requests["nvidia.com/gpu"]: must be equal to '
                'spec.resources.limits["nvidia.com/gpu"]; write it there only'
            ),
        ),
        (
            {"requests": {GPU: 1}},
            (
                'spec.resources.requests["nvidia.com/gpu"]: must be equal to '
                'spec.resources.limits["nvidia.com/gpu"]; write it there only'
            ),
        ),
        (
            {"limits": {"cpu": "500m"}, "requests": {"cpu": 1}},
            "spec.resources.requests.cpu: is above spec.resources.limits.cpu; lower it",
        ),
        (
            {"limits": {"memory": "10GB x"}},
            "spec.resources.limits.memory: is not a quantity such as 500m, 2 or 1.5Gi",
        ),
        (
            {"requests": {"memory": "1e3Mi"}},
            "spec.resources.requests.memory: is not a quantity such as 500m, 2 or 1.5Gi",
        ),
        ({"requests": {"cpu": "-1"}}, "spec.resources.requests.cpu: must not be negative"),
        (
            {"requests": {"cpu": True}},
            "spec.resources.requests.cpu: is not a quantity such as 500m, 2 or 1.5Gi",
        ),
        ({"limits": ["cpu"]}, "spec.resources.limits: must map resource names to amounts"),
    ],
)
def test_op_03_gpu_01_impossible_amounts_are_errors_and_never_a_crash(
    given: dict[str, Any], error: str
) -> None:
    result = kit.built({"resources": given, "autoscaling": {"enabled": True}})
    assert kit.errors(result) == [error]
    assert kit.found(result, "Deployment") is None


def test_op_03_amounts_keep_their_spelling_and_numbers_become_text() -> None:
    spec = {
        "limits": {"memory": "2.85Gi", "cpu": 2, "ephemeral-storage": "1e3"},
        "requests": {"cpu": 0.5, "memory": "1024Mi"},
    }
    assert resources({"resources": spec}) == {
        "limits": {"cpu": "2", "ephemeral-storage": "1e3", "memory": "2.85Gi"},
        "requests": {"cpu": "0.5", "memory": "1024Mi"},
    }


def test_equal_amounts_in_two_spellings_are_equal() -> None:
    given = {"limits": {GPU: "1", "hugepages-2Mi": "1Gi"}}
    same = {**given, "requests": {GPU: "1000m", "hugepages-2Mi": "1024Mi"}}
    assert kit.built({"resources": same}).issues == ()


def test_gpu_02_tolerations_of_the_user_keep_their_order_and_equal_ones_are_one() -> None:
    given = [
        {"key": "b", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
        {"key": "a", "value": "true", "effect": "NoSchedule"},
        {"key": "b", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
    ]
    spec = {"hardware": {"profile": "nvidia"}, "tolerations": given}
    assert kit.pod(spec)["spec"]["tolerations"] == [*given[:2], NVIDIA_TAINT]


@pytest.mark.parametrize(
    "covering",
    [
        {"operator": "Exists"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "nvidia.com/gpu", "operator": "Exists"},
    ],
)
def test_gpu_02_a_toleration_that_covers_ours_is_enough(covering: dict[str, str]) -> None:
    spec = {"hardware": {"profile": "nvidia"}, "tolerations": [covering]}
    assert kit.pod(spec)["spec"]["tolerations"] == [covering]


def test_gpu_02_a_toleration_of_another_effect_does_not_cover_ours() -> None:
    other = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"}
    spec = {"hardware": {"profile": "nvidia"}, "tolerations": [other]}
    assert kit.pod(spec)["spec"]["tolerations"] == [other, NVIDIA_TAINT]


def test_gpu_02_node_selector_values_stay_text_and_the_user_s_value_wins() -> None:
    selector = {"gpu": "true", "n": "1", "kubernetes.io/arch": "arm"}
    spec = {"hardware": {"profile": "arm64"}, "nodeSelector": selector}
    assert kit.pod(spec)["spec"]["nodeSelector"] == selector


def test_gpu_02_the_same_resource_gives_the_same_template_after_a_restart() -> None:
    spec = {"hardware": {"profile": "amd"}, "tolerations": [{"operator": "Exists"}]}
    assert kit.pod(spec) == kit.pod(spec)
