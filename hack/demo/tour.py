"""The steps of the demo, in order: each shows something, and checks what it shows."""

import os
from collections.abc import Callable
from pathlib import Path

from controlplane import ControlPlane
from demo import changes
from demo.stage import ROUTER, Stage
from demo.views import condition
from installation import NAMESPACE, SERVICE_ACCOUNT, OperatorProcess, install

HERE = Path(os.path.relpath(Path(__file__).parent))
Step = tuple[str, Callable[[Stage], None]]
"""Headline and what it does; raises Unobserved or ControlPlaneError."""
OURS = ("-l", f"app.kubernetes.io/instance={ROUTER}")
IDENTITY = f"system:serviceaccount:{NAMESPACE}:{SERVICE_ACCOUNT}"


def start_cluster(stage: Stage) -> None:
    """A Kubernetes of its own."""
    stage.screen.note(
        "Real etcd, kube-apiserver, kube-controller-manager and kube-scheduler; kwok plays the "
        "kubelets, so pods become Ready and no container runs."
    )
    with stage.screen.working("starting the control plane"):
        stage.plane = ControlPlane.start(stage.folder.plane, detached=stage.keep)
    stage.show("get", "nodes", wanted=("cpu Ready", "gpu Ready"))


def install_operator(stage: Stage) -> None:
    """CRD and RBAC, as a user installs them."""
    stage.screen.note("What `kubectl apply -k manifests` installs, the operator's pod apart.")
    with stage.screen.working("applying crds/ and manifests/rbac"):
        stage.folder.operator_kubeconfig.symlink_to(install(stage.plane))
    stage.show("api-resources", "--api-group=vllm.ai", wanted=("semanticrouters sr",))


def start_operator(stage: Stage) -> None:
    """The operator, with the rights of its ServiceAccount and no others."""
    with stage.screen.working("starting the operator as a process"):
        operator = OperatorProcess(stage.folder.operator_kubeconfig, stage.folder.log)
        stage.operator = operator
        operator.start(detached=stage.keep)
        stage.folder.record("operator", operator.pid)
    stage.screen.note("This is who the API server says it is, and what its role lets it do:")
    stage.show(
        "auth", "whoami", "-o=jsonpath={.status.userInfo.username}",
        f"--kubeconfig={os.path.relpath(stage.folder.operator_kubeconfig)}",
        wanted=(IDENTITY,),
    )  # fmt: skip
    role = stage.show(
        "get", "clusterrole", "semantic-router-operator-manager",
        f"-o=go-template-file={HERE / 'rights.tmpl'}",
        wanted=("patch -> semanticrouters/status",),
    )  # fmt: skip
    stage.expect("it isn't admin, and can't read Secrets", seen="secrets" in role, wanted=False)


def apply_router(stage: Stage) -> None:
    """Model Services and a SemanticRouter; one of its models isn't there yet."""
    stage.show(
        "apply", "-f", f"{HERE / 'models.yaml'}", "-f", f"{HERE / 'router.yaml'}",
        wanted=(f"semanticrouter.vllm.ai/{ROUTER} created", "service/qwen3-coder created"),
    )  # fmt: skip
    with stage.screen.working("waiting for two pods"):
        stage.until(
            "two of two pods ready",
            lambda router: (
                condition(router, "Available").status == "True"
                and router["status"]["replicasSummary"] == "2/2"
                and condition(router, "Progressing").status == "False"
            ),
        )
    stage.show("get", "sr", wanted=(f"{ROUTER} False BackendsUnresolved 2/2 standalone",))
    stage.screen.note("It serves, and it isn't Ready: one model has no backend yet.")


def show_conditions(stage: Stage) -> None:
    """What is true, and why."""
    stage.show(
        "get", "sr", ROUTER, f"-o=go-template-file={HERE / 'conditions.tmpl'}",
        wanted=(
            "Ready False BackendsUnresolved",
            "ConfigAccepted True AcceptedWithWarnings",
            "BackendsResolved False BackendsUnresolved",
            "ResourcesApplied True Applied",
            "Available True AllReplicasReady",
            "Stalled False NotStalled",
        ),
    )  # fmt: skip


def show_backends(stage: Stage) -> None:
    """What was found, and what wasn't."""
    stage.show(
        "get", "sr", ROUTER, f"-o=go-template-file={HERE / 'backends.tmpl'}",
        wanted=(
            "chat-a Resolved http://qwen3-8b-a.default.svc.cluster.local:8000",
            "chat-b Resolved http://qwen3-8b-b.default.svc.cluster.local:8000",
            "coder Resolved http://qwen3-coder.default.svc.cluster.local:8000",
            "fleet Unresolved NoMatch",
        ),
    )  # fmt: skip


def show_children(stage: Stage) -> None:
    """What the operator made."""
    stage.show(
        "get", "deploy,svc,cm,sa,hpa", *OURS,
        wanted=(
            f"deployment.apps/{ROUTER} 2/2",
            f"service/{ROUTER} ClusterIP",
            f"configmap/{ROUTER}-config",
            f"serviceaccount/{ROUTER}",
            f"horizontalpodautoscaler.autoscaling/{ROUTER} Deployment/{ROUTER}",
        ),
    )  # fmt: skip
    stage.show("get", "pods", *OURS, wanted=("1/1 Running",))


def show_document(stage: Stage) -> None:
    """The router's own configuration; the model without a backend is left out."""
    text = stage.show(
        "get", "cm", f"{ROUTER}-config", r"-o=jsonpath={.data.config\.yaml}",
        wanted=(
            'version: "v0.3"',
            'endpoint: "qwen3-8b-a.default.svc.cluster.local:8000"',
            "weight: 80",
            "weight: 20",
        ),
    )  # fmt: skip
    stage.expect("the model without a backend isn't in it", seen="mistral" in text, wanted=False)


STEPS: tuple[Step, ...] = (
    ("A Kubernetes control plane on this machine", start_cluster),
    ("Install: CRD and RBAC", install_operator),
    ("The operator runs with its own restricted ServiceAccount", start_operator),
    ("Apply model Services and a SemanticRouter", apply_router),
    ("Its conditions", show_conditions),
    ("Its backends", show_backends),
    ("The objects made for it", show_children),
    ("The generated config.yaml", show_document),
    ("A change: a backend appears", changes.backend_appears),
    ("A change: a weight moves", changes.weight_moves),
    ("A change: a Service is deleted", changes.service_deleted),
    ("Events say what happened, each once", changes.show_events),
)
