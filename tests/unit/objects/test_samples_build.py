"""Every sample parses and builds."""

from pathlib import Path

import pytest
import yaml

import objects_kit as kit
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import Images, build

SAMPLES = sorted((Path(__file__).parents[3] / "samples").glob("*.yaml"))
BACKENDS = {
    "service",
    "serviceSelector",
    "endpointslice",
    "kserve",
    "llamastack",
    "endpoint",
    "url",
    "provider",
}


def router_of(path: Path) -> SemanticRouter:
    """The SemanticRouter of the file, whatever stands beside it."""
    documents = yaml.safe_load_all(path.read_text())
    return parse(next(item for item in documents if item["kind"] == "SemanticRouter"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_parses_and_builds_on_openshift_without_a_finding(path: Path) -> None:
    router = router_of(path)
    result = build(router, kit.CONFIG, platform=kit.OPENSHIFT, images=Images())
    assert result.issues == ()
    assert kit.found(result, "Deployment") is not None


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_a_sample_begins_with_a_comment_that_says_what_it_shows(path: Path) -> None:
    assert path.read_text().startswith("# ")


def test_there_is_a_sample_of_every_kind_of_backend_and_every_profile() -> None:
    routers = [router_of(path) for path in SAMPLES]
    types = {item.backend.type for router in routers for item in router.spec.vllm_endpoints}
    assert types == BACKENDS
    profiles = {router.spec.hardware.profile for router in routers}
    assert profiles == {"cpu", "nvidia", "amd", "arm64"}
