"""The live ConfigMap: the document that the router reads and reloads by itself."""

import json
from collections.abc import Mapping

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, Issue, SecretEnv
from semantic_router_operator.model.manifests import CONFIG_MAP, ChildKey, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.metadata import manifest, metadata

DATA_LIMIT = 1_048_576
"""Bytes of all values together, as the API server counts (field case OP-14)."""
ANNOTATION_LIMIT = 262_144
"""Bytes of all annotations together; 4 KiB are left to others."""
_ANNOTATION_RESERVE = 4_096


def key(router: SemanticRouter) -> ChildKey:
    """Its identity."""
    return ChildKey(CONFIG_MAP, router.namespace, names.config_map(router.name))


def build(router: SemanticRouter, config: CanonicalConfig) -> Manifest:
    """`<name>-config` with config.yaml and tools_db.json.

    The annotations are what `read_config` needs to give the same CanonicalConfig back.
    """
    return manifest(
        router,
        CONFIG_MAP,
        {
            "data": {names.CONFIG_KEY: config.text, names.TOOLS_KEY: config.tools},
            "metadata": metadata(router, key(router).name, annotations_of(config)),
        },
    )


def check(config: CanonicalConfig) -> tuple[Issue, ...]:
    """ConfigTooLarge when the API server would refuse the ConfigMap for its size in bytes."""
    size = len(config.text.encode()) + len(config.tools.encode())
    if size > DATA_LIMIT:
        return (_too_large(f"the router's configuration has {size} bytes", DATA_LIMIT),)
    size = sum(len(k.encode()) + len(v.encode()) for k, v in annotations_of(config).items())
    limit = ANNOTATION_LIMIT - _ANNOTATION_RESERVE
    if size > limit:
        return (_too_large(f"the list of credentials has {size} bytes", limit),)
    return ()


def read_config(annotations: Mapping[str, str], data: Mapping[str, str]) -> CanonicalConfig | None:
    """The document of a live ConfigMap; None when it isn't one that we wrote, or was edited.

    The inverse of `build`: the digest annotation must be the digest of config.yaml.
    """
    text = data.get(names.CONFIG_KEY)
    digest = annotations.get(names.ANNOTATION_CONFIG_DIGEST)
    restart = annotations.get(names.ANNOTATION_RESTART_DIGEST)
    env = _read_env(annotations.get(names.ANNOTATION_CONFIG_ENV, ""))
    if text is None or digest is None or restart is None or env is None:
        return None
    if names.digest(text.encode()) != digest:
        return None
    return CanonicalConfig(
        text=text,
        digest=digest,
        restart_digest=restart,
        env=env,
        tools=data.get(names.TOOLS_KEY, "[]"),
        settings_digest=annotations.get(names.ANNOTATION_SETTINGS_DIGEST, ""),
    )


def annotations_of(config: CanonicalConfig) -> dict[str, str]:
    """What of a document isn't in its text: digests, and the environment that it refers to."""
    variables = [
        {
            "key": e.key,
            "name": e.name,
            **({"optional": True} if e.optional else {}),
            "secret": e.secret,
        }
        for e in config.env
    ]
    return {
        names.ANNOTATION_CONFIG_DIGEST: config.digest,
        names.ANNOTATION_CONFIG_ENV: json.dumps(variables, separators=(",", ":")),
        names.ANNOTATION_RESTART_DIGEST: config.restart_digest,
        names.ANNOTATION_SETTINGS_DIGEST: config.settings_digest,
    }


def _read_env(text: str) -> tuple[SecretEnv, ...] | None:
    try:
        return tuple(
            SecretEnv(str(e["name"]), str(e["secret"]), str(e["key"]), bool(e.get("optional")))
            for e in json.loads(text)
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _too_large(what: str, limit: int) -> Issue:
    return Issue(
        "ConfigTooLarge",
        "spec",
        f"{what} and a ConfigMap holds {limit}; shorten toolsDb, config or vllmEndpoints",
    )
