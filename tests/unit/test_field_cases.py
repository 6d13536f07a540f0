"""What people who run such operators hit, by whole passes; docs/field-cases.md has all of it."""

from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from candidates import as_the_router_reads
from fakes.cluster_objects import (
    DELETED,
    address,
    endpoint_slice,
    inference_service,
    port,
    service,
)
from fakes.world import FakeWorld, by_service, by_url, router_body
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.reconcile import Outcome, reconcile

Json = dict[str, Any]
MODELS = service("models", port(8000), meta={"namespace": "ns"})


def at(url: str, name: str = "a", **more: Any) -> Json:
    """An entry of kind url."""
    return {"name": name, "model": name, "backend": {"type": "url", "url": url}, **more}


def provided(kind: str, url: str, name: str) -> Json:
    """An entry of kind provider."""
    provider = {"type": kind, "baseURL": url}
    return {"name": name, "model": name, "backend": {"type": "provider", "provider": provider}}


async def passed(
    spec: Json, *objects: Json, status: Mapping[str, Any] | None = None, **more: Any
) -> tuple[FakeWorld, Outcome]:
    outside = FakeWorld(objects)
    body = router_body(**{"generation": 2, **more}, **spec)
    return outside, await reconcile({**body, "status": status or {}}, outside.world)


def document(outside: FakeWorld) -> Json:
    text = outside.cluster.document()
    assert text is not None
    read: Json = as_the_router_reads(text)
    return read


def ref(outside: FakeWorld, model: str = "a") -> Json:
    """The one backend of a model, without what doesn't concern the address."""
    models = document(outside)["providers"]["models"]
    (found,) = next(item for item in models if item["name"] == model)["backend_refs"]
    return {key: found[key] for key in found if key not in ("name", "weight")}


def told(outcome: Outcome, kind: str) -> tuple[str, str]:
    found = next(item for item in outcome.status["conditions"] if item["type"] == kind)
    return found["status"], found["reason"]


def message(outcome: Outcome, kind: str) -> str:
    return str(next(x for x in outcome.status["conditions"] if x["type"] == kind)["message"])


def applied(outside: FakeWorld) -> dict[str, Any]:
    """The objects of the last pass by kind."""
    return {item.kind.kind: item.body for item in outside.cluster.applied[-1][1]}


GEMINI = "https://generativelanguage.googleapis.com/v1beta/openai"


@pytest.mark.parametrize(
    ("entry", "written"),
    [
        (
            at("http://10.0.0.1:8000/v1"),
            {"base_url": "http://10.0.0.1:8000/v1", "provider": "openai"},
        ),
        (provided("gemini", GEMINI, "a"), {"base_url": GEMINI, "provider": "gemini"}),
        (
            at("https://x.example/v1/"),
            {"base_url": "https://x.example/v1", "provider": "openai"},
        ),
        (
            at("https://x.example/v1/", apiFormat="anthropic"),
            {"base_url": "https://x.example", "provider": "anthropic"},
        ),
        (
            at("https://dashscope.aliyuncs.com/compatible-mode/v1"),
            {
                "base_url": "https://dashscope.aliyuncs.com/compatible-mode/v1",
                "provider": "openai",
            },
        ),
        (at("https://x.example"), {"endpoint": "x.example:443", "protocol": "https"}),
    ],
)
async def test_sr_03_an_address_is_written_whole_and_where_the_router_looks_for_it(
    entry: Json, written: Json
) -> None:
    outside, _ = await passed({"vllmEndpoints": [entry]})
    assert ref(outside) == written


@pytest.mark.parametrize(
    ("host", "written"),
    [
        ("vllm-a", "vllm-a.ns.svc.cluster.local:8000"),
        ("vllm-a.models", "vllm-a.models.svc.cluster.local:8000"),
        ("vllm-a.models.svc.", "vllm-a.models.svc.cluster.local:8000"),
    ],
)
async def test_sr_05_a_short_name_is_written_in_full(host: str, written: str) -> None:
    outside, _ = await passed({"vllmEndpoints": [at(f"http://{host}:8000")]})
    assert ref(outside) == {"endpoint": written, "protocol": "http"}


