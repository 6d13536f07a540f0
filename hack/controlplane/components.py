"""The command line of each program, in the order in which they start."""

from dataclasses import dataclass
from pathlib import Path

from controlplane.binaries import Binaries
from controlplane.processes import Command

SERVICE_RANGE = "10.96.0.0/16"
SERVICE_HOSTS = ("10.96.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
ISSUER = "https://kubernetes.default.svc.cluster.local"

AUDIT_POLICY = """\
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
"""


@dataclass(frozen=True)
class Layout:
    """Where one control plane listens and keeps its files."""

    directory: Path
    etcd_port: int
    api_port: int

    @property
    def etcd(self) -> str:
        """URL of etcd."""
        return f"http://127.0.0.1:{self.etcd_port}"

    @property
    def server(self) -> str:
        """URL of the API server."""
        return f"https://127.0.0.1:{self.api_port}"

    @property
    def pki(self) -> Path:
        """Folder of keys and certificates."""
        return self.directory / "pki"

    @property
    def data(self) -> Path:
        """Folder of etcd's data."""
        return self.directory / "etcd"

    def kubeconfig(self, name: str) -> Path:
        """Return the kubeconfig of `name`, "admin" or a program."""
        return self.directory / f"{name}.kubeconfig"


def etcd(layout: Layout, binaries: Binaries) -> Command:
    """Return etcd without fsync: the data isn't meant to outlive the machine."""
    return Command(
        "etcd",
        (
            binaries.path("etcd"),
            f"--data-dir={layout.data}",
            "--unsafe-no-fsync",
            f"--listen-client-urls={layout.etcd}",
            f"--advertise-client-urls={layout.etcd}",
            "--listen-peer-urls=http://127.0.0.1:0",
            "--log-level=warn",
        ),
    )


def apiserver(
    layout: Layout, binaries: Binaries, *, audit_log: Path | None, extra: tuple[str, ...]
) -> Command:
    """Return the API server with RBAC and the usual admission; `extra` comes last and wins."""
    audit = () if audit_log is None else _audit(layout.directory, audit_log)
    pki = layout.pki
    return Command(
        "kube-apiserver",
        (
            binaries.path("kube-apiserver"),
            f"--etcd-servers={layout.etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={layout.api_port}",
            # the kubernetes Service can't have a loopback address as its endpoint
            "--endpoint-reconciler-type=none",
            f"--tls-cert-file={pki / 'apiserver.crt'}",
            f"--tls-private-key-file={pki / 'apiserver.key'}",
            f"--client-ca-file={pki / 'ca.crt'}",
            "--authorization-mode=RBAC",
            "--allow-privileged=true",
            f"--service-cluster-ip-range={SERVICE_RANGE}",
            f"--service-account-issuer={ISSUER}",
            f"--service-account-key-file={pki / 'sa.crt'}",
            f"--service-account-signing-key-file={pki / 'sa.key'}",
            "--profiling=false",
            *audit,
            *extra,
        ),
    )


def controller_manager(layout: Layout, binaries: Binaries) -> Command:
    """Return the controllers, without the client-side limits that would slow a test down."""
    kubeconfig = layout.kubeconfig("kube-controller-manager")
    return Command(
        "kube-controller-manager",
        (
            binaries.path("kube-controller-manager"),
            f"--kubeconfig={kubeconfig}",
            f"--root-ca-file={layout.pki / 'ca.crt'}",
            f"--service-account-private-key-file={layout.pki / 'sa.key'}",
            "--use-service-account-credentials=false",
            "--leader-elect=false",
            "--secure-port=0",
            "--profiling=false",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
            "--concurrent-deployment-syncs=20",
            "--concurrent-replicaset-syncs=20",
            "--concurrent-gc-syncs=20",
            "--concurrent-namespace-syncs=10",
            "--horizontal-pod-autoscaler-sync-period=2s",
            "--pvclaimbinder-sync-period=2s",
            # a busy machine must not take the nodes of kwok for dead: their pods would stay unready
            "--node-monitor-grace-period=24h",
        ),
    )


def scheduler(layout: Layout, binaries: Binaries) -> Command:
    """Return the scheduler."""
    return Command(
        "kube-scheduler",
        (
            binaries.path("kube-scheduler"),
            f"--kubeconfig={layout.kubeconfig('kube-scheduler')}",
            "--leader-elect=false",
            "--secure-port=0",
            "--profiling=false",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
        ),
    )


def kwok(layout: Layout, binaries: Binaries) -> Command:
    """Return kwok, which plays the kubelet of every node."""
    stages = Path(__file__).with_name("stages.yaml")
    return Command(
        "kwok",
        (
            binaries.path("kwok"),
            f"--kubeconfig={layout.kubeconfig('kwok')}",
            f"--config={stages}",
            "--manage-all-nodes=true",
            "--node-ip=10.0.0.1",
        ),
        (("KWOK_WORKDIR", str(layout.directory / "kwok")),),
    )


def _audit(directory: Path, log: Path) -> tuple[str, ...]:
    policy = directory / "audit-policy.yaml"
    policy.write_text(AUDIT_POLICY)
    return (f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-maxsize=10000")
