"""A recorded document: an apps/v1 ControllerRevision, immutable but for its number."""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import CONTROLLER_REVISION, ChildKey, Manifest
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.config_map import annotations_of, read_config
from semantic_router_operator.objects.metadata import manifest, metadata

PLAIN_LIMIT: Final = 400_000
"""Bytes of documents that are recorded as text. Larger ones are compressed: JSON's escapes could
take them over the 1.5 MiB that etcd takes in one request."""
_HASH_LENGTH: Final = 10


def revision_digest(config: CanonicalConfig) -> str:
    """What tells one recorded document from another: documents and environment."""
    whole = {**_content(config), **annotations_of(config)}
    return names.digest(json.dumps(whole, sort_keys=True).encode())


def build(router: SemanticRouter, config: CanonicalConfig, *, number: int) -> Manifest:
    """`<router>-<hash>`, numbered: the newest has the highest number."""
    digest = revision_digest(config)
    notes = {**annotations_of(config), names.ANNOTATION_REVISION_DIGEST: digest}
    return manifest(
        router,
        CONTROLLER_REVISION,
        {
            "data": _packed(_content(config)),
            "metadata": metadata(router, key(router, digest).name, notes),
            "revision": number,
        },
    )


def key(router: SemanticRouter, digest: str) -> ChildKey:
    """Identity of the revision with that digest."""
    suffix = digest.partition(":")[2][:_HASH_LENGTH]
    name = names.dns_label(router.name, f"-{suffix}")
    return ChildKey(CONTROLLER_REVISION, router.namespace, name)


def revision_key(router: SemanticRouter, config: CanonicalConfig) -> ChildKey:
    """Identity of the document's revision."""
    return key(router, revision_digest(config))


def read_revision(raw: Mapping[str, Any]) -> CanonicalConfig | None:
    """The document that a ControllerRevision records; None when it isn't one that we wrote."""
    data = raw.get("data")
    if not isinstance(data, Mapping):
        return None
    try:
        content = {
            name: _unpacked(name, str(data.get(name) or data.get(f"{name}.gz") or ""), data)
            for name in (names.CONFIG_KEY, names.TOOLS_KEY)
        }
    except (ValueError, OSError, EOFError):
        return None
    return read_config(raw["metadata"].get("annotations") or {}, content)


def _unpacked(name: str, text: str, data: Mapping[str, Any]) -> str:
    return text if name in data else gzip.decompress(base64.b64decode(text)).decode()


def _content(config: CanonicalConfig) -> dict[str, str]:
    return {names.CONFIG_KEY: config.text, names.TOOLS_KEY: config.tools}


def _packed(content: Mapping[str, str]) -> dict[str, Any]:
    """The documents as text, or compressed under the key with `.gz`."""
    if sum(len(text.encode()) for text in content.values()) <= PLAIN_LIMIT:
        return dict(content)
    return {
        f"{name}.gz": base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
        for name, text in content.items()
    }