async def test_sr_05_loopback_is_published_with_a_warning() -> None:
    outside, outcome = await passed({"vllmEndpoints": [at("http://LOCALHOST:8000")]})
    assert ref(outside)["endpoint"] == "localhost:8000"
    (backend,) = outcome.status["backends"]
    assert "localhost is the router's own pod" in backend["message"]


async def test_sr_09_all_weights_0_make_the_model_unavailable_and_never_an_even_split() -> None:
    entries = [by_service("models", weight=0), by_url("b", weight=0), by_url("c", model="other")]
    outside, outcome = await passed({"vllmEndpoints": entries}, MODELS)
    assert [item["name"] for item in document(outside)["providers"]["models"]] == ["other"]
    assert told(outcome, "Degraded") == ("True", "ModelDrained")
    assert [item["state"] for item in outcome.status["backends"]] == [
        "Drained",
        "Drained",
        "Resolved",
    ]


@pytest.mark.parametrize("weight", [-1, 101, "5"])
def test_sr_09_another_weight_is_refused_with_its_path(weight: Any) -> None:
    with pytest.raises(InvalidSpec, match=r"^spec\.vllmEndpoints\[0\]\.weight: "):
        parse(router_body(vllmEndpoints=[by_url("a", weight=weight)]))


async def test_sr_10_labels_of_the_router_reach_no_object() -> None:
    body = router_body(vllmEndpoints=[by_url("a")])
    marked = {**body, "metadata": {**body["metadata"], "labels": {"team": "x"}}}
    outside, other = FakeWorld(), FakeWorld()
    await reconcile(body, outside.world)
    await reconcile(marked, other.world)
    assert applied(outside) == applied(other)


async def test_sr_10_another_weight_moves_the_config_map_and_nothing_else() -> None:
    first, _ = await passed({"vllmEndpoints": [by_url("a", weight=1)]})
    second, _ = await passed({"vllmEndpoints": [by_url("a", weight=9)]})
    before, after = applied(first), applied(second)
    assert [kind for kind in before if before[kind] != after[kind]] == ["ConfigMap"]


KEYED: Json = {"auth": {"secretKeyRef": {"name": "keys", "key": "k"}}}
ISVC = inference_service("isvc", meta={"namespace": "ns"}, status={"url": "http://isvc.ns.example"})


@pytest.mark.parametrize(
    ("there", "gone"),
    [
        ((1, (ISVC,)), (1, ())),
        ((1, (ISVC,)), (0, (ISVC,))),
    ],
    ids=["deleted", "drained"],
)
async def test_sr_10_a_backend_with_a_credential_that_goes_and_comes_back_rolls_nothing(
    there: tuple[int, tuple[Json, ...]], gone: tuple[int, tuple[Json, ...]]
) -> None:
    templates = []
    for weight, objects in (there, gone, there):
        backend = {"type": "kserve", "kserve": {"name": "isvc"}}
        keyed = {"name": "b", "model": "b", "backend": backend, "connection": KEYED}
        spec = {"vllmEndpoints": [by_url("a"), {**keyed, "weight": weight}]}
        outside, _ = await passed(spec, *objects)
        served = [model["name"] for model in document(outside)["providers"]["models"]]
        assert ("b" in served) is ((weight, objects) == there)
        templates.append(applied(outside)["Deployment"]["spec"]["template"])
    assert templates[0] == templates[1] == templates[2]


BAD_VALUES: Json = {
    "vllmEndpoints": [by_url("a")],
    "config": {
        "semantic_cache": {},
        "response_cache": {},
        "routing": {
            "decisions": [
                {"name": "d", "rules": {"operator": "AND", "conditions": [
                    {"type": "bogus", "name": "x"}]}},
                {"name": "d", "rules": {"operator": "AND", "conditions": [
                    {"type": "keyword", "name": "nope"}]}},
            ]
        },
    },
}  # fmt: skip


