from typing import Any

import pytest

from fakes.cluster_objects import DELETED, address, endpoint_slice, inference_service, port, service
from fakes.cluster_view import FakeView
from fakes.discovering import SECRET, reasons, resolved, unresolved, urls
from semantic_router_operator.discovery import DiscoveryPolicy
from semantic_router_operator.model.resolution import Target

BACKEND = {"type": "kserve", "inferenceServiceName": "mnist"}
INSIDE = "mnist.ml.svc.cluster.local"
AUTH = {"annotations": {"security.opendatahub.io/enable-auth": "true"}}


def backend(**more: Any) -> dict[str, Any]:
    return {"type": "kserve", "kserve": {"name": "mnist", **more}}


def isvc(address_url: str | None = f"http://{INSIDE}", **more: Any) -> dict[str, Any]:
    status = {} if address_url is None else {"address": {"url": address_url}}
    return inference_service("mnist", status={**status, **more.pop("status", {})}, **more)


def child(
    name: str, *ports: dict[str, Any], component: str = "predictor", **spec: Any
) -> dict[str, Any]:
    labels = {"serving.kserve.io/inferenceservice": "mnist", "component": component}
    owners = [{"uid": "uid-ml-mnist"}]
    return service(name, *ports, meta={"labels": labels, "ownerReferences": owners}, **spec)


PREDICTOR = child("mnist-predictor", port(80, "mnist-predictor"))


def test_the_service_of_the_address_is_used_with_its_own_port() -> None:
    result = resolved(BACKEND, [isvc(), service("mnist", port(80, "http"))])
    assert [target.url for target in result.targets] == [f"http://{INSIDE}:80"]
    assert str(result.source) == "InferenceService ml/mnist"
    assert result.notes == ()


def test_both_spellings_mean_the_same() -> None:
    objects = [isvc(), service("mnist", port(80, "http"))]
    assert resolved(BACKEND, objects) == resolved(backend(), objects)


def test_ks_02_a_service_that_does_not_exist_is_replaced_by_the_predictor_and_noted() -> None:
    result = resolved(BACKEND, [isvc(f"http://{INSIDE}/"), PREDICTOR])
    assert [target.url for target in result.targets] == [
        "http://mnist-predictor.ml.svc.cluster.local:80"
    ]
    assert reasons(result) == ["AddressServiceMissing"]
    assert "Service ml/mnist, which does not exist" in result.notes[0].message


def test_ks_02_a_transformer_stands_before_the_predictor() -> None:
    transformer = child("mnist-transformer", port(80, "x"), component="transformer")
    with_one = isvc(spec={"predictor": {}, "transformer": {"containers": []}})
    assert urls(BACKEND, [with_one, PREDICTOR, transformer]) == [
        "http://mnist-transformer.ml.svc.cluster.local:80"
    ]


def test_ks_02_no_service_at_all_is_not_found() -> None:
    result = unresolved(BACKEND, [isvc()])
    assert result.reason == "NotFound"
    assert "Service ml/mnist, which does not exist" in result.message


def test_ks_03_a_status_that_is_absent_or_has_no_url_is_not_ready() -> None:
    bare = isvc()
    bare["status"] = {}
    assert unresolved(BACKEND, [bare, PREDICTOR]).reason == "NotReady"
    assert unresolved(BACKEND, [isvc(None), PREDICTOR]).reason == "NotReady"


@pytest.mark.parametrize("status", ["False", "Unknown"])
def test_ks_03_not_ready_is_reported_in_kserves_words_and_nothing_is_invented(status: str) -> None:
    condition = {"type": "Ready", "status": status, "reason": "PodFailed", "message": "no GPU."}
    result = unresolved(BACKEND, [isvc(status={"conditions": [condition]}), PREDICTOR])
    assert (result.reason, result.uncertain, result.declared) == ("NotReady", False, None)
    assert "(PodFailed: no GPU)" in result.message
    assert result.message.startswith("spec.vllmEndpoints[0].backend.inferenceServiceName: ")


def test_ks_03_a_url_without_address_prefers_the_service_in_the_cluster() -> None:
    outside = isvc(None, status={"url": "https://mnist.apps.example.com"})
    assert urls(BACKEND, [outside, PREDICTOR]) == ["http://mnist-predictor.ml.svc.cluster.local:80"]


def test_ks_03_an_old_view_of_kserve_keeps_the_last_known_target() -> None:
    known = (Target("http", INSIDE, 80),)
    objects = [isvc(status={"observedGeneration": 2}), service("mnist", port(80, "http"))]
    result = unresolved(BACKEND, objects, last_known=known)
    assert (result.reason, result.uncertain, result.last_known) == ("NotReady", True, known)


