"""Brings the images into the cluster: the operator's, built from the repo, and the stand-ins'."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from controlplane.progress import Reporter
from e2e.target import ROOT, Target
from kind import cluster, operator_image
from kind.layout import Layout
from standins import build
from standins.image import TAG, write

NEXT = "semantic-router-operator:next"
"""The same operator under another tag: what an upgrade names. It shows what a rollout of the
operator does to routers, not what another version does; that is `make faults`' upgrade."""
ROUTER = "ghcr.io/vllm-project/semantic-router/vllm-sr:latest"
"""The image that a router has where its spec names none; here the stand-in has that name."""


class ImagesError(Exception):
    """The images can't be brought there; the message says what else can be done."""


def load(target: Target) -> str:
    """Builds and loads what is missing; the name of the operator's image.

    E2E_LOAD=0 says that all images are there. Raises ImagesError.
    """
    tag = operator_image.tag_of_the_manifests()
    if os.environ.get("E2E_LOAD") == "0":
        return tag
    layout = Layout(target.kubeconfig.parent)
    if layout.notes.exists():
        return _into_ours(layout, tag)
    if target.context.startswith("kind-") and shutil.which("kind") and shutil.which("docker"):
        return _into_theirs(target.context.removeprefix("kind-"), tag)
    message = (
        "images can be loaded into a cluster of `make kind-up`, or with `kind` and `docker` into"
        f" another one of kind's; else load {tag}, {NEXT}, {TAG} and {ROUTER} and say E2E_LOAD=0"
    )
    raise ImagesError(message)


def _into_ours(layout: Layout, tag: str) -> str:
    reporter = Reporter()
    made = cluster.attach(layout, reporter)
    operator_image.build(made, tag, reporter)
    made.docker("tag", tag, NEXT)
    for name in (tag, NEXT):
        made.load(name)
    _standins(made.load)
    return tag


def _into_theirs(name: str, tag: str) -> str:
    _run("docker", "build", "--quiet", "--tag", tag, str(ROOT))
    _run("docker", "tag", tag, NEXT)
    _run("kind", "load", "docker-image", tag, NEXT, "--name", name)
    _standins(lambda archive: _run("kind", "load", "image-archive", archive, "--name", name))
    return tag


def _standins(bring: Callable[[str], None]) -> None:
    program = build.binary()
    with TemporaryDirectory(prefix="e2e-") as folder:
        for tag in (TAG, ROUTER):
            archive = Path(folder, "image.tar")
            bring(str(write(archive, program, architecture=build.architecture(), tag=tag)))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        message = f"{' '.join(command[:3])}: {done.stderr.strip()[-2000:]}"
        raise ImagesError(message)