async def test_sr_11_every_bad_value_is_told_with_its_path_and_the_last_good_document_stays() -> (
    None
):
    good, before = await passed({"vllmEndpoints": [by_url("a")]})
    outside = FakeWorld()
    outside.cluster.good = good.cluster.revisions[-1].config
    body = router_body(generation=3, **BAD_VALUES)
    outcome = await reconcile({**body, "status": before.status}, outside.world)
    text = message(outcome, "ConfigAccepted")
    for path in (
        "spec.config.semantic_cache: ",
        "spec.config.routing.decisions[0].rules.conditions[0].type: ",
        "spec.config.routing.decisions[1].name: ",
        "spec.config.routing.decisions[1].rules.conditions[0].name: ",
    ):
        assert path in text
    assert outside.cluster.document() == good.cluster.document()
    assert (outcome.status["observedGeneration"], outcome.retry) == (3, False)
    threshold = {"config": {"response_cache": {"enabled": True, "similarity_threshold": "1.5"}}}
    _, unreadable = await passed(threshold, status=outcome.status, generation=4)
    path = "spec.config.response_cache.similarity_threshold: "
    assert message(unreadable, "Ready").startswith(path)
    assert unreadable.status["observedGeneration"] == 4
    _, mended = await passed({"vllmEndpoints": [by_url("a")]}, status=outcome.status)
    assert told(mended, "ConfigAccepted") == ("True", "Accepted")


async def test_sr_12_what_the_router_knows_passes_and_what_nobody_knows_is_warned_of() -> None:
    signal = {"name": "e", "query_modality": "image", "candidates": ["x"], "threshold": 0.5}
    routing = {"signals": {"embeddings": [signal]}, "foo": 1}
    multimodal = {"embedding_config": {"model_type": "multimodal"}}
    config = {"routing": routing, "embedding_models": multimodal}
    spec = {"vllmEndpoints": [by_url("a")], "config": config}
    outside, outcome = await passed(spec)
    written = document(outside)["routing"]
    assert written["signals"]["embeddings"] == [signal]
    assert written["foo"] == 1
    assert told(outcome, "ConfigAccepted") == ("True", "AcceptedWithWarnings")
    (warning,) = [note.message for note in outcome.events if note.type == "Warning"]
    assert "spec.config.routing.foo: " in warning
    assert "query_modality" not in warning


@pytest.mark.parametrize(
    "spec",
    [
        {},
        {"vllmEndpoints": []},
        {
            "vllmEndpoints": [
                {
                    "name": "a",
                    "model": "m",
                    "backend": {"type": "kserve", "inferenceServiceName": "nobody"},
                }
            ]
        },
    ],
)
async def test_sr_15_the_smallest_routers_have_a_document_and_pods(spec: Json) -> None:
    outside, outcome = await passed(spec)
    assert document(outside)["listeners"][0]["port"] == 8801
    assert "Deployment" in applied(outside)
    reason = "BackendsUnresolved" if spec.get("vllmEndpoints") else "NoBackends"
    assert told(outcome, "BackendsResolved")[1] == reason


OLD, NEW = {"app": "llama-stack"}, {"app": "ogx-server"}
EITHER: Json = {
    "name": "a",
    "model": "a",
    "backend": {
        "type": "serviceSelector",
        "serviceSelector": {
            "matchExpressions": [
                {"key": "app", "operator": "In", "values": ["llama-stack", "ogx-server"]}
            ]
        },
    },
}


def stack(name: str, labels: Json, **meta: Any) -> list[Json]:
    ready = [address("10.0.0.1", ready=True)]
    return [
        service(name, port(8321), meta={"namespace": "ns", "labels": labels, **meta}),
        endpoint_slice(f"{name}-x", name, ready, [port(8321)], meta={"namespace": "ns"}),
    ]


