"""The three changes of the demo, and how the operator answers each."""

import os
from pathlib import Path

from demo import layout
from demo.stage import ROUTER, Stage
from demo.views import backend, condition, pods

HERE = Path(os.path.relpath(Path(__file__).parent))
BACKENDS = f"-o=go-template-file={HERE / 'backends.tmpl'}"
WEIGHT = '[{"op": "replace", "path": "/spec/vllmEndpoints/0/weight", "value": 50}]'
PODS = ("pods", "-l", f"app.kubernetes.io/instance={ROUTER}")


def backend_appears(stage: Stage) -> None:
    """The missing Service is created: the router becomes Ready, and nobody touched it."""
    generation = stage.router()["metadata"]["generation"]
    stage.show(
        "apply", "-f", f"{HERE / 'late_model.yaml'}", wanted=("service/mistral-small-1 created",)
    )
    took = stage.until(
        "Ready is True, as a Service has the label now",
        lambda router: condition(router, "Ready") == ("True", "Running"),
    )
    stage.screen.seen(f"Ready is True {took:.1f} s after the Service appeared")
    stage.show("get", "sr", wanted=(f"{ROUTER} True Running 2/2",))
    stage.show(
        "get", "sr", ROUTER, BACKENDS,
        wanted=("fleet Resolved http://mistral-small-1.default.svc.cluster.local:8000",),
    )  # fmt: skip
    now = stage.router()["metadata"]["generation"]
    stage.expect("the SemanticRouter itself wasn't edited", seen=now, wanted=generation)
    has = "mistral-small-1.default.svc.cluster.local:8000" in stage.document()
    stage.expect("its address is in config.yaml", seen=has, wanted=True)


def weight_moves(stage: Stage) -> None:
    """The document changes; the pods, which reload it, stay."""
    before, was = stage.document(), _workload(stage)
    stage.show("patch", "sr", ROUTER, "--type=json", "-p", WEIGHT, wanted=("patched",))
    took = stage.until_document("config.yaml has the new weight", lambda text: "weight: 50" in text)
    stage.screen.seen(f"config.yaml is new {took:.1f} s after the patch:")
    changed = layout.changed_lines(before, stage.document())
    stage.screen.output("\n".join(changed))
    moved = [" ".join(line.split()) for line in changed if line[:1] in "+-"]
    stage.expect("only that weight changed", seen=moved, wanted=["- weight: 80", "+ weight: 50"])
    stage.until(
        "Ready is True for the new generation",
        lambda router: condition(router, "Ready").status == "True",
    )
    stage.show("get", *PODS, wanted=("1/1 Running",))
    stage.expect(
        "the Deployment's generation and the pods are the same: nothing was rolled",
        seen=_workload(stage),
        wanted=was,
    )


def service_deleted(stage: Stage) -> None:
    """What is gone is named, with the reason; the rest goes on."""
    stage.show("delete", "service", "qwen3-8b-b", wanted=('service "qwen3-8b-b" deleted',))
    took = stage.until(
        "backend chat-b is Unresolved with reason NotFound",
        lambda router: backend(router, "chat-b")[:2] == ("Unresolved", "NotFound"),
    )
    stage.screen.seen(f"reported {took:.1f} s after the Service was deleted")
    stage.show("get", "sr", wanted=(f"{ROUTER} True Degraded 2/2",))
    stage.show(
        "get", "sr", ROUTER, BACKENDS,
        wanted=(
            "chat-a Resolved http://qwen3-8b-a.default.svc.cluster.local:8000",
            "chat-b Unresolved NotFound",
            "coder Resolved http://qwen3-coder.default.svc.cluster.local:8000",
            "fleet Resolved http://mistral-small-1.default.svc.cluster.local:8000",
        ),
    )  # fmt: skip
    text = stage.document()
    left = [name for name in ("8b-a", "8b-b", "coder", "small-1") if f"{name}.default" in text]
    stage.expect(
        "the others are in config.yaml, the deleted one isn't",
        seen=left,
        wanted=["8b-a", "coder", "small-1"],
    )


def show_events(stage: Stage) -> None:
    """The story so far, in the operator's words."""
    stage.show(
        "get", "events", "--field-selector", "involvedObject.kind=SemanticRouter",
        "-o=custom-columns=TYPE:.type,REASON:.reason,MESSAGE:.message",
        wanted=("Normal BackendResolved", "Normal ConfigAccepted", "Warning BackendsUnresolved"),
    )  # fmt: skip


def _workload(stage: Stage) -> tuple[int, frozenset[str]]:
    """What would move if pods were rolled."""
    deployment = stage.get("deploy", ROUTER)
    return deployment["metadata"]["generation"], pods(stage.get(*PODS))
