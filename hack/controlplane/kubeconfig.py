"""Kubeconfig files."""

import base64
from pathlib import Path
from typing import Any

import yaml

from controlplane.pki import Identity


def client_certificate(identity: Identity) -> dict[str, str]:
    """Return the `user` entry that shows a client certificate."""
    return {
        "client-certificate-data": _base64(identity.certificate),
        "client-key-data": _base64(identity.key),
    }


def write(
    path: Path, server: str, ca: bytes, user: dict[str, str], *, namespace: str = "default"
) -> Path:
    """Write a kubeconfig with one context and return its path; only its owner may read it."""
    cluster = {"server": server, "certificate-authority-data": _base64(ca)}
    context = {"cluster": "controlplane", "user": "user", "namespace": namespace}
    document: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "controlplane", "cluster": cluster}],
        "users": [{"name": "user", "user": user}],
        "contexts": [{"name": "controlplane", "context": context}],
        "current-context": "controlplane",
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    return path


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
