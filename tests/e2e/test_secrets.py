"""A key in a Secret arrives at the model server, and is nowhere else to be read."""

import base64
import json
import secrets

from e2e.operators import Operators
from e2e.stage import Stage

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
    entry = {"name": "guarded", "model": "model", "backend": backend}
    stage.quick("r", {**entry, "connection": {"auth": reference}})
    assert stage.answers("r", "model") == {"guarded"}
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
    assert all(texts.values())
