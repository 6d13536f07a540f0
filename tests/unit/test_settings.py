"""Every setting: its variable, its flag, who wins, and what a bad value is told."""

import re
from dataclasses import Field, fields
from typing import Any

import pytest

from semantic_router_operator.__main__ import main
from semantic_router_operator.errors import InvalidSpec
from semantic_router_operator.settings import Settings, flag_name, load

FIELDS = fields(Settings)
SAMPLES = {bool: "false", int: "7", float: "7.5", str: "seven"}
WORDS = {"log_level": "warning"}


def ids(item: Field[Any]) -> str:
    return item.name


def sample(item: Field[Any]) -> str:
    return WORDS.get(item.name) or SAMPLES[item.type]  # type: ignore[index]


def meant(item: Field[Any]) -> object:
    return {"false": False, "7": 7, "7.5": 7.5}.get(sample(item), sample(item))


def refused(**environment: str) -> str:
    with pytest.raises(InvalidSpec) as caught:
        load(environment, {})
    return caught.value.message


def test_without_anything_the_defaults_hold() -> None:
    assert load({}, {}) == Settings()


@pytest.mark.parametrize("item", FIELDS, ids=ids)
def test_every_setting_is_read_from_its_variable(item: Field[Any]) -> None:
    settings = load({item.metadata["env"]: sample(item)}, {})
    assert getattr(settings, item.name) == meant(item) != item.default


@pytest.mark.parametrize("item", FIELDS, ids=ids)
def test_a_flag_beats_the_variable(item: Field[Any]) -> None:
    settings = load({item.metadata["env"]: "nonsense"}, {item.name: sample(item)})
    assert getattr(settings, item.name) == meant(item)


@pytest.mark.parametrize("item", FIELDS, ids=ids)
def test_an_empty_variable_counts_as_absent(item: Field[Any]) -> None:
    assert load({item.metadata["env"]: ""}, {}) == Settings()


def test_an_empty_flag_says_that_the_text_is_empty() -> None:
    assert load({"WATCH_NAMESPACES": "a"}, {"namespaces": ""}).watched == ()


def test_no_two_settings_share_a_variable() -> None:
    variables = [item.metadata["env"] for item in FIELDS]
    assert sorted(set(variables)) == sorted(variables)


@pytest.mark.parametrize("text", ["true", "True", "TRUE", "1", " true "])
def test_yes_can_be_written_in_several_ways(text: str) -> None:
    assert load({"LEADER_ELECTION": text}, {}).leader_election is True


@pytest.mark.parametrize(
    ("variable", "text", "wanted"),
    [
        ("LEADER_ELECTION", "maybe", "true or false"),
        ("LEADER_ELECTION", "yes", "true or false"),
        ("WORKERS", "many", "a whole number"),
        ("WORKERS", "1.5", "a whole number"),
        ("WORKERS", "0", "1 or more"),
        ("WORKERS", "-1", "1 or more"),
        ("API_CONCURRENCY", "0", "1 or more"),
        ("HEALTH_PORT", "0", "from 1 to 65535"),
        ("METRICS_PORT", "65536", "from 1 to 65535"),
        ("RESYNC_SECONDS", "soon", "a number"),
        ("RESYNC_SECONDS", "nan", "a number"),
        ("RESYNC_SECONDS", "inf", "a number"),
        ("RESYNC_SECONDS", "0", "0.01 or more"),
        ("RELIST_SECONDS", "-1", "0.01 or more"),
        ("LOG_LEVEL", "loud", "one of debug, info, warning, error"),
    ],
)
def test_a_bad_value_is_refused_and_the_variable_named(
    variable: str, text: str, wanted: str
) -> None:
    assert refused(**{variable: text}) == f"{variable}: {text!r} is not {wanted}"


def test_a_bad_flag_is_named_as_it_was_typed() -> None:
    with pytest.raises(InvalidSpec, match=r"^--relist-seconds: 'x' is not a number$"):
        load({}, {"relist_seconds": "x"})


@pytest.mark.parametrize("name", ["Team", "a_b", "*", "-a", "a" * 64])
def test_what_is_no_namespace_is_refused(name: str) -> None:
    assert refused(WATCH_NAMESPACES=f"a,{name}").startswith(f"WATCH_NAMESPACES: {name!r}")


def test_namespaces_are_a_list_with_commas_in_any_order_and_each_once() -> None:
    assert load({"WATCH_NAMESPACES": " b, a,,b "}, {}).watched == ("a", "b")


def test_a_log_level_may_be_written_in_capitals() -> None:
    assert load({"LOG_LEVEL": "DEBUG"}, {}).log_level == "DEBUG"


def test_run_ends_with_2_and_names_the_variable_when_a_value_is_bad(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKERS", "many")
    assert main(["run"]) == 2
    assert capsys.readouterr().err == (
        "semantic-router-operator run: WORKERS: 'many' is not a whole number\n"
    )


@pytest.fixture
def help_text(capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit, match="0"):
        main(["run", "--help"])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("item", FIELDS, ids=ids)
def test_help_explains_every_setting_with_its_variable_and_default(
    item: Field[Any], help_text: str
) -> None:
    default = str(item.default).lower() if isinstance(item.default, bool) else item.default
    words = (
        rf"{flag_name(item.name)} VALUE {re.escape(item.metadata['help'])} "
        rf"Environment: {item.metadata['env']}\. Default: {re.escape(str(default or 'empty'))}\."
    )
    assert re.search(words, help_text)
