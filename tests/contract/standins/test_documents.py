"""Which documents the router stand-in takes and which it refuses."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from standins.running import ended

GOLDEN = Path(__file__).parents[2] / "golden" / "expected"

Document = dict[str, Any]


def judged(file: Path, mode: str = "standalone") -> tuple[int, Any]:
    """The exit code and what -validate-config prints."""
    result = ended("router", "-validate-config", f"-config={file}", f"-gateway={mode}")
    return result.returncode, json.loads(result.stdout)


def live() -> Iterator[tuple[str, str]]:
    """The name of every recorded result with a ConfigMap, and its router's mode."""
    for file in sorted(GOLDEN.glob("*.yaml")):
        text = file.read_text()
        if "config.yaml: |" in text:
            yield file.stem, "extproc" if "- -gateway=extproc" in text else "standalone"


def config_map(name: str) -> str:
    objects = yaml.safe_load_all((GOLDEN / f"{name}.yaml").read_text())
    return next(str(x["data"]["config.yaml"]) for x in objects if x and x["kind"] == "ConfigMap")


@pytest.mark.parametrize(("name", "mode"), [*live()])
def test_every_document_that_the_operator_makes_live_is_taken(
    name: str, mode: str, tmp_path: Path
) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(config_map(name), encoding="utf-8")
    assert judged(file, mode) == (0, {"valid": True, "errors": []})


def test_there_are_such_documents_of_both_modes() -> None:
    assert {mode for _, mode in live()} == {"standalone", "extproc"}


def good() -> Document:
    """A document that is taken, with something of everything that is changed below."""
    return {
        "version": "v0.3",
        "listeners": [{"name": "http", "address": "127.0.0.1", "port": 8801, "timeout": "300s"}],
        "providers": {
            "defaults": {"model": "big"},
            "models": [
                {
                    "name": "big",
                    "backend_refs": [
                        {"name": "a", "endpoint": "a.example.com:8000", "weight": 1},
                        {"name": "b", "endpoint": "b.example.com:8000", "weight": 3},
                    ],
                },
                {
                    "name": "small",
                    "backend_refs": [
                        {"name": "c", "base_url": "http://c/v1", "provider": "openai"}
                    ],
                },
            ],
        },
        "routing": {
            "modelCards": [{"name": "big", "loras": [{"name": "law"}]}, {"name": "small"}],
            "signals": {
                "keywords": [{"name": "maths", "operator": "OR", "keywords": ["integral"]}]
            },
            "decisions": [
                {
                    "name": "maths",
                    "rules": {"type": "keyword", "name": "maths"},
                    "modelRefs": [{"model": "big", "lora_name": "law"}],
                }
            ],
        },
    }


Edit = Callable[[Document], object]


def refs(document: Document) -> list[Document]:
    found: list[Document] = document["providers"]["models"][0]["backend_refs"]
    return found


def decision(document: Document) -> Document:
    found: Document = document["routing"]["decisions"][0]
    return found


def management(**fields: object) -> Edit:
    return lambda document: document.update(
        {"global": {"services": {"management_api": dict(fields)}}}
    )