@pytest.mark.parametrize(
    ("objects", "host"),
    [
        (stack("llama", OLD), "llama"),
        (stack("llama", NEW), "llama"),
        (stack("llama", OLD, deletionTimestamp=DELETED) + stack("ogx", NEW), "ogx"),
        (stack("ogx", {**NEW, "before": "llama-stack"}), "ogx"),
    ],
)
async def test_ls_03_a_renamed_stack_is_followed_and_only_the_one_that_is_there_is_written(
    objects: list[Json], host: str
) -> None:
    outside, _ = await passed({"vllmEndpoints": [EITHER]}, *objects)
    assert ref(outside)["endpoint"] == f"{host}.ns.svc.cluster.local:8321"


async def test_ds_02_a_label_and_an_address_count_as_they_are_now() -> None:
    labels = {"app": "x", "role": "decode"}
    chosen = {"type": "serviceSelector", "serviceSelector": {"matchLabels": labels}}
    slices = {"type": "endpointslice", "endpointSlice": {"serviceName": "models"}}
    entries = [
        {"name": name, "model": name, "backend": backend}
        for name, backend in (("a", chosen), ("b", slices))
    ]

    def cluster(role: str, ip: str) -> list[Json]:
        named = {"namespace": "ns", "labels": {"app": "x", "role": role}}
        piece = endpoint_slice("s", "models", [address(ip)], [port(8000)], meta={"namespace": "ns"})
        return [service("models", port(8000), meta=named), piece]

    spec = {"vllmEndpoints": entries}
    outside, before = await passed(spec, *cluster("decode", "10.0.0.1"))
    assert ref(outside, "b")["endpoint"] == "10.0.0.1:8000"
    outside, after = await passed(spec, *cluster("prefill", "10.0.0.2"), status=before.status)
    assert ref(outside, "b")["endpoint"] == "10.0.0.2:8000"
    assert [item["name"] for item in document(outside)["providers"]["models"]] == ["b"]
    assert after.status["backends"][0]["reason"] == "NoMatch"


async def test_op_10_the_last_endpoint_leaves_nothing_of_its_model() -> None:
    spec: Json = {"vllmEndpoints": [by_url("a", loras=[{"name": "sql"}], reasoningFamily="qwen3")]}
    _, before = await passed(spec)
    outside, after = await passed({"vllmEndpoints": []}, status=before.status)
    assert document(outside)["routing"] == {"modelCards": []}
    assert "providers" not in document(outside)
    assert after.status.get("backends", []) == []
    assert "defaultModel" not in after.status["config"]


async def test_op_12_nothing_is_new_in_a_second_look_at_many_routers() -> None:
    for name in (f"r{number}" for number in range(150)):
        outside = FakeWorld([MODELS])
        body = router_body(name, vllmEndpoints=[by_service("models")])
        first = await reconcile(body, outside.world)
        second = await reconcile({**body, "status": first.status}, outside.world)
        assert (second.status, second.events) == (first.status, ())


@pytest.mark.parametrize(
    "spec",
    [
        {"toolsDb": [{"tool": {"type": "function", "function": {"name": "t"}},
                      "description": "\u6f22" * 400_000}]},
        {"vllmEndpoints": [by_url(f"e{n}", model="m" * 360 + str(n)) for n in range(3000)]},
    ],
    ids=["tools", "endpoints"],
)  # fmt: skip
async def test_op_14_too_much_is_told_with_size_and_limit_and_tried_no_more(spec: Json) -> None:
    good, before = await passed({"vllmEndpoints": [by_url("a")]})
    outside = FakeWorld()
    outside.cluster.good = good.cluster.revisions[-1].config
    body = router_body(generation=3, **spec)
    outcome = await reconcile({**body, "status": before.status}, outside.world)
    assert told(outcome, "ConfigAccepted") == ("False", "ConfigTooLarge")
    assert "1048576" in message(outcome, "ConfigAccepted").replace(",", "")
    assert outside.cluster.document() == good.cluster.document()
    assert outcome.retry is False


