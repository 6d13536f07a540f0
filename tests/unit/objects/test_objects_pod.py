"""The pod: when it changes, what it mounts, its environment, image, probes and security."""

from typing import Any

import pytest

import objects_kit as kit
from semantic_router_operator.model.canonical import SecretEnv
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.objects import Images

KEY = SecretEnv(name="VSR_KEY_A", secret="openai", key="api-key")  # noqa: S106  a name, no secret
KEY_ENV = {"name": "VSR_KEY_A", "valueFrom": {"secretKeyRef": {"key": "api-key", "name": "openai"}}}
DEFAULT = "ghcr.io/vllm-project/semantic-router"
DIGEST = f"sha256:{'a' * 64}"
ASK = {"grpc": {"port": 50051}}
CONNECT = {"tcpSocket": {"port": "grpc"}}


def handler(probe: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in probe.items() if key in ("grpc", "tcpSocket", "httpGet")}


def test_sr_10_a_new_document_touches_the_config_map_and_not_the_pod_template() -> None:
    before, after = kit.built(), kit.built(config=kit.document("weight: 2\n"))
    assert kit.body(before, "Deployment") == kit.body(after, "Deployment")
    assert kit.body(before, "ConfigMap") != kit.body(after, "ConfigMap")


def test_sr_10_what_the_router_cannot_reload_rolls_the_pods() -> None:
    calm = kit.pod()
    assert kit.pod(config=kit.document(restart="sha256:other")) != calm
    assert kit.pod({"env": [{"name": "A", "value": "1"}]}) != calm
    assert kit.pod(config=kit.document(env=(KEY,))) != calm
    assert kit.pod({"image": {"tag": "v0.4.0"}}) != calm


def test_sr_10_scaling_does_not_roll_the_pods() -> None:
    assert kit.pod({"replicas": 5}) == kit.pod()


def test_sr_10_sr_13_the_config_is_a_read_only_directory_and_no_path_is_mounted_twice() -> None:
    mounts = kit.container()["volumeMounts"]
    paths = [mount["mountPath"] for mount in mounts]
    assert len(set(paths)) == len(paths)
    assert all("subPath" not in mount for mount in mounts)
    assert mounts[0] == {"mountPath": "/app/config", "name": "config-volume", "readOnly": True}
    volumes = [volume["name"] for volume in kit.pod()["spec"]["volumes"]]
    assert sorted(volumes) == sorted(mount["name"] for mount in mounts)


@pytest.mark.parametrize("spec", [{}, {"livenessProbe": {}}, kit.EXTPROC])
def test_sr_14_a_startup_probe_guards_the_others_for_five_minutes_at_least(
    spec: dict[str, Any],
) -> None:
    probe = kit.container(spec)["startupProbe"]
    assert probe["periodSeconds"] * probe["failureThreshold"] >= 300


def test_sr_14_a_probe_that_is_disabled_is_left_out() -> None:
    container = kit.container({"startupProbe": {"enabled": False}})
    assert "startupProbe" not in container
    assert "livenessProbe" in container


def test_sr_14_the_probed_port_follows_the_mode_and_the_port_flag() -> None:
    assert kit.container()["livenessProbe"]["httpGet"]["port"] == "http-8801"
    moved = kit.container({**kit.EXTPROC, "args": ["-port", "50052"]})
    assert moved["readinessProbe"]["grpc"] == {"port": 50052}
    assert moved["ports"][0] == {"containerPort": 50052, "name": "grpc", "protocol": "TCP"}


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], ASK),
        (["-secure"], CONNECT),
        (["--secure"], CONNECT),
        (["-secure=true"], CONNECT),
        (["--secure", "true"], CONNECT),
        (["--secure=false"], ASK),
        (["-secure", "-secure=false"], ASK),
        (["-cert-path", "-secure"], ASK),
        (["-v=1", "--secure=T"], CONNECT),
    ],
)
def test_a_gateway_router_with_tls_is_probed_by_tcp_since_the_kubelet_asks_grpc_in_clear(
    args: list[str], expected: dict[str, Any]
) -> None:
    container = kit.container({**kit.EXTPROC, "args": args})
    assert handler(container["startupProbe"]) == expected
    assert handler(container["readinessProbe"]) == expected
    assert handler(container["livenessProbe"]) == CONNECT


def test_timings_of_the_resource_win_and_a_zero_delay_is_the_server_s_default() -> None:
    given = {"initialDelaySeconds": 0, "periodSeconds": 7, "timeoutSeconds": 3}
    probe = kit.container({"readinessProbe": {**given, "failureThreshold": 9}})["readinessProbe"]
    assert "initialDelaySeconds" not in probe
    assert (probe["periodSeconds"], probe["timeoutSeconds"], probe["failureThreshold"]) == (7, 3, 9)


