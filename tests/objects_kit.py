"""Routers and documents for the tests of the objects room."""

from collections.abc import Mapping
from typing import Any

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, SecretEnv
from semantic_router_operator.model.manifests import Manifest
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import Built, Images, build

KUBERNETES = Platform()
OPENSHIFT = Platform(openshift=True, routes=True)
EXTPROC = {"gateway": {"existingRef": {"name": "gw", "namespace": "gateways"}}}
OWNER = {
    "apiVersion": "vllm.ai/v1alpha1",
    "blockOwnerDeletion": True,
    "controller": True,
    "kind": "SemanticRouter",
    "name": "demo",
    "uid": "uid-1",
}
SELECTOR = {
    "app.kubernetes.io/instance": "demo",
    "app.kubernetes.io/name": "semantic-router",
}
LABELS = {
    "app.kubernetes.io/component": "router",
    "app.kubernetes.io/instance": "demo",
    "app.kubernetes.io/managed-by": "semantic-router-operator",
    "app.kubernetes.io/name": "semantic-router",
}


def router(spec: Mapping[str, Any] | None = None, *, name: str = "demo") -> SemanticRouter:
    metadata = {"name": name, "namespace": "models", "uid": "uid-1"}
    return parse({"metadata": metadata, "spec": spec or {}})


def document(
    text: str = 'version: "v0.3"\n',
    *,
    restart: str = "sha256:r",
    env: tuple[SecretEnv, ...] = (),
    tools: str = "[]",
) -> CanonicalConfig:
    digest = names.digest(text.encode())
    return CanonicalConfig(text=text, digest=digest, restart_digest=restart, env=env, tools=tools)


CONFIG = document()


def built(
    spec: Mapping[str, Any] | None = None,
    *,
    config: CanonicalConfig | None = CONFIG,
    platform: Platform = KUBERNETES,
    images: Images | None = None,
) -> Built:
    return build(router(spec), config, platform=platform, images=images or Images())


def found(result: Built, kind: str) -> Manifest | None:
    return next((item for item in result.manifests if item.kind.kind == kind), None)


def body(result: Built, kind: str) -> Mapping[str, Any]:
    manifest = found(result, kind)
    assert manifest is not None, f"no {kind}: {result.issues}"
    return manifest.body


def pod(spec: Mapping[str, Any] | None = None, **more: Any) -> Mapping[str, Any]:
    template: Mapping[str, Any] = body(built(spec, **more), "Deployment")["spec"]["template"]
    return template


def container(spec: Mapping[str, Any] | None = None, **more: Any) -> Mapping[str, Any]:
    first: Mapping[str, Any] = pod(spec, **more)["spec"]["containers"][0]
    return first


def errors(result: Built) -> list[str]:
    return [str(issue) for issue in result.issues if issue.severity == "error"]


def warnings(result: Built) -> list[str]:
    return [str(issue) for issue in result.issues if issue.severity == "warning"]
