from typing import Any

import pytest

from candidates import candidate, entry, errors, found, held, missing, target
from semantic_router_operator import names
from semantic_router_operator.model.canonical import SecretEnv
from semantic_router_operator.model.resolution import Resolution, Target

KEY = {"secretKeyRef": {"name": "keys", "key": "openai"}}


def _refs(*entries: Any, resolutions: list[Resolution] | None = None) -> list[Any]:
    document = candidate({"vllmEndpoints": list(entries)}, resolutions).document
    refs: list[Any] = document["providers"]["models"][0]["backend_refs"]
    return refs


def _ref(to: Target, **fields: Any) -> Any:
    (ref,) = _refs(entry("a", "m", **fields), resolutions=[found(to)])
    return ref


def _provider(type_: str, **fields: Any) -> Any:
    return {"backend": {"type": "provider", "provider": {"type": type_}}, **fields}


def test_a_plain_target_is_an_endpoint_with_its_protocol_and_weight() -> None:
    assert _ref(target("a.ns.svc.cluster.local"), weight=7) == {
        "name": "a",
        "endpoint": "a.ns.svc.cluster.local:8000",
        "protocol": "http",
        "weight": 7,
    }


def test_sr_03_a_path_means_base_url_and_a_provider_and_never_an_endpoint() -> None:
    to = target("x.example", 443, protocol="https", base_path="/v1beta/openai")
    assert _ref(to) == {
        "name": "a",
        "base_url": "https://x.example:443/v1beta/openai",
        "provider": "openai",
        "weight": 1,
    }


def test_sr_03_the_protocol_of_an_endpoint_is_always_written() -> None:
    to = target("x.example", None, protocol="https")
    assert _ref(to) == {
        "name": "a",
        "endpoint": "x.example:443",
        "protocol": "https",
        "weight": 1,
    }


def test_sr_03_a_url_without_a_port_stays_without_one() -> None:
    to = target("dashscope.aliyuncs.com", None, protocol="https", base_path="/compatible-mode/v1")
    assert _ref(to)["base_url"] == "https://dashscope.aliyuncs.com/compatible-mode/v1"


def test_sr_03_an_anthropic_root_has_no_v1() -> None:
    to = target("x.example", None, protocol="https", base_path="/v1")
    ref = _ref(to, apiFormat="anthropic")
    assert (ref["base_url"], ref["provider"]) == ("https://x.example", "anthropic")
    ref = _ref(to, apiFormat="openai")
    assert (ref["base_url"], ref["provider"]) == ("https://x.example/v1", "openai")


def test_sr_03_an_openai_root_without_a_path_is_warned_about() -> None:
    to = target("api.openai.com", None, protocol="https")
    spec = {"vllmEndpoints": [entry("a", "m", **_provider("openai"))]}
    (note,) = candidate(spec, [found(to)]).notes
    assert note.path == "spec.vllmEndpoints[0].backend"
    assert "want /v1 before it" in note.message


@pytest.mark.parametrize(
    ("connection", "written"),
    [
        ({"chatPath": "/chat"}, {"chat_path": "/chat"}),
        ({"apiVersion": "2024-06-01"}, {"api_version": "2024-06-01"}),
        ({"auth": {"header": "x-key"}}, {"auth_header": "x-key"}),
        ({"auth": {"prefix": ""}}, {"auth_prefix": ""}),
        ({"extraHeaders": {"b": "2", "a": "1"}}, {"extra_headers": {"a": "1", "b": "2"}}),
    ],
)
def test_a_setting_that_needs_a_profile_means_base_url(
    connection: dict[str, Any], written: dict[str, Any]
) -> None:
    assert _ref(target("h.ns"), connection=connection) == {
        "name": "a",
        "base_url": "http://h.ns:8000",
        "provider": "openai",
        **written,
        "weight": 1,
    }


def test_a_service_annotation_gives_api_version_and_chat_path_unless_the_cr_does() -> None:
    to = target("h.ns", api_version="v1", chat_path="/annotated")
    ref = _ref(to, connection={"chatPath": "/of-the-cr"})
    assert (ref["api_version"], ref["chat_path"]) == ("v1", "/of-the-cr")


