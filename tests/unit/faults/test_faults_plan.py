from faults.plan import Answer, Drop, Plan, Rule, status_body
from faults.seen import Seen, hasty
from faults.subject import Subject, json_only, subject

WRITE = Subject("PATCH", "/api/v1/namespaces/a/configmaps/r", "configmaps", "a", "r")
OTHER = Subject("PATCH", "/api/v1/namespaces/a/services/r", "services", "a", "r")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_url_says_what_a_request_is_about() -> None:
    base = "/apis/vllm.ai/v1alpha1"
    assert subject("PATCH", f"{base}/namespaces/a/semanticrouters/r/status?force=true") == Subject(
        "PATCH",
        f"{base}/namespaces/a/semanticrouters/r/status",
        "semanticrouters/status",
        "a",
        "r",
    )
    assert subject("GET", f"{base}/semanticrouters?limit=5").verb == "LIST"
    assert subject("GET", f"{base}/semanticrouters?watch=true").verb == "WATCH"
    assert subject("GET", "/api/v1/namespaces/a/services/s").verb == "GET"
    assert subject("GET", "/api/v1/namespaces/a").resource == "namespaces"
    assert subject("GET", "/version").resource == ""
    assert subject("GET", "/apis/apps/v1").resource == ""


def test_events_and_leases_are_no_writes_that_count() -> None:
    assert WRITE.is_write
    assert not subject("POST", "/apis/events.k8s.io/v1/namespaces/a/events").is_write
    assert not subject("PUT", "/apis/coordination.k8s.io/v1/namespaces/a/leases/l").is_write
    assert not subject("GET", "/api/v1/namespaces/a/services").is_write


def test_an_event_of_a_watch_is_about_its_object() -> None:
    watch = subject("GET", "/api/v1/services?watch=1")
    found = watch.event({"type": "ADDED", "object": {"metadata": {"namespace": "a", "name": "s"}}})
    assert (found.verb, found.namespace, found.name) == ("EVENT", "a", "s")
    assert watch.event({}).name == ""


def test_protobuf_is_never_asked_for() -> None:
    assert json_only("application/vnd.kubernetes.protobuf,application/json") == "application/json"
    assert json_only("application/vnd.kubernetes.protobuf") == "application/json"
    assert json_only("") == "application/json"


def test_a_rule_spares_the_first_and_strikes_as_often_as_it_may() -> None:
    plan = Plan()
    rule = plan.add(Rule(Answer(409), lambda one: one.is_write, skip=1, times=1))
    assert [plan.on_request(WRITE) for _ in range(3)] == [None, Answer(409), None]
    assert rule.hits == 1


def test_a_rule_for_each_target_strikes_each_once() -> None:
    plan = Plan()
    plan.add(Rule(Answer(500), lambda _: True, per_target=1))
    struck = [plan.on_request(one) is not None for one in (WRITE, OTHER, WRITE, OTHER)]
    assert struck == [True, True, False, False]


def test_a_rule_is_over_after_its_time() -> None:
    clock = Clock()
    plan = Plan(clock)
    clock.now = 100.0
    plan.add(Rule(Answer(401), lambda _: True, seconds=2.0))
    assert plan.on_request(WRITE) == Answer(401)
    clock.now = 102.0
    assert plan.on_request(WRITE) is None


def test_a_fault_of_events_leaves_requests_alone() -> None:
    plan = Plan()
    plan.add(Rule(Drop(), lambda _: True))
    assert plan.on_request(WRITE) is None
    assert plan.on_event(WRITE) == Drop()
    plan.clear()
    assert plan.on_event(WRITE) is None


def test_an_answer_says_when_to_come_again() -> None:
    assert b'"retryAfterSeconds": 3' in status_body(429, 3)
    assert b'"reason": "TooManyRequests"' in status_body(429, 3)


def test_who_comes_again_before_retry_after_is_told() -> None:
    refused = Seen(1.0, WRITE, 0, Answer(429, retry_after=2))
    assert hasty([refused, Seen(1.5, OTHER, 200), Seen(3.1, WRITE, 200)]) == []
    told = hasty([Seen(2.0, WRITE, 200), refused])
    assert told == ["PATCH configmaps r came again 1.0 s before Retry-After"]
