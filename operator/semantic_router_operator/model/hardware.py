"""Where the router's own classifiers and embedding models run, by hardware profile."""

from collections.abc import Mapping
from typing import Any, Final, Literal

Profile = Literal["cpu", "nvidia", "amd", "arm64"]

_ON_DEVICE: Final[Mapping[str, Any]] = {
    "model_catalog": {
        "embeddings": {"semantic": {"use_cpu": False}},
        "modules": {
            "prompt_guard": {"use_cpu": False},
            "classifier": {"domain": {"use_cpu": False}, "pii": {"use_cpu": False}},
            "hallucination_mitigation": {
                "fact_check": {"use_cpu": False},
                "detector": {"use_cpu": False},
                "explainer": {"use_cpu": False},
            },
            "feedback_detector": {"use_cpu": False},
        },
    }
}


def model_placement(profile: Profile) -> Mapping[str, Any]:
    """The part of the canonical document's `global` that the profile decides; may be empty.

    `use_cpu` of each of the router's own models that has a default (canonical v0.3: all true). A
    profile without a device writes nothing, so that the router's defaults stay in force. What the
    resource itself says of a model wins over this: lay it over. Blocks that exist only when a user
    configures them (modality_detector.classifier, safety, deployments, signals.classifiers) are
    not touched: writing one would switch it on.
    """
    match profile:
        case "cpu" | "arm64":
            return {}
        case "nvidia" | "amd":
            return _ON_DEVICE