def test_a_provider_keeps_its_type() -> None:
    to = target("x.openai.azure.com", None, protocol="https", base_path="/openai")
    assert _ref(to, **_provider("azure-openai"))["provider"] == "azure-openai"


@pytest.mark.parametrize("connection", [{}, {"provider": "vllm"}])
def test_vllm_is_what_a_plain_endpoint_means(connection: dict[str, Any]) -> None:
    assert "provider" not in _ref(target("h.ns"), connection=connection)


def test_vllm_with_a_path_is_written_openai_which_both_routers_know() -> None:
    ref = _ref(target("h.ns", base_path="/v1"), connection={"provider": "vllm"})
    assert ref["provider"] == "openai"


def test_a_credential_alone_stays_a_plain_endpoint() -> None:
    ref = _ref(target("h.ns"), connection={"auth": KEY})
    assert ref["endpoint"] == "h.ns:8000"
    assert ref["api_key_env"] == names.env_name("m")


def test_op_18_a_credential_is_an_environment_variable_and_never_a_value() -> None:
    spec = {"vllmEndpoints": [entry("a", "m", connection={"auth": KEY})]}
    assert candidate(spec).env == (SecretEnv(names.env_name("m"), "keys", "openai"),)


def test_entries_of_one_model_share_the_variable_of_their_credential() -> None:
    entries = [entry(name, "m", connection={"auth": KEY}) for name in ("b", "a")]
    assert {ref["api_key_env"] for ref in _refs(*entries)} == {names.env_name("m")}


@pytest.mark.parametrize("kept", [("a",), ("b",), ("renamed",), ("a", "b", "0-new")])
def test_a_variable_stays_while_entries_come_go_and_are_renamed(kept: tuple[str, ...]) -> None:
    """Pods that run have no other one, and read the new document before they are replaced."""
    entries = [entry(name, "m", connection={"auth": KEY}) for name in kept]
    assert candidate({"vllmEndpoints": entries}).env == (
        SecretEnv(names.env_name("m"), "keys", "openai"),
    )


def test_a_variable_does_not_move_while_an_entry_is_down() -> None:
    entries = [entry(name, "m", connection={"auth": KEY}) for name in ("b", "a")]
    (ref,) = _refs(*entries, resolutions=[found("b.ns"), missing()])
    assert ref["api_key_env"] == names.env_name("m")


def test_a_second_secret_of_a_model_has_a_variable_of_its_own() -> None:
    """Of an entry that doesn't serve now: refs of one model must have the same."""
    other = {"secretKeyRef": {"name": "keys", "key": "next"}}
    entries = [
        entry("a", "m", connection={"auth": KEY}),
        entry("b", "m", weight=0, connection={"auth": other}),
    ]
    found_names = [variable.name for variable in candidate({"vllmEndpoints": entries}).env]
    assert found_names[0] == names.env_name("m")
    assert len(set(found_names)) == 2


def test_sr_05_an_ipv6_address_is_in_brackets() -> None:
    assert _ref(target("2001:db8::1"))["endpoint"] == "[2001:db8::1]:8000"


def test_several_targets_are_several_refs_with_the_weight_of_their_entry() -> None:
    resolved = found(target("x.ns", suffix="x"), target("y.ns", suffix="y"))
    refs = _refs(entry("a", "m", weight=5), resolutions=[resolved])
    assert [(ref["name"], ref["weight"]) for ref in refs] == [("a-x", 5), ("a-y", 5)]


def test_refs_stay_unique_when_a_suffixed_name_is_anothers() -> None:
    entries = [entry("a", "m"), entry("A-x", "m"), entry("a-x-y", "m")]
    resolutions: list[Resolution] = [
        found(target("x.ns", suffix="x"), target("z.ns", suffix="x-y")),
        found("b.ns"),
        missing(),
    ]
    refs = [ref["name"] for ref in _refs(*entries, resolutions=resolutions)]
    assert len({name.casefold() for name in refs}) == 3
    assert "A-x" in refs
    assert "a-x-y" not in refs


def test_refs_are_sorted_by_name() -> None:
    refs = _refs(entry("b", "m"), entry("c", "m"), entry("a", "m"))
    assert [ref["name"] for ref in refs] == ["a", "b", "c"]


