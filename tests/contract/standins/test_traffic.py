"""Requests through the router stand-in: whose they are, and what of them reaches a backend."""

import http.client
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from standins.running import Answer, ask, chat, free_ports, model, router

Document = dict[str, Any]


def ref(port: int, **fields: object) -> Document:
    return {"name": f"at-{port}", "endpoint": f"127.0.0.1:{port}", **fields}


def by_url(url: str, **fields: object) -> Document:
    return {"name": "only", "base_url": url, "provider": "openai", **fields}


def served(*refs: Document, name: str = "big", **fields: object) -> Document:
    """One model with these backends, as a whole document."""
    return {
        "providers": {"models": [{"name": name, "backend_refs": list(refs), **fields}]},
        "routing": {"modelCards": [{"name": name}]},
    }


def several(ports: Mapping[str, int], **routing: object) -> Document:
    """A model for each port, named after it, the first the default."""
    models = [{"name": name, "backend_refs": [ref(port)]} for name, port in ports.items()]
    cards = [{"name": name} for name in ports]
    defaults = {"model": next(iter(ports))}
    return {
        "providers": {"defaults": defaults, "models": models},
        "routing": {"modelCards": cards, **routing},
    }


def test_a_request_is_answered_by_the_model_that_it_names() -> None:
    with (
        model("one") as one,
        model("two") as two,
        router(several({"big": one, "small": two})) as found,
    ):
        answers = [found.chat("big"), found.chat("small")]
    assert [answer.standin["name"] for answer in answers] == ["one", "two"]
    assert answers[0].headers["x-standin-backend"] == f"at-{one}"
    assert answers[0].headers["x-standin-model"] == "big"
    assert answers[0].headers["x-standin-config"].startswith("sha256:")


def test_an_automatic_name_gets_the_decision_that_matches_else_the_default_model() -> None:
    signals = {"keywords": [{"name": "maths", "operator": "OR", "keywords": ["integral"]}]}
    decision = {
        "name": "sums",
        "rules": {"operator": "AND", "conditions": [{"type": "keyword", "name": "maths"}]},
        "modelRefs": [{"model": "small"}],
    }
    with model("one") as one, model("two") as two:
        document = several({"big": one, "small": two}, signals=signals, decisions=[decision])
        with router(document) as found:
            plain, sums = found.chat("auto"), found.chat("MoM", "An INTEGRAL, please")
    assert (plain.standin["name"], sums.standin["name"]) == ("one", "two")
    assert sums.headers["x-vsr-selected-decision"] == "sums"


def test_an_adapter_s_name_is_a_model_and_reaches_the_backend_as_it_is() -> None:
    with model("one", "-models=law") as one:
        document = served(ref(one))
        document["routing"]["modelCards"][0]["loras"] = [{"name": "law"}]
        with router(document) as found:
            assert found.chat("law").json()["model"] == "law"
            assert found.chat("big").status == 404  # the backend serves the adapter only


def test_the_backend_is_asked_for_its_own_name_of_the_model() -> None:
    with (
        model("one", "-models=org/Big") as one,
        router(served(ref(one), provider_model_id="org/Big")) as found,
    ):
        assert found.chat("big").json()["model"] == "org/Big"


def test_a_model_that_nobody_declared_is_refused_with_400() -> None:
    with model("one") as one, router(served(ref(one))) as found:
        answer = found.chat("nobody")
        nameless = ask(found.port, "/v1/chat/completions", {"messages": []})
    assert (answer.status, answer.json()["error"]["code"]) == (400, "model_not_available")
    assert (nameless.status, nameless.json()["error"]["code"]) == (400, "model_required")


def test_traffic_follows_the_weights() -> None:
    with model("one") as one, model("two") as two, model("three") as three:
        document = served(ref(one, weight=1), ref(two, weight=3), ref(three, weight=6))
        with router(document) as found:
            names = Counter(name for name in thousand(found.port))
    assert sum(names.values()) == 1000
    assert abs(names["one"] - 100) <= 10
    assert abs(names["two"] - 300) <= 10
    assert abs(names["three"] - 600) <= 10