REFUSED: dict[str, tuple[Edit, str]] = {
    "unknown key": (lambda d: d.update(colour=1), "colour: unknown key"),
    "unknown key of a ref": (lambda d: refs(d)[0].update(port=1), "backend_refs[0].port: unknown"),
    "removed key": (
        lambda d: d["providers"]["defaults"].update(default_model="big"),
        "providers.defaults.default_model: key was removed",
    ),
    "removed key of August": (
        lambda d: d["providers"]["models"][0].update(reasoning_family="qwen3"),
        "reasoning_family: key was removed",
    ),
    "other version": (lambda d: d.update(version="v0.4"), "version"),
    "quoted number": (lambda d: refs(d)[0].update(weight="1"), "weight: must be int, not text"),
    "number for a name": (
        lambda d: d["providers"]["models"][0].update(name=7),
        "providers.models[0].name: must be string, not a number",
    ),
    "bool for a name": (lambda d: refs(d)[0].update(name=True), "must be string, not a bool"),
    "no listener": (lambda d: d.update(listeners=[]), "listeners: standalone mode needs"),
    "two listeners of a name": (
        lambda d: d["listeners"].append({**d["listeners"][0], "port": 1}),
        "is there twice",
    ),
    "port": (lambda d: d["listeners"][0].update(port=70000), "70000 is no port"),
    "timeout": (lambda d: d["listeners"][0].update(timeout="soon"), "timeout: is no duration"),
    "no backends": (lambda d: refs(d).clear(), "needs a backend"),
    "no address": (lambda d: refs(d)[0].pop("endpoint"), "neither endpoint nor base_url"),
    "no host": (lambda d: refs(d)[0].update(endpoint=":8000"), "has no host"),
    "backend port 0": (lambda d: refs(d)[0].update(endpoint="a:0"), "no port of 1..65535"),
    "backend port too big": (
        lambda d: refs(d)[0].update(endpoint="a:70000"),
        "no port of 1..65535",
    ),
    "port is no number": (lambda d: refs(d)[0].update(endpoint="a:http"), "can't be read"),
    "scheme": (lambda d: refs(d)[0].update(endpoint="ftp://a"), "scheme"),
    "protocol": (lambda d: refs(d)[0].update(protocol="grpc"), "protocol"),
    "https to an address": (
        lambda d: refs(d)[0].update(endpoint="10.0.0.1:443", protocol="https"),
        "HTTPS needs a DNS name",
    ),
    "provider": (lambda d: refs(d)[0].update(provider="nobody"), "provider"),
    "two refs of a name": (lambda d: refs(d)[1].update(name=" A"), "is there twice"),
    "refs that disagree": (
        lambda d: refs(d)[1].update(api_key_env="KEY"),
        "more than host, port, weight and name",
    ),
    "retries without a condition": (
        lambda d: d["providers"]["models"][0].update(reliability={"retry_count": 1}),
        "retry_on: is required",
    ),
    "health path": (
        lambda d: d["providers"]["models"][0].update(reliability={"health_check_path": "x"}),
        "must begin with /",
    ),
    "default model": (
        lambda d: d["providers"]["defaults"].update(model="nobody"),
        '"nobody" is no model',
    ),
    "card without a model": (
        lambda d: d["routing"]["modelCards"].append({"name": "third"}),
        "is no model of providers.models",
    ),
    "model without a card": (lambda d: d["routing"]["modelCards"].pop(), "has no card"),
    "two cards": (lambda d: d["routing"]["modelCards"].append({"name": "big"}), "is there twice"),
    "decision's model": (
        lambda d: decision(d)["modelRefs"][0].update(model="nobody"),
        "neither a model nor a LoRA adapter",
    ),
    "decision's adapter": (
        lambda d: decision(d)["modelRefs"][0].update(lora_name="medicine"),
        "no LoRA adapter of",
    ),
    "two decisions of a name": (
        lambda d: d["routing"]["decisions"].append(decision(d)),
        "is there twice",
    ),
    "signal": (
        lambda d: decision(d)["rules"].update(name="poetry"),
        "no signal of type keyword",
    ),
    "type of condition": (lambda d: decision(d)["rules"].update(type="bogus"), "rules.type"),
    "complexity without a level": (
        lambda d: decision(d).update(rules={"type": "complexity", "name": "x"}),
        "must end with :easy, :medium or :hard",
    ),
    "algorithm's block": (
        lambda d: decision(d).update(algorithm={"type": "static", "hybrid": {}}),
        "doesn't belong to type",
    ),
    "plugin twice, by an old name": (
        lambda d: decision(d).update(
            plugins=[
                {"type": "semantic-cache", "configuration": {"enabled": True}},
                {"type": "response_cache", "configuration": {"enabled": True}},
            ]
        ),
        "is there twice",
    ),
    "plugin without configuration": (
        lambda d: decision(d).update(plugins=[{"type": "tools"}]),
        "configuration: is required",
    ),
    "both caches": (
        lambda d: d.update({"global": {"stores": {"semantic_cache": {}, "response_cache": {}}}}),
        "response_cache and semantic_cache",
    ),
    "threshold": (
        lambda d: d.update(
            {"global": {"stores": {"memory": {"default_similarity_threshold": 1.5}}}}
        ),
        "must be in 0..1",
    ),
    "management for everybody": (management(bind_address="::"), "without tokens"),
    "management by name": (management(bind_address="router.example.com"), "neither an IP"),
    "management on a taken port": (management(port=9190), "is taken by the router"),
    "neither routing nor global": (
        lambda d: d.pop("routing"),
        "neither routing nor global",
    ),
}


def test_the_document_that_is_changed_below_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(good()))
    assert judged(file) == (0, {"valid": True, "errors": []})


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_router_refuses_is_refused_with_the_place(name: str, tmp_path: Path) -> None:
    edit, reason = REFUSED[name]
    document = good()
    edit(document)
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(document, default_flow_style=False))
    code, verdict = judged(file)
    assert (code, verdict["valid"]) == (1, False)
    assert reason in verdict["errors"][0]


@pytest.mark.parametrize("scalar", ["yes", "off", "010", "1e3", "0x1F", "1_000", "~"])
def test_a_name_that_yaml_reads_as_something_else_is_refused(scalar: str, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(good()).replace("name: maths", f"name: {scalar}"))
    code, _ = judged(file)
    assert code == 1
    quoted = yaml.safe_dump(good()).replace("name: maths", f'name: "{scalar}"')
    file.write_text(quoted)
    assert judged(file)[0] == 0


@pytest.mark.parametrize("text", ["", "a: [", "- a", "routing: 1", "1: {}\nrouting: {}"])
def test_what_is_no_document_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)
    assert judged(file)[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["nobody"], ["router", "-gateway=both"], ["router", "-nobody"], ["router", "file"]],
    ids=" ".join,
)
def test_a_command_line_that_makes_no_sense_ends_with_2(arguments: list[str]) -> None:
    result = ended(*arguments)
    assert result.returncode == 2
    assert result.stderr


def test_a_router_that_refuses_its_document_ends_with_1_and_says_why(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("colour: 1\nrouting: {}\n")
    result = ended("router", f"-config={file}")
    assert result.returncode == 1
    assert "colour: unknown key" in result.stderr
