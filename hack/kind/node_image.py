"""The image of a node of ours: Debian with systemd, our programs, and the images it imports."""

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from controlplane.binaries import Binaries, kubernetes_version, pinned_version
from controlplane.progress import Reporter
from kind import debian, layout
from kind.archive import Entry, Image, write_archive, write_layer

HERE = Path(__file__).parent
OVERLAY = HERE / "node"
"""Files of the node, at their place in it."""

PAUSE_TAG = "3.10.2"
"""As node/etc/containerd/config.toml has it."""

REPOSITORY = "local/kind-node"

HELPER = "local/local-path-helper:1"
"""The shell with which the storage provisioner makes and removes folders."""

PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "kmod", "procps", "ca-certificates", "busybox-static"),
    *("iproute2", "iptables", "nftables", "conntrack", "ethtool", "socat"),
    *("containernetworking-plugins", "libseccomp2"),
)
UNWANTED = (
    "lib/systemd/system/multi-user.target.wants/*",
    "lib/systemd/system/local-fs.target.wants/*",
    "lib/systemd/system/basic.target.wants/*",
    "etc/systemd/system/*.wants/*",
    "lib/systemd/system/sockets.target.wants/*udev*",
    "lib/systemd/system/sockets.target.wants/*initctl*",
    "lib/systemd/system/sysinit.target.wants/systemd-tmpfiles-setup.service",
    "usr/lib/sysctl.d/*",
    "etc/sysctl.d/*",
)
"""Units that have no place in a container, and sysctls that would be set for the machine."""

FOLDERS: Mapping[str, str] = {
    "usr/bin": "kubelet kubeadm kubectl",
    "usr/local/bin": "containerd ctr containerd-shim-runc-v2 crictl",
    "usr/local/sbin": "runc",
}
"""Folder of the node -> the programs in it."""

ENABLED = ("containerd", "kubelet", "load-images")
_XTABLES = "usr/lib/x86_64-linux-gnu/xtables"


def name(programs: Binaries) -> str:
    """Return REPOSITORY:TAG; the tag has a key of all that the image is made of."""
    digest = hashlib.sha256(repr((PACKAGES, UNWANTED, FOLDERS, debian.SUITE)).encode())
    for source in sorted((*HERE.glob("*.py"), *OVERLAY.rglob("*"))):
        if source.stem in {"node_image", "archive", "debian"} or OVERLAY in source.parents:
            digest.update(f"{source.relative_to(HERE)}\n".encode())
            digest.update(source.read_bytes() if source.is_file() else b"")
    for program, path in sorted(programs.paths.items()):
        digest.update(f"{program} {path.parent.name}\n".encode())  # the folder's name is its key
    return f"{REPOSITORY}:{kubernetes_version()}-{digest.hexdigest()[:12]}"


def archive(programs: Binaries, reporter: Reporter) -> Path:
    """Return the archive of the node image, made if the cache hasn't got it.

    Raises CommandError.
    """
    image = name(programs)
    path = layout.cache() / f"node-{image.rpartition('-')[2]}.tar"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    root = debian.root("node", PACKAGES, reporter, dropped=UNWANTED)
    with TemporaryDirectory(dir=path.parent, prefix=".node-") as folder:
        scratch = Path(folder)
        base = debian.write_layer(root, scratch / "debian.tar", reporter)
        reporter.say("pack the programs and the images of the node")
        images = write_archive(scratch / "images.tar", _images(programs, root, scratch))
        own = write_layer(scratch / "own.tar", _own(programs, images))
        entrypoint = ("/usr/local/bin/entrypoint", "/sbin/init")
        node = Image(
            image, (base, own), entrypoint, ("container=docker",), {"StopSignal": "SIGRTMIN+3"}
        )
        return write_archive(path, [node])


