"""Pods that never get ready go back by themselves, and clients don't notice."""

import time
from typing import Any

import pytest

from cluster.live_objects import Object, until
from e2e.figures import Figures
from e2e.stage import POD_SECONDS, QUICK, Stage
from e2e.traffic import traffic

DEADLINE = 10
MISSING = {**QUICK["image"], "tag": "nobody-has-pushed-it", "pullPolicy": "Never"}
NEVER_READY: list[Object] = [{"name": "STANDIN_READY_AFTER", "value": "1h"}]
CRASH = {"name": "standin-crash", "modelRefs": [{"model": "model"}]}
"""Settings that no rule refuses and that end the router's process: see the stand-in's README."""


@pytest.mark.parametrize(
    ("what", "spec"),
    [
        ("an image that isn't there", {"image": MISSING}),
        ("pods that never get ready", {"env": NEVER_READY}),
    ],
)
def test_pods_that_never_get_ready_go_back_while_the_old_ones_serve(
    stage: Stage, figures: Figures, what: str, spec: dict[str, Any]
) -> None:
    stage.models("model")
    stage.quick("r", progressDeadlineSeconds=DEADLINE)
    ran = set(stage.running("r"))
    with traffic(stage, "r", ["model"]) as client:
        mark, began = client.mark(), time.monotonic()
        stage.edit("r", **spec)
        found = stage.condition("r", "Degraded", "True", reason="RolledBack", seconds=60)
        seconds = time.monotonic() - began
        stage.condition("r", "Available", "True", seconds=POD_SECONDS)
        client.watch(3)
        seen = client.window(mark)
    assert "revision 1 runs until the spec changes" in found["message"]
    figures.disruption(f"{what}, and the way back", seen)
    figures.duration(f"{what}, until it is rolled back (deadline {DEADLINE} s)", seconds)
    assert seen.failed == 0, seen.errors
    assert set(stage.running("r")) == ran
    stage.edit("r", env=None, image={**QUICK["image"], "pullPolicy": None})
    stage.ready("r", seconds=POD_SECONDS)
    assert set(stage.running("r")) == ran


def test_settings_that_end_the_router_go_back_and_it_serves_again(
    stage: Stage, figures: Figures
) -> None:
    """What no rule knows of ends every pod at once; until it is back, nobody serves."""
    stage.models("model")
    stage.quick("r", replicas=2, progressDeadlineSeconds=DEADLINE)
    live = stage.digest("r")
    with traffic(stage, "r", ["model"]) as client:
        mark, began = client.mark(), time.monotonic()
        stage.edit("r", config={"routing": {"decisions": [CRASH]}})
        stage.condition("r", "Degraded", "True", reason="RolledBack", seconds=180)
        figures.duration(
            f"settings that end the router, until they go back (deadline {DEADLINE} s)",
            time.monotonic() - began,
        )
        assert stage.digest("r") == live
        stage.condition("r", "Available", "True", seconds=180)
        figures.duration(
            "settings that end the router, until it serves again", time.monotonic() - began
        )
        seen = client.window(mark)
        until(lambda: not client.watch(1).failed, seconds=30)  # kube-proxy hears of pods later
        after = client.watch(3)
    figures.disruption("settings that end every pod (nobody left to serve)", seen)
    assert after.failed == 0, after.errors
    assert stage.restarts("r") > 0
