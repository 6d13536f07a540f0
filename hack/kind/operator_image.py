"""The operator's image by the repo's Dockerfile, also where no registry and no index is at hand."""

import hashlib
import re
import shutil
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from controlplane.progress import Reporter
from kind import commands, debian, layout
from kind.archive import Entry, Image, write_archive, write_layer
from kind.cluster import Cluster
from kind.errors import CommandError, KindError
from kind.modes import Mode

ROOT = Path(__file__).parents[2]
BASE = "local/python:3.11-debian"
"""What stands for python:3.11-slim: Debian's Python 3.11, under the name `python` too."""

LOCKS = ("requirements.lock", "requirements-build.lock")
CONTEXT = (*LOCKS, "Dockerfile", ".dockerignore", "LICENSE", "pyproject.toml")
PACKAGE = "operator/semantic_router_operator"
PYTHON = "3.11"
DEPLOYMENT = "manifests/controller/deployment.yaml"

BASE_PACKAGES = ("ca-certificates", "python3-minimal", "python3-venv")
NOT_IN_BASE = (
    "usr/lib/python3*/test",
    "usr/share/i18n",
    "usr/share/locale",
    "usr/share/zoneinfo/right",
)
NAMES = ("python", "python3", "python3.11")
"""As python:3.11-slim has them, in /usr/local/bin."""

PLATFORMS = (
    *(f"manylinux_2_{minor}_x86_64" for minor in (36, 34, 31, 28, 27, 24, 17, 12)),
    *(f"{name}_x86_64" for name in ("manylinux2014", "manylinux2010", "manylinux1", "linux")),
)
"""What Debian 12 (glibc 2.36) can load."""

LIST_FILES = """
import os
for folder, _, names in os.walk("/"):
    if not folder.startswith(("/proc", "/sys", "/dev")):
        for name in names:
            path = os.path.join(folder, name)
            print(os.lstat(path).st_size, path)
"""
IMPORT_ALL = """
import importlib, pkgutil, kopf, semantic_router_operator as operator
for module in pkgutil.walk_packages(operator.__path__, operator.__name__ + "."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""
BIGGEST = 12


def tag_of_the_manifests() -> str:
    """Return the image that manifests/ runs: what is built under this name, they run."""
    found = re.search(r"image: (\S+)", (ROOT / DEPLOYMENT).read_text())
    if found is None:
        message = f"no image in {DEPLOYMENT}"
        raise KindError(message)
    return found.group(1)


def build(cluster: Cluster, tag: str, reporter: Reporter) -> None:
    """Build the image in the Docker that the cluster's nodes run in.

    With nodes of ours, from a base of Debian's packages and wheels fetched by pip on this machine:
    the build itself has no network. Raises CommandError.
    """
    log = cluster.layout.logs / "image.log"
    with TemporaryDirectory(dir=cluster.layout.state) as folder:
        context = Path(folder)
        _fill(context)
        command = ["docker", "build", "--tag", tag]
        if cluster.mode is Mode.OWN:
            cluster.docker("load", "--quiet", "--input", str(base(reporter)))
            shutil.copytree(wheels(reporter), context / "wheels")
            command += ["--network=none", f"--build-arg=BASE={BASE}", "--build-arg=PIP_NO_INDEX=1"]
        settings = cluster.changed_environment
        commands.step(reporter, f"build {tag}", [*command, str(context)], log, settings)


def base(reporter: Reporter) -> Path:
    """Return the archive of BASE, made if the cache hasn't got it. Raises CommandError."""
    root = debian.root("python", BASE_PACKAGES, reporter, dropped=NOT_IN_BASE)
    path = layout.cache() / f"{root.name}.tar"
    if path.exists():
        return path
    with TemporaryDirectory(dir=path.parent, prefix=".base-") as folder:
        scratch = Path(folder)
        whole = debian.write_layer(root, scratch / "debian.tar", reporter)
        names = [Entry(f"usr/local/bin/{name}", target="/usr/bin/python3.11") for name in NAMES]
        own = write_layer(scratch / "own.tar", names)
        return write_archive(path, [Image(BASE, (whole, own))])


def wheels(reporter: Reporter) -> Path:
    """Return a folder with every wheel of the lock files, hashes checked, fetched if need be.

    pip asks the index that it is set up for on this machine. Raises CommandError.
    """
    key = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in LOCKS)).hexdigest()[:16]
    folder = layout.cache() / f"wheels-{key}"
    if folder.is_dir():
        return folder
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    for name in LOCKS:
        command = [sys.executable, "-m", "pip", "download", "--require-hashes", "--no-deps"]
        command += ["--only-binary=:all:", f"--python-version={PYTHON}", "--implementation=cp"]
        command += [f"--abi={abi}" for abi in ("cp311", "abi3", "none")]
        command += [f"--platform={platform}" for platform in PLATFORMS]
        command += ["--dest", str(partial), "--requirement", str(ROOT / name)]
        log = layout.cache() / f"{folder.name}.log"
        commands.step(reporter, f"fetch the wheels of {name}", command, log)
    partial.rename(folder)
    return folder


def prove(cluster: Cluster, tag: str) -> str:
    """Run the image as the strictest Pod would be: any uid, nothing writable but /tmp.

    Returns what it says of itself. Raises CommandError, KindError.
    """
    run = ["run", "--rm", "--network=none", "--read-only", "--cap-drop=ALL", "--tmpfs=/tmp"]
    run += ["--security-opt=no-new-privileges", "--user=1234567:7654321"]
    python = [*run, "--entrypoint=python", tag, "-c"]
    cluster.docker(*python, IMPORT_ALL)
    try:
        cluster.docker(*python, "open('/opt/operator/x', 'w')")
    except CommandError:
        return cluster.docker(*run, tag, "--version").strip()
    message = f"{tag} can write to its own programs"
    raise KindError(message)


def describe(cluster: Cluster, tag: str) -> str:
    """Return the size of the image, and what takes it up, as lines."""
    size = int(cluster.docker("image", "inspect", "--format={{.Size}}", tag))
    listing = cluster.docker(
        *("run", "--rm", "--network=none", "--user=0:0", "--entrypoint=python", tag),
        *("-c", LIST_FILES),
    )
    sizes = Counter[str]()
    for line in listing.splitlines():
        count, _, path = line.partition(" ")
        sizes[share(path)] += int(count)
    rows = [f"  {taken / 1e6:7.1f} MB  {name}" for name, taken in sizes.most_common(BIGGEST)]
    return "\n".join([f"{tag}: {size / 1e6:.1f} MB", *rows])


def share(path: str) -> str:
    """Return under which heading a file's size is told: Python's, a package's, or the rest."""
    parts = path.strip("/").split("/")
    if "site-packages" in parts:
        return f"package {parts[parts.index('site-packages') + 1]}".removesuffix(".py")
    if any(part.startswith(("python3", "libpython")) for part in parts):
        return "Python"
    return f"/{'/'.join(parts[:2])}"


def _fill(context: Path) -> None:
    """Copy what the Dockerfile copies: the build needs nothing else of the repo."""
    for name in CONTEXT:
        shutil.copy2(ROOT / name, context / name)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / PACKAGE, context / PACKAGE, ignore=ignored)
