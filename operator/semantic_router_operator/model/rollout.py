"""What a change of each part of the spec does: one table, which the code and the docs read.

The router watches its configuration and swaps in a new one while requests go on, so a change of
the document is a `reload` and must not replace pods (field case SR-10). What it reads at its start
alone, and what is part of the pod, is a `roll`. A test changes every property of the CRD and
compares what moves with what stands here.
"""

from dataclasses import dataclass
from typing import Final, Literal

Effect = Literal["reload", "roll", "object"]
"""`reload`: the ConfigMap's data, which the router takes up by itself. `roll`: the pod template, so
that the pods are replaced. `object`: another object, or the Deployment outside its template."""


@dataclass(frozen=True, slots=True)
class StartupPart:
    """A part of the router's document that the router reads at its start alone.

    `path` is one in the document: keys with `*` in them stand for any text, `**` for any number of
    keys, `[key=value]` for the items of a list that have that value.
    """

    path: str
    what: str
    source: str


@dataclass(frozen=True, slots=True)
class SpecPart:
    """A property of `spec` and what is below it, but for what a longer path says otherwise.

    `effects` is everything that a change of it may do; none for what is only our behaviour.
    """

    path: str
    effects: tuple[Effect, ...]
    why: str


_ROUTER: Final = "vllm-project/semantic-router"
_NATIVE: Final = (
    f"{_ROUTER}, candle-binding/src/ffi (release of August): models are held in `OnceLock`s, a "
    "second one is ignored or refused; later releases take it, and load it as a new pod would"
)
STARTUP: Final = (
    StartupPart(
        "listeners",
        "The ports are bound once.",
        f"{_ROUTER}, website/docs/installation/configuration-management.md, What a change "
        "rebuilds; cmd/native_gateway.go `validateNativeListeners`",
    ),
    StartupPart(
        "global.services.observability.tracing",
        "The exporter is set up once; a reload is accepted and changes nothing.",
        f"{_ROUTER} issue #3822, PR #3827; cmd/runtime_bootstrap.go `initializeTracing`",
    ),
    StartupPart(
        "global.model_catalog.embeddings.semantic.*_model_path",
        "The embedding models are loaded once.",
        _NATIVE,
    ),
    StartupPart(
        "global.model_catalog.embeddings.semantic.use_cpu",
        "The device is chosen with the model.",
        _NATIVE,
    ),
    StartupPart(
        "global.model_catalog.modules.**.model_id",
        "The classifiers are loaded once.",
        _NATIVE,
    ),
    StartupPart(
        "global.model_catalog.modules.**.use_*",
        "Device and architecture are chosen with the model.",
        _NATIVE,
    ),
    StartupPart(
        "routing.signals.classifiers[type=local].model_path",
        "A local classifier's model is loaded once.",
        f"{_ROUTER}, pkg/config `ValidateLocalClassifierReload` (September): model, labels and "
        "device cannot change during hot reload",
    ),
    StartupPart(
        "routing.signals.classifiers[type=local].labels",
        "A local classifier's labels belong to its model.",
        f"{_ROUTER}, pkg/config `ValidateLocalClassifierReload`",
    ),
    StartupPart(
        "routing.signals.classifiers[type=local].use_cpu",
        "A local classifier's device is chosen with its model.",
        f"{_ROUTER}, pkg/config `ValidateLocalClassifierReload`",
    ),
)
"""What of the document goes into the digest in the pod template's annotations."""