async def test_op_16_every_object_is_beside_the_router_and_owned_by_nobody_else() -> None:
    far = service("models", port(8000), meta={"namespace": "elsewhere"})
    backend = {"type": "service", "service": {"name": "models", "namespace": "elsewhere",
                                              "port": 8000}}  # fmt: skip
    spec: Json = {
        "vllmEndpoints": [{"name": "a", "model": "a", "backend": backend}],
        "autoscaling": {"enabled": True},
        "networkPolicy": {"enabled": True},
        "podDisruptionBudget": {"enabled": True},
        "persistence": {},
    }
    outside, _ = await passed(spec, far)
    for body in applied(outside).values():
        assert body["metadata"]["namespace"] == "ns"
        owners = body["metadata"].get("ownerReferences", [])
        assert [owner["uid"] for owner in owners] == (
            [] if body["kind"] == "PersistentVolumeClaim" else ["uid-r"]
        )


NULLS = ("openshift", "env", "resources", "persistence", "config", "gateway", "tolerations")


async def test_op_17_an_explicit_null_is_the_same_as_nothing() -> None:
    plain = {"vllmEndpoints": [by_url("a")]}
    nulls = {"vllmEndpoints": [by_url("a", weight=None, loras=None)], **dict.fromkeys(NULLS)}
    (first, one), (second, other) = await passed(plain), await passed(nulls)
    assert applied(first) == applied(second)
    assert one.status == other.status


async def test_os_02_a_cluster_that_turns_out_to_be_openshift_gets_other_pods() -> None:
    outside = FakeWorld()
    body = router_body(vllmEndpoints=[by_url("a")])
    users = []
    for platform in (Platform(), Platform(openshift=False, routes=True), Platform(True, True)):  # noqa: FBT003
        outside.cluster.platforms = platform
        await reconcile(body, outside.world)
        pod = applied(outside)["Deployment"]["spec"]["template"]["spec"]
        users.append(pod["securityContext"].get("runAsUser"))
    assert users == [1000, 1000, None]


async def test_os_03_a_host_that_is_taken_back_is_the_routers_again() -> None:
    def hosted(hostname: str) -> Json:
        return {"openshift": {"routes": {"enabled": True, "hostname": hostname}}}

    outside = FakeWorld()
    outside.cluster.platforms = Platform(openshift=True, routes=True)
    hosts = []
    for hostname in ("", "a.example.com", ""):
        await reconcile(router_body(**hosted(hostname)), outside.world)
        hosts.append(applied(outside)["Route"]["spec"].get("host"))
    assert hosts == [None, "a.example.com", None]


@pytest.mark.parametrize("policy", ["allow", "", "ALLOW"])
def test_os_04_a_policy_in_other_letters_is_refused_with_its_path(policy: str) -> None:
    tls = {"insecureEdgeTerminationPolicy": policy}
    spec: Json = {"openshift": {"routes": {"enabled": True, "tls": tls}}}
    with pytest.raises(InvalidSpec, match=r"^spec\.openshift\.routes\.tls\.insecureEdge"):
        parse(router_body(**spec))


async def test_os_04_what_a_user_puts_on_the_route_is_not_in_ours() -> None:
    outside = FakeWorld()
    outside.cluster.platforms = Platform(openshift=True, routes=True)
    await reconcile(router_body(openshift={"routes": {"enabled": True}}), outside.world)
    tls = applied(outside)["Route"]["spec"]["tls"]
    assert set(tls) == {"termination", "insecureEdgeTerminationPolicy"}


async def test_gpu_02_a_restarted_operator_makes_the_same_bytes() -> None:
    spec: Json = {
        "tolerations": [
            {"operator": "Exists"},
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5},
        ],
        "nodeSelector": {"gpu": "true", "n": "1"},
        "affinity": {"nodeAffinity": {}},
    }
    (first, _), (second, _) = await passed(spec), await passed(spec)
    text = yaml.safe_dump(applied(first)["Deployment"])
    assert text == yaml.safe_dump(applied(second)["Deployment"])
    pod = yaml.safe_load(text)["spec"]["template"]["spec"]
    assert (pod["tolerations"], pod["nodeSelector"]) == (spec["tolerations"], spec["nodeSelector"])
