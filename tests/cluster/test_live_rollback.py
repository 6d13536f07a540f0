"""Pods that never become ready, on a real API server with the real Deployment controller: the last
good revision runs again, by itself or because a person asked (docs/adr/0013)."""

import re
from pathlib import Path

import pytest

from cluster.live_objects import Audit, Object, Place, by_service, container, until
from controlplane import ControlPlane
from semantic_router_operator.__main__ import main

NOWHERE = {"nodeSelector": {"example.com/there-is": "none"}, "progressDeadlineSeconds": 3}


def config(place: Place) -> Object:
    found: Object = place.the("sr", "r")["status"]["config"]
    return found


def pods(place: Place) -> set[str]:
    """uids of the router's pods that are ready."""
    found = place.all("pod", "app.kubernetes.io/instance=r")
    return {item["metadata"]["uid"] for item in found if _is_ready(item)}


def _is_ready(pod: Object) -> bool:
    conditions = pod.get("status", {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)


def selector(place: Place) -> object:
    return place.the("deployment", "r")["spec"]["template"]["spec"].get("nodeSelector")


def image(place: Place) -> str:
    return str(container(place.the("deployment", "r"))["image"])


def test_a_revision_whose_pods_never_become_ready_goes_back_and_no_pod_is_replaced(
    place: Place, control_plane: ControlPlane
) -> None:
    place.service("model")
    place.router("r")
    place.ready("r")
    ran = until(lambda: pods(place))
    place.edit("r", **NOWHERE)
    found = place.condition("r", "Degraded", "True", reason="RolledBack")
    assert found["message"].startswith("revision 2 didn't become ready in time (")
    assert "revision 1 runs until the spec changes" in found["message"]
    place.condition("r", "Ready", "False", reason="RolledBack")
    place.condition("r", "Stalled", "True", reason="RolledBack")
    place.condition("r", "Available", "True")
    until(lambda: selector(place) is None)
    assert pods(place) == ran
    assert (config(place)["revision"], config(place)["lastGoodRevision"]) == (1, 1)
    until(lambda: place.condition("r", "Progressing", "False"))
    audit = Audit.of(control_plane)
    place.merge("service", "model", {"metadata": {"annotations": {"vllm.ai/port": "1"}}})
    until(lambda: "RolledBack" in {event["reason"] for event in place.events("r")})
    asked = [event for event in audit.requests() if _is_workload(event, place)]
    assert asked == []
    place.edit("r", nodeSelector=None)
    place.ready("r")
    assert pods(place) == ran
    until(lambda: config(place)["lastGoodRevision"] == config(place)["revision"])


def _is_workload(event: Object, place: Place) -> bool:
    about = event.get("objectRef") or {}
    kinds = {"deployments", "controllerrevisions"}
    ours = "semantic-router-operator" in event["user"]["username"]
    return ours and about.get("namespace") == place.namespace and about.get("resource") in kinds


def test_manual_says_that_the_deadline_has_passed_and_leaves_the_rest_to_people(
    place: Place,
) -> None:
    place.service("model")
    place.router("r", rollback="Manual")
    place.ready("r")
    place.edit("r", **NOWHERE)
    place.condition("r", "Stalled", "True", reason="ProgressDeadlineExceeded")
    assert selector(place) == NOWHERE["nodeSelector"]


def said(
    control_plane: ControlPlane,
    place: Place,
    capsys: pytest.CaptureFixture[str],
    *words: str,
    code: int = 0,
) -> str:
    """What the command prints, on standard error where it fails."""
    flags = ("--kubeconfig", str(control_plane.kubeconfig), "--namespace", place.namespace)
    assert main([words[0], "r", *words[1:], *flags]) == code
    out, err = capsys.readouterr()
    return err if code else out


def test_a_person_goes_back_and_forward_again_by_the_command(
    place: Place, control_plane: ControlPlane, capsys: pytest.CaptureFixture[str]
) -> None:
    place.service("model")
    place.router("r", image={"repository": "example.com/router", "tag": "v1"})
    place.ready("r")
    place.edit("r", image={"tag": "v2"}, vllmEndpoints=[by_service("model", weight=2)])
    place.ready("r")
    until(lambda: config(place)["lastGoodRevision"] == 2)
    lines = said(control_plane, place, capsys, "history").splitlines()
    assert [line.split()[0] for line in lines] == ["REVISION", "1", "2"]
    assert "running, last good" in lines[2]
    assert lines[2].endswith("example.com/router:v2")
    differs = said(control_plane, place, capsys, "history", "--diff", "1")
    assert "\n-    image: example.com/router:v1\n+    image: example.com/router:v2\n" in differs
    assert re.search(r"^\+ +weight: 2$", differs, re.MULTILINE)
    assert "# pod template\n" in said(control_plane, place, capsys, "history", "--revision", "1")
    assert "revision 1" in said(control_plane, place, capsys, "rollback", "--dry-run")
    text = said(control_plane, place, capsys, "rollback")
    assert text == "semanticrouter/r: revision 1 is to run until the spec changes\n"
    until(lambda: image(place).endswith(":v1"))
    place.condition("r", "Degraded", "True", reason="RolledBack")
    until(lambda: config(place)["revision"] == 1)
    said(control_plane, place, capsys, "rollback", "--undo")
    until(lambda: image(place).endswith(":v2"))
    place.ready("r")
    said(control_plane, place, capsys, "rollback", "--to", "1")
    until(lambda: image(place).endswith(":v1"))
    place.edit("r", image={"tag": "v3"})
    place.ready("r")
    assert image(place).endswith(":v3")


def test_a_wish_that_cant_be_met_is_refused_with_a_reason(
    place: Place,
    control_plane: ControlPlane,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def refused(*words: str) -> str:
        return said(control_plane, place, capsys, *words, code=1)

    assert f"there is no SemanticRouter r in namespace {place.namespace}" in refused("rollback")
    place.service("model")
    place.router("r")
    place.ready("r")
    until(lambda: config(place).get("revision") == 1)
    assert "no revision before 1; there is nothing to go back to" in refused("rollback")
    assert "runs revision 1 already" in refused("rollback", "--to", "1")
    assert "has no revision 7; recorded are: 1" in refused("rollback", "--to", "7")
    assert "has no rollback to undo" in refused("rollback", "--undo")
    assert "has no revision 9" in refused("history", "--revision", "9")
    missing = ["history", "r", "--kubeconfig", str(tmp_path / "none")]
    assert main(missing) == 1
    assert "no usable credentials" in capsys.readouterr().err