def test_timings_that_kubernetes_refuses_are_errors_unless_the_probe_is_off() -> None:
    bad = {"initialDelaySeconds": -1, "periodSeconds": 0, "timeoutSeconds": -2}
    result = kit.built({"livenessProbe": {**bad, "failureThreshold": 0}})
    assert kit.errors(result) == [
        "spec.livenessProbe.initialDelaySeconds: must be at least 0; leave it out for the default",
        "spec.livenessProbe.periodSeconds: must be at least 1; leave it out for the default",
        "spec.livenessProbe.timeoutSeconds: must be at least 1; leave it out for the default",
        "spec.livenessProbe.failureThreshold: must be at least 1; leave it out for the default",
    ]
    assert kit.found(result, "Deployment") is None
    assert kit.built({"livenessProbe": {**bad, "enabled": False}}).issues == ()


def test_op_09_the_user_s_order_of_the_environment_is_kept_after_our_credentials() -> None:
    env = [{"name": "Z", "value": "$(A)"}, {"name": "A", "value": "1"}]
    assert kit.container({"env": env}, config=kit.document(env=(KEY,)))["env"] == [KEY_ENV, *env]


def test_op_09_of_a_variable_that_is_given_twice_the_last_wins_with_a_warning() -> None:
    env = [
        {"name": "FOO", "value": "1"},
        {"name": "B", "value": "2"},
        {"name": "FOO", "value": "3"},
    ]
    result = kit.built({"env": env})
    assert kit.container({"env": env})["env"] == env[1:]
    assert kit.warnings(result) == [
        "spec.env[0]: is set again by spec.env[2], which wins; remove one"
    ]
    assert kit.found(result, "Deployment") is not None


def test_op_09_a_variable_that_we_set_too_is_the_user_s() -> None:
    env = [{"name": "VSR_KEY_A", "value": "mine"}]
    assert kit.container({"env": env}, config=kit.document(env=(KEY,)))["env"] == env


def test_an_empty_value_is_written_as_the_server_keeps_it() -> None:
    assert kit.container({"env": [{"name": "A", "value": ""}]})["env"] == [{"name": "A"}]


def test_impossible_variables_are_errors_that_name_the_place_and_not_the_value() -> None:
    source = {"secretKeyRef": {"name": "s", "key": "k"}}
    env = [{"name": "", "value": "hush"}, {"name": "A=B"}]
    result = kit.built({"env": [*env, {"name": "C", "value": "hush", "valueFrom": source}]})
    assert kit.errors(result) == [
        "spec.env[0].name: must be printable ASCII without =",
        "spec.env[1].name: must be printable ASCII without =",
        "spec.env[2]: has both value and valueFrom; keep one",
    ]


def test_arguments_of_the_user_come_after_ours() -> None:
    args = kit.container({"args": ["-api-port=9000"]})["args"]
    assert args == ["-gateway=standalone", "-listener-address=0.0.0.0", "-api-port=9000"]


def test_the_other_mode_among_the_arguments_is_an_error_and_the_same_mode_is_not() -> None:
    assert kit.errors(kit.built({"args": ["-v", "2", "--gateway=extproc"]})) == [
        (
            "spec.args[2]: -gateway is standalone here: it follows from spec.gateway.existingRef; "
            "remove it"
        )
    ]
    assert kit.built({"args": ["-gateway", "standalone"]}).issues == ()


def test_two_listeners_on_one_port_are_an_error_since_apply_refuses_the_list() -> None:
    assert kit.errors(kit.built({"args": ["-api-port", "9190"]})) == [
        "spec.args: api and metrics would both listen on 9190; move one"
    ]
    assert kit.errors(kit.built({"args": ["-metrics-port=many"]})) == [
        "spec.args[0]: -metrics-port must be a port from 1 to 65535"
    ]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ({}, f"{DEFAULT}/vllm-sr:latest"),
        ({"tag": "v0.4.0"}, f"{DEFAULT}/vllm-sr:v0.4.0"),
        ({"tag": DIGEST}, f"{DEFAULT}/vllm-sr@{DIGEST}"),
        ({"imageRegistry": "r.example.com/"}, f"r.example.com/{DEFAULT}/vllm-sr:latest"),
        ({"repository": "my/router"}, "my/router:latest"),
        (
            {"imageRegistry": "r.example.com", "repository": "my/router", "tag": "1"},
            "r.example.com/my/router:1",
        ),
        ({"repository": "", "tag": ""}, f"{DEFAULT}/vllm-sr:latest"),
    ],
)
def test_the_image_is_registry_repository_and_tag(image: dict[str, str], expected: str) -> None:
    assert kit.container({"image": image})["image"] == expected


def test_the_administrator_s_image_counts_only_where_the_resource_says_nothing() -> None:
    images = Images(cpu="r.example.com/router@sha256:1", nvidia="r.example.com/cuda:1")
    assert kit.container(images=images)["image"] == "r.example.com/router@sha256:1"
    nvidia = {"hardware": {"profile": "nvidia"}}
    assert kit.container(nvidia, images=images)["image"] == "r.example.com/cuda:1"
    tagged = {**nvidia, "image": {"tag": "v1"}}
    assert kit.container(tagged, images=images)["image"] == f"{DEFAULT}/vllm-sr-cuda:v1"
    own = {**nvidia, "image": {"repository": "my/router"}}
    assert kit.container(own, images=images)["image"] == "my/router:latest"