def test_sr_09_weight_0_drains() -> None:
    refs = _refs(entry("a", "m", weight=0), entry("b", "m", weight=100))
    assert [(ref["name"], ref["weight"]) for ref in refs] == [("b", 100)]


def test_sr_09_a_drained_declared_address_is_not_written_either() -> None:
    spec = {"vllmEndpoints": [entry("a", "m", weight=0)]}
    result = candidate(spec, [missing(declared=target("a.ns"))])
    assert "providers" not in result.document


@pytest.mark.parametrize(
    ("first", "second", "setting"),
    [
        ({"chatPath": "/a"}, {"chatPath": "/b"}, "connection.chatPath"),
        ({"apiVersion": "1"}, {"apiVersion": "2"}, "connection.apiVersion"),
        ({"provider": "openai"}, {"provider": "gemini"}, "connection.provider"),
        ({"auth": {"header": "a"}}, {"auth": {"header": "b"}}, "connection.auth.header"),
        ({"auth": {"prefix": "a"}}, {"auth": {"prefix": ""}}, "connection.auth.prefix"),
        ({"auth": KEY}, {}, "connection.auth.secretKeyRef"),
        (
            {"extraHeaders": {"a": "1"}},
            {"extraHeaders": {"a": "2"}},
            "connection.extraHeaders",
        ),
    ],
)
def test_backends_of_one_model_agree_and_both_are_named(
    first: dict[str, Any], second: dict[str, Any], setting: str
) -> None:
    entries = [entry("a", "m", connection=first), entry("b", "m", connection=second)]
    result = held({"vllmEndpoints": entries})
    assert result.reason == "ConflictingModelSettings"
    (error,) = errors(result)
    assert error.startswith(f"spec.vllmEndpoints[1].{setting}: ")
    assert f"spec.vllmEndpoints[0].{setting}" in error


@pytest.mark.parametrize(
    ("other", "setting"),
    [
        (target("b.ns", protocol="https"), "connection.protocol"),
        (target("10.0.0.1"), "backend"),
    ],
)
def test_targets_of_one_model_agree(other: Target, setting: str) -> None:
    spec = {"vllmEndpoints": [entry("a", "m"), entry("b", "m")]}
    result = held(spec, [found("a.ns"), found(other)])
    assert [error.split(": ")[0] for error in errors(result)] == [
        f"spec.vllmEndpoints[1].{setting}"
    ]


def test_a_path_on_one_backend_only_names_what_differs() -> None:
    spec = {"vllmEndpoints": [entry("a", "m"), entry("b", "m")]}
    result = held(spec, [found("a.ns"), found(target("b.ns", base_path="/v1"))])
    assert errors(result)[1] == (
        "spec.vllmEndpoints[1].connection.basePath: is /v1, "
        "spec.vllmEndpoints[0].connection.basePath is not set, "
        'but both are model "m"; make them equal or give the backends different models'
    )


def test_targets_of_one_entry_agree_and_both_are_named() -> None:
    resolved = found(target("x.ns", suffix="x"), target("y.ns", protocol="https", suffix="y"))
    result = held({"vllmEndpoints": [entry("a", "m")]}, [resolved])
    assert errors(result) == [
        (
            "spec.vllmEndpoints[0].connection.protocol: targets http://x.ns:8000 and "
            'https://y.ns:8000 of "a" differ in it; set it here, or select alike targets'
        )
    ]


def test_no_value_of_a_header_is_in_a_message() -> None:
    entries = [
        entry("a", "m", connection={"extraHeaders": {"h": "hush"}}),
        entry("b", "m", connection={"extraHeaders": {"h": "quiet"}}),
    ]
    text = " ".join(errors(held({"vllmEndpoints": entries})))
    assert "hush" not in text
    assert "quiet" not in text


def test_a_drained_entry_contradicts_nobody() -> None:
    entries = [
        entry("old", "m", weight=0, connection={"chatPath": "/old"}, providerModelId="old"),
        entry("new", "m", connection={"chatPath": "/new"}, providerModelId="new"),
    ]
    (ref,) = _refs(*entries)
    assert (ref["name"], ref["chat_path"]) == ("new", "/new")