def _own(programs: Binaries, images: Path) -> Iterator[Entry]:
    """What is laid over Debian."""
    for folder, names in FOLDERS.items():
        for program in names.split():
            yield Entry(f"{folder}/{program}", programs.paths[program])
    for path in sorted(OVERLAY.rglob("*")):
        if path.is_file():
            inside = path.relative_to(OVERLAY)
            mode = 0o755 if inside.parent.name == "bin" else 0o644
            yield Entry(str(inside), path, mode=mode)
    units = "etc/systemd/system"
    for unit in ENABLED:
        target = f"/{units}/{unit}.service"
        yield Entry(f"{units}/multi-user.target.wants/{unit}.service", target=target)
    target = "/lib/systemd/system/multi-user.target"
    yield Entry(f"{units}/default.target", target=target)
    yield Entry("opt/cni/bin", target="/usr/lib/cni")
    yield Entry("etc/kubernetes/manifests")
    yield Entry("kind/version", data=kubernetes_version().encode(), mode=0o644)
    yield Entry("kind/images/images.tar", images, mode=0o644)


def _images(programs: Binaries, root: Path, scratch: Path) -> Iterator[Image]:
    """The images that a node imports when it starts, each from scratch."""
    registry, version = "registry.k8s.io", kubernetes_version()
    etcd = pinned_version("go.etcd.io/etcd/server/v3").removeprefix("v")
    dns = pinned_version("github.com/coredns/coredns")
    metrics = pinned_version("sigs.k8s.io/metrics-server")
    storage = pinned_version("github.com/rancher/local-path-provisioner")
    names = {
        f"{registry}/kube-apiserver:{version}": "kube-apiserver",
        f"{registry}/kube-controller-manager:{version}": "kube-controller-manager",
        f"{registry}/kube-scheduler:{version}": "kube-scheduler",
        f"{registry}/kube-proxy:{version}": "kube-proxy",
        f"{registry}/etcd:{etcd}": "etcd",
        f"{registry}/coredns/coredns:{dns}": "coredns",
        f"{registry}/pause:{PAUSE_TAG}": "pause",
        f"{registry}/metrics-server/metrics-server:{metrics}": "metrics-server",
        f"local/local-path-provisioner:{storage}": "local-path-provisioner",
    }
    for image, program in names.items():
        entries = [
            Entry(f"usr/local/bin/{program}", programs.paths[program]),
            Entry("tmp", mode=0o1777),
        ]
        if program == "kube-proxy":
            entries += _iptables(root)
        layer = write_layer(scratch / f"{program}.tar", entries)
        yield Image(image, (layer,), (f"/usr/local/bin/{program}",))
    busybox = root / "usr/bin/busybox"
    tools = [Entry("bin/busybox", busybox)]
    tools += [Entry(f"bin/{tool}", target="busybox") for tool in ("sh", "mkdir", "rm")]
    yield Image(HELPER, (write_layer(scratch / "helper.tar", tools),))


def _iptables(root: Path) -> Iterator[Entry]:
    """What kube-proxy runs, with the libraries: the only program that isn't static."""
    program = "usr/sbin/xtables-nft-multi"
    plugins = sorted(str(path.relative_to(root)) for path in (root / _XTABLES).glob("*.so"))
    yield Entry(program, root / program)
    for plugin in plugins:
        yield Entry(plugin, root / plugin)
    for library, file in debian.libraries(root, [program, *plugins]).items():
        # Debian's /lib and /lib64 are links into /usr
        yield Entry(f"usr/{library.removeprefix('/usr/').lstrip('/')}", file)
    for link in ("bin", "sbin", "lib", "lib64"):
        yield Entry(link, target=f"usr/{link}")
    for command in ("iptables", "ip6tables"):
        for suffix in ("", "-save", "-restore"):
            yield Entry(f"usr/sbin/{command}{suffix}", target="xtables-nft-multi")
    for database in ("etc/protocols", "etc/services"):
        if (root / database).exists():
            yield Entry(database, root / database, mode=0o644)
    yield Entry("run")
