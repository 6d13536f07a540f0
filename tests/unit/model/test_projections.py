from semantic_router_operator.model.facts import ServicePortFacts, SliceEndpointFacts
from semantic_router_operator.model.projections import (
    endpoint_slice_facts,
    gateway_facts,
    inference_service_facts,
    service_facts,
)


def test_an_empty_object_is_an_empty_projection() -> None:
    assert service_facts({}).ports == ()
    assert service_facts({"metadata": {"name": "a"}}).namespace == "default"
    assert endpoint_slice_facts({}).address_type == "IPv4"
    assert inference_service_facts({}).ready is None
    assert gateway_facts({}).programmed is None


def test_parts_of_the_wrong_type_count_as_absent() -> None:
    raw = {
        "metadata": {"name": "a", "labels": {"x": 1, "y": "z"}, "ownerReferences": "none"},
        "spec": {"ports": [{"port": "80"}, {"port": True}, None, {"port": 80, "name": ""}]},
    }
    facts = service_facts(raw)
    assert facts.ports == (ServicePortFacts(None, 80, None, "TCP", None),)
    assert facts.labels == {"y": "z"}
    assert inference_service_facts({"status": {"conditions": {"type": "Ready"}}}).ready is None


def test_a_service_keeps_only_the_annotations_that_mean_something_here() -> None:
    annotations = {"vllm.ai/port": "80", "kubectl.kubernetes.io/x": "y" * 1000}
    facts = service_facts({"metadata": {"name": "a", "annotations": annotations}})
    assert facts.annotations == {"vllm.ai/port": "80"}


def test_a_named_and_a_numeric_target_port_are_kept_apart() -> None:
    ports = [{"port": 80, "targetPort": "http"}, {"port": 81, "targetPort": 8081}]
    facts = service_facts({"spec": {"ports": ports, "clusterIP": "None"}})
    assert [item.target_port for item in facts.ports] == ["http", 8081]
    assert facts.headless


def test_an_endpoint_without_conditions_has_unknown_readiness() -> None:
    raw = {"endpoints": [{"addresses": ["10.0.0.1"]}, {"conditions": {"terminating": True}}]}
    assert endpoint_slice_facts(raw).endpoints == (
        SliceEndpointFacts(("10.0.0.1",), ready=None, terminating=False),
        SliceEndpointFacts((), ready=None, terminating=True),
    )


def test_the_addresses_of_the_newer_llm_inference_service_are_read() -> None:
    inside, outside = "http://gw.infra.svc.cluster.local/a", "https://llm.example.com/a"
    status = {"addresses": [{"url": outside}, {"url": inside}]}
    facts = inference_service_facts({"kind": "LLMInferenceService", "status": status})
    assert (facts.address_url, facts.url) == (inside, outside)


def test_the_ready_condition_is_read_with_its_words() -> None:
    condition = {"type": "Ready", "status": "False", "reason": "R", "message": "M"}
    status = {"observedGeneration": 2, "conditions": [{"type": "Other"}, condition]}
    facts = inference_service_facts({"metadata": {"generation": 3}, "status": status})
    assert (facts.ready, facts.ready_reason, facts.ready_message) == ("False", "R", "M")
    assert (facts.generation, facts.observed_generation) == (3, 2)
