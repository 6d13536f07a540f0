"""Image archives without a daemon: what `docker load` and `ctr images import` read."""

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


@dataclass(frozen=True)
class Entry:
    """One name in a layer: a file by `source` or `data`, a link by `target`, else a folder."""

    name: str
    source: Path | None = None
    data: bytes | None = None
    target: str | None = None
    mode: int = 0o755


@dataclass(frozen=True)
class Image:
    """One image of an archive; `name` is REPOSITORY:TAG, `layers` are tar files, lowest first."""

    name: str
    layers: tuple[Path, ...]
    entrypoint: tuple[str, ...] = ()
    environment: tuple[str, ...] = ()
    config: Mapping[str, object] = field(default_factory=dict)


def write_layer(path: Path, entries: Iterable[Entry]) -> Path:
    """Write a layer and return its path: the same entries give the same bytes.

    All belongs to root, of 1970. Parent folders are added: without them, docker makes them 0600.
    """
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as layer:
        for name, entry in sorted(_with_parents(entries).items()):
            info = tarfile.TarInfo(name)
            info.mode = entry.mode
            if entry.target is not None:
                info.type, info.linkname = tarfile.SYMTYPE, entry.target
                layer.addfile(info)
            elif entry.source is not None:
                info.size = entry.source.stat().st_size
                with entry.source.open("rb") as content:
                    layer.addfile(info, content)
            elif entry.data is not None:
                info.size = len(entry.data)
                layer.addfile(info, io.BytesIO(entry.data))
            else:
                info.type = tarfile.DIRTYPE
                layer.addfile(info)
    return path


def write_archive(path: Path, images: Iterable[Image]) -> Path:
    """Write a docker archive of all images and return its path; a layer of several is in it once.

    It is there whole or not at all.
    """
    manifest, written = [], dict[Path, str]()
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.") as partial:
        with tarfile.open(partial.name, "w", format=tarfile.PAX_FORMAT) as archive:
            for image in images:
                for layer in image.layers:
                    if layer not in written:
                        written[layer] = _add_layer(archive, layer)
                digests = [written[layer] for layer in image.layers]
                config = json.dumps(_config(image, digests)).encode()
                name = f"{hashlib.sha256(config).hexdigest()}.json"
                _add(archive, name, config)
                layers = [f"{digest}/layer.tar" for digest in digests]
                manifest.append({"Config": name, "RepoTags": [image.name], "Layers": layers})
            _add(archive, "manifest.json", json.dumps(manifest).encode())
        Path(partial.name).chmod(0o644)
        path.unlink(missing_ok=True)
        path.hardlink_to(partial.name)
    return path


def _with_parents(entries: Iterable[Entry]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for entry in entries:
        for parent in list(Path(entry.name).parents)[:-1]:
            found.setdefault(str(parent), Entry(str(parent)))
        found[entry.name] = entry
    return found


def _config(image: Image, digests: list[str]) -> dict[str, Any]:
    config: dict[str, object] = {"Env": [PATH, *image.environment]}
    if image.entrypoint:
        config["Entrypoint"] = list(image.entrypoint)
    return {
        "architecture": _ARCHITECTURES.get(platform.machine(), platform.machine()),
        "os": "linux",
        "config": {**config, **image.config},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for digest in digests]},
        "history": [{"created_by": "hack/kind"} for _ in digests],
    }


def _add_layer(archive: tarfile.TarFile, layer: Path) -> str:
    with layer.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        content.seek(0)
        info = tarfile.TarInfo(f"{digest}/layer.tar")
        info.size = layer.stat().st_size
        archive.addfile(info, content)
    return digest


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    archive.addfile(info, io.BytesIO(data))