_WATCHED: Final = (
    f"{_ROUTER}, pkg/extproc/server_config_watch.go: the directory is watched, and each exchange "
    "of the ConfigMap's files (`..data`) loads the document anew"
)
_POD: Final = "Part of the pod, which Kubernetes can't change while it runs."
SPEC: Final = (
    SpecPart("affinity", ("roll",), _POD),
    SpecPart("args", ("roll", "object"), f"{_POD} Flags for ports move the NetworkPolicy too."),
    SpecPart("autoscaling", ("object",), "The HorizontalPodAutoscaler, and who owns replicas."),
    SpecPart("bootstrap", (), "Accepted, not used."),
    SpecPart("config", ("reload",), f"The document. {_WATCHED}."),
    SpecPart("config.classifier", ("reload", "roll"), "Rolls for another model or device."),
    SpecPart("config.embedding_models", ("reload", "roll"), "Rolls for another model or device."),
    SpecPart("config.observability", ("reload", "roll"), "Tracing is set up at the start."),
    SpecPart("config.prompt_guard", ("reload", "roll"), "Rolls for another model or device."),
    SpecPart(
        "config.response_cache",
        ("reload", "roll"),
        "Rolls where a password comes or goes, or its Secret is another one: environment.",
    ),
    SpecPart("config.routing", ("reload", "roll"), "Rolls for another local classifier."),
    SpecPart("config.semantic_cache", ("reload", "roll"), "As config.response_cache."),
    SpecPart("defaultModel", ("reload",), "The document."),
    SpecPart("drainSeconds", ("roll",), _POD),
    SpecPart("env", ("roll",), f"{_POD} The document's `${{NAME}}` is read from it at each load."),
    SpecPart("envFrom", ("roll",), _POD),
    SpecPart(
        "gateway",
        ("reload", "roll", "object"),
        "Another listener, other flags, ports and probes; another Gateway only of the same mode is "
        "looked up, and nothing moves.",
    ),
    SpecPart(
        "hardware",
        ("reload", "roll"),
        "Image, devices and nodes of the pod, and where its models run.",
    ),
    SpecPart("image", ("roll",), _POD),
    SpecPart("imagePullSecrets", ("roll",), _POD),
    SpecPart("ingress", ("object",), "The Ingress."),
    SpecPart("livenessProbe", ("roll",), _POD),
    SpecPart("networkPolicy", ("object",), "The NetworkPolicy."),
    SpecPart("nodeSelector", ("roll",), _POD),
    SpecPart("openshift", ("object",), "The Route."),
    SpecPart(
        "persistence",
        ("roll", "object"),
        "The claim; rolls where the pods mount another one, and the Deployment's strategy follows.",
    ),
    SpecPart("podAnnotations", ("roll",), _POD),
    SpecPart("podDisruptionBudget", ("object",), "The PodDisruptionBudget."),
    SpecPart("podSecurityContext", ("roll",), _POD),
    SpecPart("priorityClassName", ("roll",), _POD),
    SpecPart("progressDeadlineSeconds", ("object",), "The Deployment; running pods stay."),
    SpecPart("readinessProbe", ("roll",), _POD),
    SpecPart("replicas", ("object",), "The Deployment is scaled; running pods stay."),
    SpecPart("resources", ("roll",), _POD),
    SpecPart("revisionHistoryLimit", (), "How much history is kept."),
    SpecPart("rollback", (), "What is done when new pods don't become ready."),
    SpecPart("runtimeClassName", ("roll",), _POD),
    SpecPart("securityContext", ("roll",), _POD),
    SpecPart("service", ("object",), "The Service, and the Ingress that names its port."),
    SpecPart("serviceAccount", ("roll", "object"), "Rolls where the pods run as another one."),
    SpecPart("serviceAccount.annotations", ("object",), "The ServiceAccount."),
    SpecPart(
        "startupProbe",
        ("roll", "object"),
        f"{_POD} The Deployment's progress deadline follows what it allows.",
    ),
    SpecPart("suspend", (), "Whether anything is done at all."),
    SpecPart("terminationGracePeriodSeconds", ("roll",), _POD),
    SpecPart("tolerations", ("roll",), _POD),
    SpecPart("toolsDb", ("reload",), f"tools_db.json beside the document. {_WATCHED}."),
    SpecPart("topologySpread", ("roll",), _POD),
    SpecPart("topologySpreadConstraints", ("roll",), _POD),
    SpecPart(
        "vllmEndpoints",
        ("reload", "roll"),
        "Rolls only where a model's first credential comes or its last one goes: environment. What "
        "discovery finds for an entry never rolls (field case SR-10).",
    ),
    SpecPart("vllmEndpoints[].apiFormat", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].backend", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].catalog", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].connection", ("reload",), "The document."),
    SpecPart(
        "vllmEndpoints[].connection.auth",
        ("reload", "roll"),
        "Rolls where the Secret is another one: environment. A rotated value reaches the next pod.",
    ),
    SpecPart("vllmEndpoints[].loras", ("reload",), "The document."),
    SpecPart(
        "vllmEndpoints[].model",
        ("reload", "roll"),
        "Rolls where the entry has a credential, whose variable is named after the model.",
    ),
    SpecPart("vllmEndpoints[].name", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].pricing", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].providerModelId", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].reasoning", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].reasoningFamily", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].reliability", ("reload",), "The document."),
    SpecPart("vllmEndpoints[].weight", ("reload",), "The document; 0 as well."),
    SpecPart("volumeMounts", ("roll",), _POD),
    SpecPart("volumes", ("roll",), _POD),
)
