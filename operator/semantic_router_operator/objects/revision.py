"""What the router ran with, on record: an apps/v1 ControllerRevision with document and pod
template, immutable but for its number."""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig
from semantic_router_operator.model.manifests import (
    CONTROLLER_REVISION,
    ChildKey,
    Manifest,
    Revision,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects.config_map import annotations_of, read_config
from semantic_router_operator.objects.deployment import template_digest
from semantic_router_operator.objects.metadata import manifest, metadata

Template = Mapping[str, Any]
PLAIN_LIMIT: Final = 400_000
"""Bytes of documents that are recorded as text. Larger ones are compressed: JSON's escapes could
take them over the 1.5 MiB that etcd takes in one request."""
_HASH_LENGTH: Final = 10


def revision_digest(config: CanonicalConfig, template: Template) -> str:
    """What tells one revision from another: documents, environment and pod template."""
    whole = {**_content(config, template), **annotations_of(config)}
    return names.digest(json.dumps(whole, sort_keys=True).encode())


def build(
    router: SemanticRouter, config: CanonicalConfig, template: Template, *, number: int
) -> Manifest:
    """`<router>-<hash>`, numbered: the newest has the highest number."""
    digest = revision_digest(config, template)
    notes = {
        **annotations_of(config),
        names.ANNOTATION_REVISION_DIGEST: digest,
        names.ANNOTATION_TEMPLATE_DIGEST: template_digest(template),
    }
    return manifest(
        router,
        CONTROLLER_REVISION,
        {
            "data": _packed(_content(config, template)),
            "metadata": metadata(router, key(router, digest).name, notes),
            "revision": number,
        },
    )


def key(router: SemanticRouter, digest: str) -> ChildKey:
    """Identity of the revision with that digest."""
    suffix = digest.partition(":")[2][:_HASH_LENGTH]
    name = names.dns_label(router.name, f"-{suffix}")
    return ChildKey(CONTROLLER_REVISION, router.namespace, name)


def revision_key(router: SemanticRouter, config: CanonicalConfig, template: Template) -> ChildKey:
    """Identity of the revision of document and template."""
    return key(router, revision_digest(config, template))


def read_revision(raw: Mapping[str, Any]) -> Revision | None:
    """What a ControllerRevision records; None when it isn't one that we wrote.

    One of a version that kept documents only has no template.
    """
    data = raw.get("data")
    if not isinstance(data, Mapping):
        return None
    try:
        content = {
            name: _unpacked(name, data) for name in (names.CONFIG_KEY, names.TOOLS_KEY, _TEMPLATE)
        }
        template = json.loads(content.pop(_TEMPLATE) or "null")
    except (ValueError, OSError, EOFError):
        return None
    config = read_config(raw["metadata"].get("annotations") or {}, content)
    if config is None or not isinstance(template, Mapping | None):
        return None
    return Revision(int(raw.get("revision") or 0), config, template)


_TEMPLATE: Final = names.TEMPLATE_KEY


def _unpacked(name: str, data: Mapping[str, Any]) -> str:
    if name in data:
        return str(data[name])
    packed = data.get(f"{name}.gz")
    return gzip.decompress(base64.b64decode(str(packed))).decode() if packed else ""


def _content(config: CanonicalConfig, template: Template) -> dict[str, str]:
    return {
        names.CONFIG_KEY: config.text,
        names.TOOLS_KEY: config.tools,
        _TEMPLATE: json.dumps(template, sort_keys=True),
    }


def _packed(content: Mapping[str, str]) -> dict[str, Any]:
    """The documents as text, or compressed under the key with `.gz`."""
    if sum(len(text.encode()) for text in content.values()) <= PLAIN_LIMIT:
        return dict(content)
    return {
        f"{name}.gz": base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
        for name, text in content.items()
    }
