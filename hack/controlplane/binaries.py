"""Where the control plane's programs are: KUBEBUILDER_ASSETS, or built once into a cache."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.errors import BuildError
from controlplane.progress import Reporter

MODULE = Path(__file__).resolve().parents[1] / "tools"
"""The Go module that pins every program."""

PACKAGES: Mapping[str, str] = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
    "kube-scheduler": "k8s.io/kubernetes/cmd/kube-scheduler",
    "kubectl": "k8s.io/kubernetes/cmd/kubectl",
    "kwok": "sigs.k8s.io/kwok/cmd/kwok",
    "kstatus": "./cmd/kstatus",
}
"""Program -> Go package, in the order in which they are built."""

VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
"""Without these set at link time, the server calls itself v0.0.0 and clients complain."""


@dataclass(frozen=True)
class Binaries:
    """Program -> executable file."""

    paths: Mapping[str, Path]

    def path(self, program: str) -> str:
        """Return the file of `program` as an argument for a command line."""
        return str(self.paths[program])


def locate(reporter: Reporter | None = None) -> Binaries:
    """Return every program, building those that neither the assets nor the cache have.

    The folder that KUBEBUILDER_ASSETS names (the convention of envtest) comes first. Two callers
    at a time don't build twice: the second waits.

    Raises:
        BuildError: that folder is not there, Go is missing or too old, or a build failed.
    """
    found = _assets()
    missing = [program for program in PACKAGES if program not in found]
    if not missing:
        return Binaries(found)
    go = _go()
    folder = cache_folder(_go_version(go))
    reporter = reporter or Reporter()
    if not all(_executable(folder / program) for program in missing):
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder / ".lock", reporter):
            for program in missing:
                if not _executable(folder / program):
                    _build(go, program, folder, reporter)
    return Binaries({**{program: folder / program for program in missing}, **found})


def cache_folder(go_version: str) -> Path:
    """Return the folder of programs built from these sources with this Go: outside the repo."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    digest = hashlib.sha256(f"{go_version}\n{_link_flags()}\n".encode())
    sources = [MODULE / "go.mod", MODULE / "go.sum", MODULE / "tools.go"]
    sources += sorted(path for path in (MODULE / "cmd").rglob("*") if path.is_file())
    for source in sources:
        digest.update(f"{source.relative_to(MODULE)}\n".encode())
        digest.update(source.read_bytes())
    return Path(home) / "semantic-router-operator" / f"controlplane-{digest.hexdigest()[:16]}"


def kubernetes_version() -> str:
    """Return the version that the Go module pins, as `v1.36.3`."""
    return _in_go_mod(r"\bk8s\.io/kubernetes (v\S+)")


def _in_go_mod(pattern: str) -> str:
    found = re.search(pattern, (MODULE / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        message = f"no {pattern!r} in hack/tools/go.mod"
        raise BuildError(message)
    return found.group(1)


def _assets() -> dict[str, Path]:
    setting = os.environ.get("KUBEBUILDER_ASSETS")
    if not setting:
        return {}
    folder = Path(setting).absolute()
    if not folder.is_dir():
        message = f"KUBEBUILDER_ASSETS: no such folder: {setting} (unset it to build the programs)"
        raise BuildError(message)
    return {name: folder / name for name in PACKAGES if _executable(folder / name)}


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _go() -> str:
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        wanted = _in_go_mod(r"^go (\S+)")
        message = (
            f"the control plane's programs are built from Go modules: install Go {wanted} or newer "
            "(https://go.dev/doc/install), or let KUBEBUILDER_ASSETS name a folder that has "
            + ", ".join(PACKAGES)
        )
        raise BuildError(message)
    return go


def _go_version(go: str) -> str:
    """Ask inside the module, where a Go of 1.21 or later switches to the toolchain it needs."""
    wanted = _in_go_mod(r"^go (\S+)")
    command = [go, "-C", str(MODULE), "env", "GOVERSION", "GOOS", "GOARCH"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    version = answer.stdout.split("\n", 1)[0]
    if answer.returncode != 0 or _numbers(version) < _numbers(wanted):
        message = f"Go {wanted} or newer is needed, {go} says: {answer.stderr.strip() or version}"
        raise BuildError(message)
    return answer.stdout


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _link_flags() -> str:
    version = kubernetes_version()
    major, minor = version.removeprefix("v").split(".")[:2]
    values = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    return " ".join(
        ["-s", "-w"]
        + [f"-X {pkg}.{key}={value}" for pkg in VERSION_PACKAGES for key, value in values.items()]
    )


@contextmanager
def _locked(path: Path, reporter: Reporter) -> Iterator[None]:
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            reporter.say("waiting for another build of the control plane's programs")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(go: str, program: str, folder: Path, reporter: Reporter) -> None:
    """Build under another name and rename: a build that was cut off leaves no half program."""
    partial, log = folder / f".{program}.partial", folder / f"{program}.log"
    flags = ["-trimpath", "-buildvcs=false", "-ldflags", _link_flags(), "-o", str(partial)]
    command = ["env", "CGO_ENABLED=0", go, "-C", str(MODULE), "build", *flags, PACKAGES[program]]
    order = f"{list(PACKAGES).index(program) + 1}/{len(PACKAGES)}"
    if reporter.run(f"build {order} {program}", command, log) != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        message = f"{program} did not build (all of it: {log}):\n{tail}"
        raise BuildError(message)
    partial.replace(folder / program)
    log.unlink()