def test_ks_03_a_resource_being_deleted_is_not_ready() -> None:
    gone = isvc(meta={"deletionTimestamp": DELETED})
    result = unresolved(BACKEND, [gone, PREDICTOR])
    assert (result.reason, result.uncertain) == ("NotReady", False)


def test_ks_04_the_service_decides_when_the_url_says_https_and_the_port_says_http() -> None:
    objects = [isvc(f"https://{INSIDE}"), service("mnist", port(80, "http"))]
    assert urls(BACKEND, objects) == [f"http://{INSIDE}:80"]


def test_ks_04_with_authentication_the_https_port_is_used_and_a_missing_token_noted() -> None:
    ports = (port(8443, "https"), port(80, "http"))
    objects = [isvc(meta=AUTH), service("mnist", *ports)]
    result = resolved(BACKEND, objects)
    assert [target.url for target in result.targets] == [f"https://{INSIDE}:8443"]
    assert reasons(result) == ["CredentialMissing"]
    assert reasons(resolved(BACKEND, objects, connection=SECRET)) == []


def test_ks_04_an_external_url_stays_the_pair_it_is() -> None:
    outside = isvc(None, status={"url": "http://mnist.apps.example.com:80/v1/"})
    result = resolved(BACKEND, [outside])
    assert [target.url for target in result.targets] == ["http://mnist.apps.example.com:80/v1"]
    assert reasons(result) == ["ExternalAddress"]


def test_ks_04_the_cr_wins_over_everything() -> None:
    objects = [isvc(), service("mnist", port(8443, "https"), port(80, "http"))]
    assert urls(backend(port=8443), objects) == [f"https://{INSIDE}:8443"]
    assert urls(backend(protocol="https"), objects) == [f"https://{INSIDE}:8443"]
    assert urls(backend(port=80, protocol="https"), objects) == [f"https://{INSIDE}:80"]
    outside = isvc(None, status={"url": "http://mnist.apps.example.com:80"})
    assert urls(backend(protocol="https"), [outside]) == ["https://mnist.apps.example.com"]
    assert urls(backend(port=8080), [outside]) == ["http://mnist.apps.example.com:8080"]
    assert unresolved(backend(port="web"), [outside]).reason == "PortNotFound"
    assert unresolved(backend(port=81), objects).reason == "PortNotFound"


def test_ks_04_the_port_of_the_url_decides_among_several() -> None:
    ports = (port(8080, "x"), port(8081, "y"))
    objects = [isvc(f"http://{INSIDE}:8081"), service("mnist", *ports)]
    assert urls(BACKEND, objects) == [f"http://{INSIDE}:8081"]
    assert unresolved(BACKEND, [isvc(), service("mnist", *ports)]).reason == "Ambiguous"


def test_a_headless_service_is_reached_at_its_target_port() -> None:
    headless = service("mnist", port(80, "http", targetPort=8080), clusterIP="None")
    assert urls(BACKEND, [isvc(), headless]) == [f"http://{INSIDE}:8080"]
    assert urls(BACKEND, [isvc(f"http://{INSIDE}:8080"), headless]) == [f"http://{INSIDE}:8080"]
    assert urls(backend(port=9000), [isvc(), headless]) == [f"http://{INSIDE}:9000"]
    named = service("mnist", port(8443, "https", targetPort="https"), clusterIP="None")
    piece = endpoint_slice("x", "mnist", [address("10.0.0.1")], [port(8444, "https")])
    assert urls(BACKEND, [isvc(), named, piece]) == [f"https://{INSIDE}:8444"]


def test_an_alias_of_a_gateway_keeps_its_own_name_for_routing_by_host() -> None:
    alias = service("mnist", type="ExternalName", externalName="gw.istio-system.svc.cluster.local")
    assert urls(BACKEND, [isvc(), alias]) == [f"http://{INSIDE}:80"]


def test_the_path_of_the_url_is_the_base_path_unless_it_is_a_call() -> None:
    objects = [service("mnist", port(80, "http"))]
    assert urls(BACKEND, [isvc(f"http://{INSIDE}/openai/v1/"), *objects]) == [
        f"http://{INSIDE}:80/openai/v1"
    ]
    assert urls(BACKEND, [isvc(f"http://{INSIDE}/v1/models/mnist:predict"), *objects]) == [
        f"http://{INSIDE}:80"
    ]


def test_a_url_that_can_not_be_used_is_not_ready() -> None:
    assert unresolved(BACKEND, [isvc("http://a_b/"), PREDICTOR]).reason == "NotReady"


def test_ks_05_a_hashed_name_is_found_by_labels() -> None:
    name = "mnist-very-long-1a2b3c4d"
    assert urls(BACKEND, [isvc(), child(name, port(80, "x"))]) == [
        f"http://{name}.ml.svc.cluster.local:80"
    ]


