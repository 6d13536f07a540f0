"""How long a router that failed has to wait."""

import time
from typing import Any, cast

from semantic_router_operator.controller import Controller
from semantic_router_operator.known_router import KnownRouter
from semantic_router_operator.model.body import RouterKey
from semantic_router_operator.settings import Settings
from semantic_router_operator.telemetry import Telemetry
from semantic_router_operator.work_queue import WorkQueue

KEY = RouterKey("ns", "r")


def controller(**settings: Any) -> Controller:
    unused = cast("Any", None)
    return Controller(
        world=unused,
        publisher=unused,
        adoption=unused,
        interests=unused,
        telemetry=Telemetry(),
        settings=Settings(**settings),
        queue=WorkQueue(clock=lambda: 0.0),
    )


def wait(of: Controller) -> float:
    return of.queue._due[KEY]


def test_passes_that_events_wake_before_the_delay_is_over_do_not_lengthen_it() -> None:
    tried = controller(backoff_seconds=10.0)
    entry = KnownRouter({})
    for _ in range(8):
        tried._back_off(KEY, entry, None)
    assert entry.failures == 1
    assert 4.0 < wait(tried) <= 10.0


def test_each_retry_that_fails_doubles_the_delay_up_to_the_limit() -> None:
    tried = controller(backoff_seconds=1.0, backoff_limit_seconds=6.0)
    entry, waits = KnownRouter({}), []
    for _ in range(6):
        entry.retry_at = 0.0
        tried.queue.forget(KEY)
        tried._back_off(KEY, entry, None)
        waits.append(wait(tried))
    for delay, most in zip(waits, (1.0, 2.0, 4.0, 6.0, 6.0, 6.0), strict=True):
        assert most * 0.49 <= delay <= most


def test_it_is_never_sooner_than_the_api_server_asked_for() -> None:
    tried = controller(backoff_seconds=0.001)
    entry = KnownRouter({}, retry_at=time.monotonic() - 1)
    tried._back_off(KEY, entry, 30.0)
    assert wait(tried) == 30.0


def test_a_name_that_somebody_else_has_is_tried_again_soon() -> None:
    tried = controller(backoff_seconds=1.0, backoff_limit_seconds=300.0)
    entry = KnownRouter({}, failures=20)
    tried._back_off(KEY, entry, None, within=15.0)
    assert 7.0 < wait(tried) <= 15.0
