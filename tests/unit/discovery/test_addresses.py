import pytest

from semantic_router_operator.discovery import addresses, cluster_names
from semantic_router_operator.discovery.addresses import AddressError


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm-a", "vllm-a"),
        ("VLLM-A.Models.SVC.", "vllm-a.models.svc"),
        ("10.0.0.1", "10.0.0.1"),
        ("::1", "::1"),
        ("[FD00:0::0001]", "fd00::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("1password.example", "1password.example"),
    ],
)
def test_a_host_is_normalised(text: str, expected: str) -> None:
    assert addresses.host(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1.2.3",
        "1.2.3.4.5",
        "256.0.0.1",
        "010.0.0.1",
        "0x7f.1",
        "a_b",
        "-a",
        "a-.b",
        "a..b",
        "",
        ".",
        "a b",
        "münchen.example",
        "a" * 64,
        ".".join(["a" * 60] * 5),
        "fe80::1%eth0",
        "[::1",
        "0.0.0.0",  # noqa: S104 - an address to refuse
        "::",
        "224.0.0.1",
    ],
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(AddressError):
        addresses.host(text)


@pytest.mark.parametrize(("value", "expected"), [(1, 1), (65535, 65535), ("8000", 8000)])
def test_a_port_is_a_number_in_range(value: int | str, expected: int) -> None:
    assert addresses.port(value) == expected


@pytest.mark.parametrize(
    "value", [0, 65536, -1, "", "http", "80 ", "+80", "\uff18\uff10", "9" * 5000, True]
)
def test_what_is_no_port_is_refused(value: int | str) -> None:
    with pytest.raises(AddressError):
        addresses.port(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("/", ""),
        ("v1", "/v1"),
        ("/v1/", "/v1"),
        ("//a///b//", "/a/b"),
        ("/a%20b", "/a%20b"),
    ],
)
def test_a_base_path_has_one_slash_at_each_join(text: str, expected: str) -> None:
    assert addresses.base_path(text) == expected


@pytest.mark.parametrize("text", ["/a?b=1", "/a#b", "/a b", "/../x", "/./x", "/a%2", "/a\nb", "/ü"])
def test_a_base_path_is_only_a_path(text: str) -> None:
    with pytest.raises(AddressError):
        addresses.base_path(text)


def test_a_url_is_taken_apart() -> None:
    found = addresses.url("HTTPS://API.Example:8443//v1/")
    assert (found.scheme, found.host, found.port, found.path) == (
        "https",
        "api.example",
        8443,
        "/v1",
    )


def test_a_url_may_have_an_ipv6_host() -> None:
    found = addresses.url("http://[fd00::1]:8000/v1")
    assert (found.host, found.port) == ("fd00::1", 8000)


@pytest.mark.parametrize(
    "text",
    [
        "x.example/v1",
        "ftp://x.example",
        "http://",
        "http:///v1",
        "http://u:p@x.example",
        "http://x.example?a=1",
        "http://x.example#f",
        "http://x.example:0",
        "http://x.example:",
        "http://fd00::1/",
        "http://x.example\\y",
        "http://x.example\n/v1",
        "http://x_y.example",
    ],
)
def test_what_is_no_url_is_refused(text: str) -> None:
    with pytest.raises(AddressError):
        addresses.url(text)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("vllm-a", "vllm-a.ml.svc.corp.test"),
        ("vllm-a.models", "vllm-a.models.svc.corp.test"),
        ("vllm-a.ml", "vllm-a.ml.svc.corp.test"),
        ("vllm-a.models.svc", "vllm-a.models.svc.corp.test"),
        ("pod-0.vllm.models.svc", "pod-0.vllm.models.svc.corp.test"),
        ("vllm-a.models.svc.corp.test", "vllm-a.models.svc.corp.test"),
        ("x.example", "x.example"),
        ("openrouter.ai", "openrouter.ai"),
        ("api.openai.com", "api.openai.com"),
        ("10.0.0.1", "10.0.0.1"),
        ("fd00::1", "fd00::1"),
        ("localhost", "localhost"),
    ],
)
def test_sr_05_short_service_names_are_qualified(host: str, expected: str) -> None:
    assert cluster_names.qualified(host, namespace="ml", domain="corp.test") == expected


def test_sr_05_a_name_that_gets_too_long_is_refused() -> None:
    with pytest.raises(AddressError):
        cluster_names.qualified("a" * 60, namespace="b" * 60, domain=".".join(["c" * 60] * 3))