def thousand(port: int) -> list[str]:
    """Who answers 1000 requests on one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    body = json.dumps({"model": "big", "messages": []})
    names = []
    for _ in range(1000):
        connection.request("POST", "/v1/chat/completions", body)
        answer = json.loads(connection.getresponse().read())
        names.append(answer["standin"]["name"])
    connection.close()
    return names


def test_an_address_with_a_path_gets_the_provider_s_path_after_it() -> None:
    with model("one") as one:
        base = f"http://127.0.0.1:{one}/base/"
        azure = {"provider": "azure-openai", "api_version": "2024-10-21"}
        paths = {
            "/base/chat/completions": by_url(base),
            "/base/v1/messages": by_url(base, provider="anthropic"),
            "/base/chat/completions?api-version=2024-10-21": by_url(base, **azure),
            "/other": by_url(base, chat_path="/other"),
            "/v1/chat/completions": ref(one),
        }
        for path, backend in paths.items():
            with router(served(backend)) as found:
                assert found.chat("big").standin["path"] == path


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 200),
        ({"provider": "anthropic"}, 200),
        ({"provider": "azure-openai"}, 200),
        ({"auth_header": "x-api-key", "auth_prefix": ""}, 200),
        ({"auth_header": "x-api-key"}, 401),
        ({"auth_prefix": "Token"}, 401),
    ],
    ids=str,
)
def test_the_key_from_the_environment_reaches_the_backend_in_its_header(
    fields: Document, status: int
) -> None:
    with model("one", key="s3cret") as one:
        backend = by_url(f"http://127.0.0.1:{one}/v1", api_key_env="BIG_KEY", **fields)
        with router(served(backend), environment={"BIG_KEY": "s3cret"}) as found:
            assert found.chat("big", authorization="Bearer of-the-client").status == status
            assert "s3cret" not in found.process.log()


def test_without_a_key_the_client_s_own_is_passed_on() -> None:
    with model("one", key="own") as one, router(served(ref(one))) as found:
        assert found.chat("big").status == 401
        assert found.chat("big", authorization="Bearer own").status == 200


def test_a_dollar_in_a_key_is_expanded_once_more_when_a_request_is_sent() -> None:
    environment = {"BIG_KEY": "a$b", "b": "c"}
    with (
        model("one", key="ac") as one,
        router(served(ref(one, api_key_env="BIG_KEY")), environment=environment) as found,
    ):
        assert found.chat("big").status == 200


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${SET}", "value"),
        ("$SET-x", "value-x"),
        ("${UNSET}x", "x"),
        ("${UNSET:-else}", "else"),
        ("${EMPTY:-else}", "else"),
        ("${EMPTY-else}x", "x"),
        ("${UNSET-else}", "else"),
        ("$$SET", "$SET"),
        ("cost $ 1", "cost $ 1"),
        ("${SET", "${SET"),
        ("${SET:-x${SET}y}", "valuey}"),
    ],
)
def test_variables_in_texts_are_replaced_by_the_environment(text: str, value: str) -> None:
    environment = {"SET": "value", "EMPTY": ""}
    with model("one") as one:
        backend = by_url(f"http://127.0.0.1:{one}", extra_headers={"x-test-text": text})
        with router(served(backend), environment=environment) as found:
            assert found.chat("big").standin["headers"]["x-test-text"] == value


def test_texts_that_look_like_numbers_stay_texts_on_their_way() -> None:
    with (
        model("one", "-models=007") as one,
        router(served(ref(one), name="yes", provider_model_id="007")) as found,
    ):
        assert found.chat("yes").json()["model"] == "007"


def test_of_two_equal_keys_the_last_one_wins() -> None:
    with model("one") as one:
        (port,) = free_ports(1)
        text = f"""
listeners: [{{name: http, address: 127.0.0.1, port: {port}}}]
providers:
  models:
    - name: big
      backend_refs: [{{name: a, endpoint: "127.0.0.1:1", endpoint: "127.0.0.1:{one}"}}]
routing: {{}}
"""
        with router(text):
            assert chat(port, "big").status == 200


def test_a_streamed_answer_arrives_piece_by_piece() -> None:
    with model("one", "-chunks=3", "-pause=300ms") as one, router(served(ref(one))) as found:
        connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=20)
        connection.request("POST", "/v1/chat/completions", '{"model": "big", "stream": true}')
        response = connection.getresponse()
        first = response.readline()
        assert response.readline() == b"\n"
        assert b"one:0" in first
        assert response.getheader("content-type") == "text/event-stream"
        rest = response.read()
        connection.close()
    assert rest.count(b"data: ") == 3
    assert rest.endswith(b"data: [DONE]\n\n")


def test_a_backend_that_is_not_there_is_a_503_and_nobody_else_is_tried() -> None:
    (nobody,) = free_ports(1)
    with model("one") as one, router(served(ref(nobody), ref(one))) as found:
        statuses = [found.chat("big").status for _ in range(4)]
    assert sorted(statuses) == [200, 200, 503, 503]


def test_another_backend_is_tried_where_the_model_s_retry_policy_says_so() -> None:
    policy = {"retry_count": 1, "retry_on": "connect-failure"}
    (nobody,) = free_ports(1)
    with (
        model("one") as one,
        router(served(ref(nobody), ref(one), reliability=policy)) as found,
    ):
        answers = [found.chat("big") for _ in range(6)]
    assert {answer.status for answer in answers} == {200}
    assert "2" in {answer.headers["x-standin-attempts"] for answer in answers}


def test_the_listener_s_timeout_ends_a_slow_request() -> None:
    (port,) = free_ports(1)
    listener = {"name": "http", "address": "127.0.0.1", "port": port, "timeout": "200ms"}
    with (
        model("one", "-latency=10s") as one,
        router({**served(ref(one)), "listeners": [listener]}),
    ):
        assert chat(port, "big").status == 504


def test_keys_of_the_listener_are_asked_for_and_stay_with_the_router() -> None:
    (port,) = free_ports(1)
    listener = {"name": "http", "address": "127.0.0.1", "port": port, "api_keys": ["${KEY}"]}
    with model("one") as one:
        document = {**served(ref(one)), "listeners": [listener]}
        with router(document, environment={"KEY": "front"}):
            without, answer = chat(port, "big"), chat(port, "big", authorization="Bearer front")
            probe = ask(port, "/ready")
    assert (without.status, answer.status, probe.status) == (401, 200, 200)
    assert "authorization" not in answer.standin["headers"]


def test_the_list_of_models_has_the_automatic_name_and_the_others_on_demand() -> None:
    with model("one") as one, router(served(ref(one))) as found:
        few = ask(found.port, "/v1/models")
    document = {**served(ref(one)), "global": {"router": {"include_config_models_in_list": True}}}
    with router(document) as found:
        all_of_them = ask(found.port, "/v1/models")
    assert ids(few) == ["MoM"]
    assert ids(all_of_them) == ["MoM", "big"]


def ids(answer: Answer) -> list[str]:
    return [item["id"] for item in answer.json()["data"]]
