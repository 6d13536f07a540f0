"""What the router container finds on its file system.

What the user mounts at a path of ours replaces our mount there; a volume of the user's that has
the name of one of ours makes ours step aside under another name. So no path and no name is there
twice (field case SR-13).
"""

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import storage
from semantic_router_operator.objects.raw import present

CONFIG_VOLUME: Final = "config-volume"
CONFIG_PATH: Final = "/app/config"
MODELS_VOLUME: Final = "models-volume"
MODELS_PATH: Final = "/app/models"
WRITABLE: Final = (
    ("cache-volume", "/.cache"),
    (MODELS_VOLUME, MODELS_PATH),
    ("router-workdir", "/app/.vllm-sr"),
    ("var-log", "/var/log"),
    ("var-run", "/var/run"),
)
"""(volume, path) of each directory that the router writes to."""


@dataclass(frozen=True, slots=True)
class _Ours:
    """A volume of ours: `own` is its usual name, `name` the one that it has beside the user's."""

    own: str
    name: str
    path: str
    source: Mapping[str, Any]
    read_only: bool = False


def volumes(router: SemanticRouter) -> list[dict[str, Any]]:
    """Ours as far as something mounts them (config, a claim, emptyDirs), then spec.volumes."""
    mounted = {mount["name"] for mount in mounts(router)}
    ours = [{**item.source, "name": item.name} for item in _ours(router) if item.name in mounted]
    return [*ours, *(dict(volume) for volume in router.spec.volumes)]


def mounts(router: SemanticRouter) -> list[dict[str, Any]]:
    """The config as a directory, never by subPath: that copy would not follow a change (SR-10)."""
    taken = {_normal(path) for path in _mounted(router).values()}
    ours = [
        present({"mountPath": item.path, "name": item.name, "readOnly": item.read_only or None})
        for item in _ours(router)
        if item.path not in taken
    ]
    return [*ours, *(dict(mount) for mount in router.spec.volume_mounts)]


def check(router: SemanticRouter) -> tuple[Issue, ...]:
    """Names and paths that are there twice, mounts of nothing, and what would hide the config."""
    return (*_check_volumes(router), *_check_mounts(router))


def _check_volumes(router: SemanticRouter) -> Iterator[Issue]:
    first: dict[object, int] = {}
    for index, volume in enumerate(router.spec.volumes):
        name, path = volume.get("name"), f"spec.volumes[{index}].name"
        if not isinstance(name, str) or not name:
            yield Issue("InvalidSpec", path, "is required; name the volume")
        elif first.setdefault(name, index) != index:
            message = f"is also the name of spec.volumes[{first[name]}]; keep one"
            yield Issue("InvalidSpec", path, message)


def _check_mounts(router: SemanticRouter) -> Iterator[Issue]:
    first: dict[str, int] = {}
    known = {volume.get("name") for volume in router.spec.volumes}
    known |= {item.name for item in _ours(router)}
    for index, path in _mounted(router).items():
        where = f"spec.volumeMounts[{index}]"
        place = _normal(path)
        if first.setdefault(place, index) != index:
            message = f"is also the path of spec.volumeMounts[{first[place]}]; keep one"
            yield Issue("InvalidSpec", f"{where}.mountPath", message)
        if place == CONFIG_PATH:
            message = "is where the router's own configuration is; mount it somewhere else"
            yield Issue("InvalidSpec", f"{where}.mountPath", message)
        if place == MODELS_PATH and storage.persistence(router):
            message = "replaces the claim of spec.persistence, which nothing uses then; keep one"
            yield Issue("ShadowedVolume", f"{where}.mountPath", message, severity="warning")
        if router.spec.volume_mounts[index].get("name") not in known:
            message = "no volume of spec.volumes has that name; add it there"
            yield Issue("InvalidSpec", f"{where}.name", message)


def _mounted(router: SemanticRouter) -> dict[int, str]:
    """Path of each of spec.volumeMounts, by its index."""
    return {
        index: str(mount.get("mountPath") or "")
        for index, mount in enumerate(router.spec.volume_mounts)
    }


def _ours(router: SemanticRouter) -> tuple[_Ours, ...]:
    theirs = {str(volume.get("name")) for volume in router.spec.volumes}
    config = {"configMap": {"name": names.config_map(router.name)}}
    return (
        _Ours(CONFIG_VOLUME, _free(CONFIG_VOLUME, theirs), CONFIG_PATH, config, read_only=True),
        *(_Ours(name, _free(name, theirs), path, _source(router, name)) for name, path in WRITABLE),
    )


def _source(router: SemanticRouter, name: str) -> Mapping[str, Any]:
    claim = storage.claim_name(router) if name == MODELS_VOLUME else None
    if claim is None:
        return {"emptyDir": {}}
    only = {"readOnly": True} if storage.read_only(router) else {}
    return {"persistentVolumeClaim": {"claimName": claim, **only}}


def _free(name: str, theirs: set[str]) -> str:
    """`name`, or the first of `name-1`, `name-2`... that the user hasn't taken."""
    free, number = name, 0
    while free in theirs:
        number += 1
        free = f"{name}-{number}"
    return free


def _normal(path: str) -> str:
    """One spelling of a path: `/app/models/` and `/app//models` are `/app/models`."""
    return posixpath.normpath(path) if path else ""
