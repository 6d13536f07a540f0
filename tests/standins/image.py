"""A container image of one program, written without docker: an archive as `docker save` makes it.

`kind load image-archive FILE` and `ctr images import FILE` take it. Same program, same bytes.
"""

import hashlib
import io
import json
import tarfile
from pathlib import Path

TAG = "localhost/semantic-router-standin:test"
PROGRAM = "/semantic-router-standin"
USER = 1000
_FOLDERS = ("app", "app/config", "app/models", "tmp")


def write(archive: Path, program: Path, *, architecture: str, tag: str = TAG) -> Path:
    """Write the image to `archive`, through a temporary file beside it, and return it.

    Without arguments a container of it runs the router stand-in on /app/config/config.yaml;
    arguments are further flags. With the command `/semantic-router-standin model` it is the model
    server.
    """
    layer = _layer(program.read_bytes())
    digest = hashlib.sha256(layer).hexdigest()
    config = _config(f"sha256:{digest}", architecture)
    names = f"{hashlib.sha256(config).hexdigest()}.json", f"{digest}.tar"
    manifest = [{"Config": names[0], "RepoTags": [tag], "Layers": [names[1]]}]
    partial = archive.with_name(f".{archive.name}.partial")
    with tarfile.open(partial, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in zip(names, (config, layer), strict=True):
            _add(tar, name, data)
        _add(tar, "manifest.json", json.dumps(manifest).encode())
    partial.replace(archive)
    return archive


def _layer(program: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for folder in _FOLDERS:
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o1777 if folder == "tmp" else 0o755
            tar.addfile(entry)
        _add(tar, PROGRAM.lstrip("/"), program, mode=0o755)
    return file.getvalue()


def _add(tar: tarfile.TarFile, name: str, data: bytes, mode: int = 0o644) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = len(data), mode
    tar.addfile(entry, io.BytesIO(data))


def _config(layer: str, architecture: str) -> bytes:
    config = {
        "architecture": architecture,
        "os": "linux",
        "created": "1970-01-01T00:00:00Z",
        "config": {
            "User": str(USER),
            "Entrypoint": [PROGRAM, "router", "-config=/app/config/config.yaml"],
            "WorkingDir": "/app",
        },
        "rootfs": {"type": "layers", "diff_ids": [layer]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "tests/standins"}],
    }
    return json.dumps(config, sort_keys=True).encode()
