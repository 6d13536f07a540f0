"""What the router container finds on its file system."""

from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.router import SemanticRouter

CONFIG_VOLUME: Final = "config-volume"
CONFIG_PATH: Final = "/app/config"
WRITABLE: Final = (
    ("cache-volume", "/.cache"),
    ("models-volume", "/app/models"),
    ("router-workdir", "/app/.vllm-sr"),
    ("var-log", "/var/log"),
    ("var-run", "/var/run"),
)
"""(volume, path) of each directory that the router writes to."""


def volumes(router: SemanticRouter) -> list[dict[str, Any]]:
    """The live ConfigMap and an emptyDir for each writable path."""
    return [
        {"configMap": {"name": names.config_map(router.name)}, "name": CONFIG_VOLUME},
        *({"emptyDir": {}, "name": name} for name, _ in WRITABLE),
    ]


def mounts() -> list[dict[str, Any]]:
    """The config as a directory, never by subPath: that copy would not follow a change (SR-10)."""
    return [
        {"mountPath": CONFIG_PATH, "name": CONFIG_VOLUME, "readOnly": True},
        *({"mountPath": path, "name": name} for name, path in WRITABLE),
    ]
