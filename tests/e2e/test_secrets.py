"""A key in a Secret arrives at the model server, stays there, and is nowhere else to be read."""

import base64
import json
import secrets

from cluster.live_objects import by_service
from e2e.figures import Figures
from e2e.operators import Operators
from e2e.stage import Stage, entry
from e2e.traffic import traffic

READABLE = (
    "configmap",
    "controllerrevision",
    "deployment",
    "event",
    "pod",
    "replicaset",
    "service",
    "sr",
)
"""Whatever somebody may read who may not read Secrets."""


def test_a_key_arrives_upstream_and_nowhere_else(stage: Stage, operators: Operators) -> None:
    key = secrets.token_urlsafe(24)
    stage.create("secret", "key", stringData={"token": key})
    reference = {"secretKeyRef": {"name": "key", "key": "token"}}
    stage.models("guarded", env=[{"name": "API_KEY", "valueFrom": reference}])
    url = f"http://guarded.{stage.namespace}.svc:8000/v1"
    backend = {"type": "url", "url": url}
    guarded = {"name": "guarded", "model": "model", "backend": backend}
    stage.models("other")
    other = by_service("other", model="other")
    stage.quick("r", {**guarded, "connection": {"auth": reference}}, other)
    assert stage.answers("r", "model") == {"guarded"}
    sent = {model: stage.ask("r", model)["standin"]["headers"] for model in ("model", "other")}
    carriers = [model for model, names in sent.items() if "authorization" in names]
    assert carriers == ["model"]
    routing = {"decisions": [{"name": "d", "modelRefs": [{"model": "nobody"}]}]}
    stage.edit("r", config={"routing": routing})
    stage.condition("r", "ConfigAccepted", "False")  # errors don't tell it either
    texts = {kind: json.dumps(stage.all(kind)) for kind in READABLE}
    texts["the operators' log"] = operators.logs()
    for name in stage.running("r"):
        texts[f"the log of {name}"] = stage.api.text(stage.path("pod", name, "log"))
    spellings = (key, base64.b64encode(key.encode()).decode().rstrip("="))
    told = [where for where, text in texts.items() if any(one in text for one in spellings)]
    assert told == []
    assert [kind for kind in READABLE if not stage.all(kind)] == [], "nothing was looked at"


def test_an_entry_with_a_key_is_renamed_and_removed_without_a_failed_request(
    stage: Stage, figures: Figures
) -> None:
    """Both change the document alone: pods that run have no other variable."""
    stage.create("secret", "key", stringData={"token": secrets.token_urlsafe(24)})
    reference = {"secretKeyRef": {"name": "key", "key": "token"}}
    stage.models("a", "b", env=[{"name": "API_KEY", "valueFrom": reference}])
    auth = {"auth": reference}
    stage.quick("r", entry("a", connection=auth), entry("b", connection=auth))
    ran = set(stage.running("r"))
    with traffic(stage, "r", ["model"]) as client:
        mark = client.mark()
        renamed = {**entry("a", connection=auth), "name": "0-renamed"}
        stage.edited("r", vllmEndpoints=[renamed, entry("b", connection=auth)])
        stage.edited("r", vllmEndpoints=[entry("b", connection=auth)])
        seen = client.window(mark)
    figures.disruption("entries with a key renamed and removed", seen)
    assert seen.failed == 0, seen.errors
    assert set(stage.running("r")) == ran
