"""The stand-ins' program: built once into the user's cache, outside the repo."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "program"
_FLAGS = ("-trimpath", "-buildvcs=false", "-ldflags", "-s -w")


class BuildError(Exception):
    """The program did not compile."""


class GoMissingError(BuildError):
    """Go is missing or too old."""


def binary() -> Path:
    """Return the static executable, built if the cache has none of these sources.

    Two callers at a time don't build twice: the second waits.

    Raises:
        GoMissingError: says what is missing.
        BuildError: says what the compiler said.
    """
    go = _go()
    folder = cache_folder(_version(go))
    program = folder / "standin"
    if program.is_file():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.is_file():
            _build(go, program)
    return program


def cache_folder(go_version: str) -> Path:
    """Return the folder of what is built from these sources with this Go."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(f"{go_version}\n{_FLAGS}\n".encode())
    for source in sorted(path for path in PROGRAM.rglob("*") if path.is_file()):
        digest.update(f"{source.relative_to(PROGRAM)}\n".encode())
        digest.update(source.read_bytes())
    return Path(home) / "semantic-router-operator" / f"standins-{digest.hexdigest()[:16]}"


def architecture() -> str:
    """Return the architecture that the program is built for, as container images name it."""
    return _ask(_go(), "GOARCH")


def _go() -> str:
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        message = f"the stand-ins are built by Go {_wanted()} or newer: https://go.dev/doc/install"
        raise GoMissingError(message)
    return go


def _version(go: str) -> str:
    """Ask inside the module, where a Go of 1.21 or later switches to the toolchain it needs."""
    version = _ask(go, "GOVERSION")
    if _numbers(version) < _numbers(_wanted()):
        message = f"Go {_wanted()} or newer is needed, {go} is {version or 'mute'}"
        raise GoMissingError(message)
    return version + _ask(go, "GOARCH")


def _ask(go: str, variable: str) -> str:
    command = [go, "-C", str(PROGRAM), "env", variable]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def _wanted() -> str:
    found = re.search(r"^go (\S+)", (PROGRAM / "go.mod").read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _build(go: str, program: Path) -> None:
    """Build under another name and rename: a build that was cut off leaves no half program."""
    partial = program.with_name(".partial")
    print("building the stand-ins for tests ...", file=sys.stderr, flush=True)
    command = [go, "-C", str(PROGRAM), "build", *_FLAGS, "-o", str(partial), "."]
    environment = {**os.environ, "CGO_ENABLED": "0"}
    built = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        message = f"the stand-ins did not build:\n{built.stderr[-2000:]}"
        raise BuildError(message)
    partial.replace(program)
