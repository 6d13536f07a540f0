"""Which router image runs."""

import re
from dataclasses import dataclass
from typing import Final

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.hardware import Profile
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.model.workload import Image

_DEFAULT: Final = Image()
_PROJECT: Final = "ghcr.io/vllm-project/semantic-router"
_PATH: Final = r"[a-z0-9]+((\.|__?|-+)[a-z0-9]+)*"
_REFERENCE: Final = re.compile(
    r"([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d+)?/)?"
    rf"{_PATH}(/{_PATH})*"
    r"(:\w[\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*:[0-9a-f]{32,})?",
    re.ASCII,
)
"""`[host[:port]/]path[:tag][@digest]`, the grammar of the distribution project: a kubelet calls
anything else InvalidImageName."""


@dataclass(frozen=True, slots=True)
class Images:
    """The administrator's image of each profile, with tag or digest; empty means built in."""

    cpu: str = ""
    nvidia: str = ""
    amd: str = ""
    arm64: str = ""

    def of(self, profile: Profile) -> str:
        """The image of the profile, or empty."""
        match profile:
            case "cpu":
                return self.cpu
            case "nvidia":
                return self.nvidia
            case "amd":
                return self.amd
            case "arm64":
                return self.arm64


def built_in(profile: Profile) -> str:
    """Repository of the profile's image.

    The images that the vllm-sr CLI of the router's project picks (src/vllm-sr/cli/consts.py) and
    its chart is tested with (deploy/helm/check-gateway-mode): vllm-sr, for linux/amd64 and
    linux/arm64, runs on the CPU; vllm-sr-cuda and vllm-sr-rocm are for linux/amd64 only. The CRD's
    default, extproc, is of the generation that exits on `-gateway` (contract: container entry), so
    that it stands for "the profile's image" and is never run itself.
    """
    match profile:
        case "cpu" | "arm64":
            return f"{_PROJECT}/vllm-sr"
        case "nvidia":
            return f"{_PROJECT}/vllm-sr-cuda"
        case "amd":
            return f"{_PROJECT}/vllm-sr-rocm"


def image(router: SemanticRouter, images: Images) -> str:
    """`registry/repository:tag`, or `...@sha256:...` for a tag that is a digest.

    What the resource says wins. A repository that it leaves at the CRD's default is the profile's;
    with tag and registry at their defaults too, it is the administrator's image if there is one.
    """
    spec, profile = router.spec.image, router.spec.hardware.profile
    repository, tag = spec.repository or _DEFAULT.repository, spec.tag or _DEFAULT.tag
    if repository == _DEFAULT.repository:
        untouched = tag == _DEFAULT.tag and not spec.image_registry
        if untouched and images.of(profile):
            return images.of(profile)
        repository = built_in(profile)
    prefix = f"{spec.image_registry.rstrip('/')}/" if spec.image_registry else ""
    return f"{prefix}{repository}{'@' if tag.startswith('sha256:') else ':'}{tag}"


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """An image that no runtime could pull."""
    if _REFERENCE.fullmatch(image(router, Images())):
        return ()
    message = "imageRegistry, repository and tag don't make an image reference; check their letters"
    return (Issue("InvalidSpec", "spec.image", message),)
