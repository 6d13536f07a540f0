import pytest

from semantic_router_operator.model import paths


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("name", "spec.name"),
        ("min-tokens", "spec.min-tokens"),
        ("a.b", 'spec["a.b"]'),
        ("", 'spec[""]'),
        ("\u6a21", 'spec["\u6a21"]'),
        ("a\x00\ud800", 'spec["a\\x00\\ud800"]'),
    ],
)
def test_a_key_that_is_no_plain_word_is_quoted(key: str, path: str) -> None:
    assert paths.child("spec", key) == path


def test_a_long_text_is_cut_in_a_message() -> None:
    assert paths.quoted("x" * 500) == f'"{"x" * 120}..."'


def test_the_longest_known_prefix_counts() -> None:
    origins = {"a": "spec.config.a", "a.b[0]": "spec.config.c[7]", "p": "spec.vllmEndpoints[1]"}
    assert paths.trace(origins, "a.x.y") == "spec.config.a.x.y"
    assert paths.trace(origins, "a.b[0].c") == "spec.config.c[7].c"
    assert paths.trace(origins, "a.b[01]") == "spec.config.a.b[01]"
    assert paths.trace(origins, "p.weight") == "spec.vllmEndpoints[1]"
    assert paths.trace(origins, "unknown[3].x") == "spec"
