"""Where the programs are that hack/tools pins: KUBEBUILDER_ASSETS, or built once into a cache."""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping
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
"""The control plane's: program -> Go package, in the order in which they are built."""

BUILD_TAGS: Mapping[str, str] = {"runc": "seccomp"}
"""Build tags of the programs that need a C compiler and a library (Debian: libseccomp-dev)."""

VERSION_PACKAGES = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
"""Without these set at link time, the server calls itself v0.0.0 and clients complain."""


@dataclass(frozen=True)
class Binaries:
    """Program -> executable file."""

    paths: Mapping[str, Path]

    def path(self, program: str) -> str:
        """Return the file of `program` as an argument for a command line."""
        return str(self.paths[program])


def locate(
    reporter: Reporter | None = None,
    *,
    packages: Mapping[str, str] = PACKAGES,
    with_assets: bool = True,
) -> Binaries:
    """Return all programs of `packages`; build what neither the assets nor the cache have.

    The folder that KUBEBUILDER_ASSETS names (the convention of envtest) comes first, unless
    `with_assets` says that only our own builds will do. Two callers at a time don't build twice:
    the second waits.

    Raises:
        BuildError: that folder is not there, Go is missing or too old, or a build failed.
    """
    found = _assets(packages) if with_assets else {}
    wanted = {name: package for name, package in packages.items() if name not in found}
    if not wanted:
        return Binaries(found)
    go = _go(wanted if with_assets else {})
    version = _go_version(go)
    files = {name: cache_folder(version, package) / name for name, package in wanted.items()}
    reporter = reporter or Reporter()
    if not all(_executable(file) for file in files.values()):
        shared = cache_folder(version)
        shared.mkdir(parents=True, exist_ok=True)
        with _locked(shared / ".lock", reporter):
            missing = [name for name, file in files.items() if not _executable(file)]
            for number, name in enumerate(missing, 1):
                label = f"build {number}/{len(missing)} {name}"
                _build(go, wanted[name], files[name], reporter, label)
    return Binaries({**files, **found})


def cache_home() -> Path:
    """Return the folder of everything that is kept outside the repo."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "semantic-router-operator"


def cache_folder(go_version: str, package: str = "") -> Path:
    """Return the folder of programs built from these pins with this Go: outside the repo.

    A `package` of ours ("./cmd/...") has a folder of its own in it, with a key of its sources.
    """
    pins = [MODULE / "go.mod", MODULE / "go.sum"]
    key = _key(f"{go_version}\n{_link_flags()}", pins)
    folder = cache_home() / f"programs-{key}"
    if not package.startswith("."):
        return folder
    sources = sorted(path for path in (MODULE / package).rglob("*") if path.is_file())
    return folder / _key("", sources)


def _key(seed: str, sources: Iterable[Path]) -> str:
    digest = hashlib.sha256(f"{seed}\n".encode())
    for source in sources:
        digest.update(f"{source.relative_to(MODULE)}\n".encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def kubernetes_version() -> str:
    """Return the version that the Go module pins, as `v1.36.3`."""
    return pinned_version("k8s.io/kubernetes")


def pinned_version(module: str) -> str:
    """Return the version of a Go module in hack/tools/go.mod, as `v1.36.3`."""
    return _in_go_mod(rf"\s{re.escape(module)} (v\S+)")


def _in_go_mod(pattern: str) -> str:
    found = re.search(pattern, (MODULE / "go.mod").read_text(), re.MULTILINE)
    if found is None:
        message = f"no {pattern!r} in hack/tools/go.mod"
        raise BuildError(message)
    return found.group(1)


def _assets(packages: Mapping[str, str]) -> dict[str, Path]:
    setting = os.environ.get("KUBEBUILDER_ASSETS")
    if not setting:
        return {}
    folder = Path(setting).absolute()
    if not folder.is_dir():
        message = f"KUBEBUILDER_ASSETS: no such folder: {setting} (unset it to build the programs)"
        raise BuildError(message)
    return {name: folder / name for name in packages if _executable(folder / name)}


def _executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _go(replaceable: Mapping[str, str]) -> str:
    """Return the go command; `replaceable` are the programs that an assets folder could have."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        wanted = _in_go_mod(r"^go (\S+)")
        message = (
            f"programs are to be built from Go modules: install Go {wanted} or newer "
            "(https://go.dev/doc/install)"
        )
        if replaceable:
            names = ", ".join(replaceable)
            message += f", or let KUBEBUILDER_ASSETS name a folder that has {names}"
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
            reporter.say("waiting for another build of these programs")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _build(go: str, package: str, file: Path, reporter: Reporter, label: str) -> None:
    """Build under another name and rename: a build that was cut off leaves no half program."""
    file.parent.mkdir(exist_ok=True)
    partial, log = file.with_name(f".{file.name}.partial"), file.with_name(f"{file.name}.log")
    tags = BUILD_TAGS.get(file.name, "")
    flags = ["-trimpath", "-buildvcs=false", f"-tags={tags}", "-ldflags", _link_flags()]
    command = [go, "-C", str(MODULE), "build", *flags, "-o", str(partial), package]
    if reporter.run(label, ["env", f"CGO_ENABLED={int(bool(tags))}", *command], log) != 0:
        tail = "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        message = f"{file.name} did not build (all of it: {log}):\n{tail}"
        raise BuildError(message)
    partial.replace(file)
    log.unlink()