@pytest.mark.parametrize(
    "image",
    [
        {"repository": "a b"},
        {"repository": "my/Router"},
        {"tag": "v 1"},
        {"repository": "a", "tag": "x:y"},
        {"tag": "sha256:abc"},
        {"imageRegistry": " x"},
    ],
)
def test_an_image_that_no_runtime_could_pull_is_an_error(image: dict[str, str]) -> None:
    [error] = kit.errors(kit.built({"image": image}))
    assert error.startswith("spec.image: ")


def test_pull_secrets_are_named_once_since_apply_refuses_doubles() -> None:
    spec = {"imagePullSecrets": [{"name": "b"}, {}, {"name": "a"}, {"name": "b"}]}
    assert kit.pod(spec)["spec"]["imagePullSecrets"] == [{"name": "b"}, {"name": "a"}]


def test_annotations_of_the_user_are_on_the_pod_and_cannot_hide_our_digest() -> None:
    annotations = {"a": "1", "vllm.ai/restart-digest": "x"}
    assert kit.pod({"podAnnotations": annotations})["metadata"]["annotations"] == {
        "a": "1",
        "vllm.ai/restart-digest": "sha256:r",
    }


def test_op_06_pod_labels_are_a_superset_of_the_go_operator_s_selector() -> None:
    spec = kit.body(kit.built(), "Deployment")["spec"]
    assert spec["selector"]["matchLabels"] == kit.SELECTOR
    assert spec["template"]["metadata"]["labels"].items() >= kit.SELECTOR.items()


def test_replicas_are_written_unless_an_autoscaler_owns_them() -> None:
    assert kit.body(kit.built({"replicas": 0}), "Deployment")["spec"]["replicas"] == 0
    scaled = kit.body(kit.built({"replicas": 3, "autoscaling": {"enabled": True}}), "Deployment")
    assert "replicas" not in scaled["spec"]


def test_the_pod_gets_a_token_only_where_the_user_brings_the_service_account() -> None:
    assert kit.pod()["spec"]["automountServiceAccountToken"] is False
    own = kit.pod({"serviceAccount": {"create": False, "name": "mine"}})["spec"]
    assert own["serviceAccountName"] == "mine"
    assert "automountServiceAccountToken" not in own


def restricted(pod: Any) -> bool:
    """Pod Security "restricted", as far as our pods can break it."""
    [container] = pod["spec"]["containers"]
    of_pod, of_container = pod["spec"]["securityContext"], container["securityContext"]
    both = {**of_pod, **of_container}
    return (
        both["runAsNonRoot"] is True
        and both.get("runAsUser") != 0
        and both["seccompProfile"]["type"] == "RuntimeDefault"
        and of_container["allowPrivilegeEscalation"] is False
        and of_container["capabilities"]["drop"] == ["ALL"]
        and not of_container.get("privileged")
        and all({"configMap", "emptyDir"} & volume.keys() for volume in pod["spec"]["volumes"])
    )


@pytest.mark.parametrize("platform", [kit.KUBERNETES, kit.OPENSHIFT])
@pytest.mark.parametrize("profile", ["cpu", "nvidia", "amd", "arm64"])
@pytest.mark.parametrize("mode", [{}, kit.EXTPROC])
def test_os_01_pod_security_restricted_is_met_on_every_platform(
    platform: Any, profile: str, mode: dict[str, Any]
) -> None:
    assert restricted(kit.pod({"hardware": {"profile": profile}, **mode}, platform=platform))


def test_os_01_on_openshift_no_user_and_no_group_is_named() -> None:
    pod = kit.pod(platform=kit.OPENSHIFT)["spec"]
    named = {*pod["securityContext"], *pod["containers"][0]["securityContext"]}
    assert named.isdisjoint({"runAsUser", "runAsGroup", "fsGroup"})


def test_os_01_what_the_user_says_passes_through_field_by_field() -> None:
    spec = {
        "podSecurityContext": {"runAsUser": 4711, "fsGroup": None},
        "securityContext": {
            "readOnlyRootFilesystem": True,
            "capabilities": {"add": ["NET_BIND_SERVICE"]},
        },
    }
    pod = kit.pod(spec, platform=kit.OPENSHIFT)["spec"]
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 4711,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert pod["containers"][0]["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "capabilities": {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    }


def test_os_01_a_route_crd_on_plain_kubernetes_does_not_change_the_security_context() -> None:
    routes = Platform(openshift=False, routes=True)
    assert kit.pod(platform=routes) == kit.pod()


def test_a_user_who_asks_for_root_is_not_contradicted() -> None:
    pod = kit.pod({"podSecurityContext": {"runAsUser": 0}})["spec"]
    assert "runAsNonRoot" not in pod["securityContext"]
    container = kit.container({"securityContext": {"runAsUser": 0}})
    assert container["securityContext"]["runAsNonRoot"] is False


@pytest.mark.parametrize("given", [{"privileged": True}, {"capabilities": {"add": ["SYS_ADMIN"]}}])
def test_privileges_that_exclude_our_default_switch_it_off(given: dict[str, Any]) -> None:
    context = kit.container({"securityContext": given})["securityContext"]
    assert "allowPrivilegeEscalation" not in context
