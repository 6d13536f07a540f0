"""Debian root folders, made by debootstrap and kept in the cache."""

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

from controlplane.progress import Reporter
from kind import commands, layout

SUITE = "bookworm"
_DROPPED = (
    "var/cache/apt/archives/*.deb",
    "var/cache/apt/*.bin",
    "var/lib/apt/lists/*",
    "var/log/*.log",
    "var/log/apt",
    "usr/share/doc/*",
    "usr/share/man/*",
    "usr/share/locale/*",
    "usr/share/info/*",
)
"""What no container reads."""


def root(
    name: str, packages: Iterable[str], reporter: Reporter, *, dropped: Iterable[str] = ()
) -> Path:
    """Return a root folder with these packages and without the globs `dropped`.

    Raises CommandError: debootstrap failed, most often because no mirror can be reached.
    """
    wanted, unwanted = sorted(packages), (*_DROPPED, *dropped)
    key = hashlib.sha256(repr((SUITE, wanted, unwanted)).encode()).hexdigest()[:16]
    folder = layout.cache() / f"debian-{name}-{key}"
    if folder.is_dir():
        return folder
    partial, debs = folder.with_name(f".{folder.name}.partial"), layout.cache() / "debs"
    shutil.rmtree(partial, ignore_errors=True)
    debs.mkdir(parents=True, exist_ok=True)
    command = ["debootstrap", "--variant=minbase", f"--cache-dir={debs}"]
    command += [f"--include={','.join(wanted)}", SUITE, str(partial)]
    commands.step(reporter, f"debootstrap {name}", command, layout.cache() / f"{folder.name}.log")
    for pattern in unwanted:
        for path in partial.glob(pattern):
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    partial.rename(folder)
    return folder


def write_layer(folder: Path, path: Path, reporter: Reporter) -> Path:
    """Write all of a root folder as a layer and return its path."""
    command = ["tar", "-C", str(folder), "--sort=name", "--mtime=@0", "--numeric-owner"]
    command += ["--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*"]
    command += ["-cf", str(path), "."]
    commands.step(reporter, f"pack {folder.name}", command, path.with_suffix(".log"))
    return path


def libraries(folder: Path, files: Iterable[str]) -> dict[str, Path]:
    """Return every library that these files of the root folder are linked to.

    The name that the loader looks for, from the root -> the file on this machine that it is. Links
    are followed inside the root folder: some are absolute.
    """
    text = commands.output("chroot", str(folder), "ldd", *(f"/{file}" for file in files))
    words = {word for line in text.splitlines() if not line.endswith(":") for word in line.split()}
    names = sorted(word for word in words if word.startswith("/") and ".so" in word)
    real = commands.output("chroot", str(folder), "realpath", *names).split()
    return {name: folder / file.lstrip("/") for name, file in zip(names, real, strict=True)}