def test_ks_05_the_head_of_a_multi_node_group_and_foreign_services_do_not_count() -> None:
    foreign = child("foreign", port(80, "http"))
    foreign["metadata"]["ownerReferences"] = []
    objects = [isvc(), PREDICTOR, child("mnist-head", clusterIP="None"), foreign]
    assert urls(BACKEND, objects) == ["http://mnist-predictor.ml.svc.cluster.local:80"]


def test_ks_05_several_services_of_one_resource_are_ambiguous() -> None:
    objects = [isvc(), PREDICTOR, child("mnist-predictor-2", port(80, "x"))]
    assert unresolved(BACKEND, objects).reason == "Ambiguous"


def test_ks_05_kserves_own_failure_is_copied() -> None:
    text = "metadata.name: must be no more than 63 characters"
    condition = {"type": "Ready", "status": "False", "reason": "ReconcileFailed", "message": text}
    result = unresolved(BACKEND, [isvc(status={"conditions": [condition]})])
    assert f"ReconcileFailed: {text}" in result.message


def test_ks_06_a_kind_that_is_not_installed_is_said_and_others_still_resolve() -> None:
    view = FakeView(not_installed=["InferenceService"])
    result = unresolved(BACKEND, view)
    assert (result.reason, result.uncertain) == ("KindNotInstalled", False)


def test_ks_06_an_absent_resource_names_the_other_kind() -> None:
    result = unresolved(BACKEND, [inference_service("mnist", kind="LLMInferenceService")])
    assert result.reason == "NotFound"
    assert "for an LLMInferenceService set kserve.kind" in result.message


def test_ks_06_an_llm_inference_service_is_reached_through_its_workload_service() -> None:
    labels = {
        "app.kubernetes.io/part-of": "llminferenceservice",
        "app.kubernetes.io/component": "llminferenceservice-workload",
        "app.kubernetes.io/name": "mnist",
    }
    workload = service(
        "mnist-kserve-workload-svc",
        port(8000, "https", appProtocol="https"),
        meta={"labels": labels},
    )
    status = {
        "url": "http://gw.example.com/ml/mnist",
        "addresses": [{"url": "http://gw.example.com/ml/mnist"}],
    }
    llm = inference_service("mnist", kind="LLMInferenceService", status=status)
    kind = backend(kind="LLMInferenceService")
    assert urls(kind, [llm, workload]) == [
        "https://mnist-kserve-workload-svc.ml.svc.cluster.local:8000"
    ]
    assert urls(kind, [llm]) == ["http://gw.example.com/ml/mnist"]


def test_ks_06_an_llm_inference_service_may_be_behind_a_gateway_in_the_cluster() -> None:
    inside = "http://gw.infra.svc.cluster.local/ml/mnist"
    status = {
        "url": "https://llm.example.com/ml/mnist",
        "addresses": [{"url": "https://llm.example.com/ml/mnist"}, {"url": inside}],
    }
    llm = inference_service("mnist", kind="LLMInferenceService", status=status)
    ports = (port(15021, "status-port"), port(80, "http"), port(443, "https"))
    objects = [llm, service("gw", *ports, meta={"namespace": "infra"})]
    assert urls(backend(kind="LLMInferenceService"), objects) == [
        "http://gw.infra.svc.cluster.local:80/ml/mnist"
    ]


def test_what_can_not_be_asked_is_uncertain() -> None:
    for view in (
        FakeView([isvc()], silent=["InferenceService"]),
        FakeView([isvc()], forbidden=["InferenceService"]),
        FakeView([isvc()], silent=["Service"]),
        FakeView([isvc()], forbidden=["Service"]),
        FakeView([isvc(None, status={"url": "http://x.example.com"})], silent=["Service"]),
    ):
        assert unresolved(BACKEND, view).uncertain


@pytest.mark.parametrize("more", [{"name": "Not_A_Name"}, {"port": "0"}, {"namespace": "a/b"}])
def test_a_malformed_backend_is_invalid(more: dict[str, Any]) -> None:
    assert unresolved(backend(**more)).reason == "Invalid"


def test_a_protocol_that_contradicts_the_connection_is_invalid() -> None:
    result = unresolved(backend(protocol="http"), connection={"protocol": "https"})
    assert result.message.startswith("spec.vllmEndpoints[0].backend.kserve.protocol: ")


def test_a_resource_of_another_namespace_gets_no_credential() -> None:
    far = backend(namespace="models")
    assert unresolved(far, connection=SECRET).reason == "Invalid"
    assert unresolved(far, policy=DiscoveryPolicy(cross_namespace=False)).reason == "Invalid"
