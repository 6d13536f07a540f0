"""What the environment says about proxies and passwords, and what of that concerns us."""

from pathlib import Path

import pytest

from semantic_router_operator.cluster.credentials import Credentials
from unit.cluster.fake_api import FakeApi, connected, kubeconfig, says

PROXY = "http://proxy.example.com:3128"


async def credentials(tmp_path: Path, server: str = "https://api.example.com:6443") -> Credentials:
    path = kubeconfig(tmp_path / "kubeconfig", server)
    return await Credentials.load({"KUBECONFIG": str(path)})


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def test_a_netrc_is_not_for_the_api_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its default entry would meet our token in the same header."""
    (tmp_path / "netrc").write_text("default login somebody password something\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    api = FakeApi({"LIST": [says({"kind": "Thing"})]})
    async with connected(api, tmp_path, token="ours") as client:  # noqa: S106
        await client.get("/api/v1/namespaces/n/things/a")
    assert api.asked[0].headers["Authorization"] == "Bearer ours"


async def test_the_proxy_of_the_environment_is_everybodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    found = await credentials(tmp_path)
    assert found.request_options["proxy"] == PROXY
    assert (await found.connection()).proxy == PROXY, "kopf's requests go the same way"


@pytest.mark.parametrize("exempt", ["api.example.com", ".example.com", "*"])
async def test_a_server_that_is_exempt_has_no_proxy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", PROXY)
    monkeypatch.setenv("NO_PROXY", exempt)
    found = await credentials(tmp_path)
    assert "proxy" not in found.request_options
    assert (await found.connection()).proxy is None


async def test_a_proxy_for_other_kinds_of_servers_is_none_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", PROXY)
    assert "proxy" not in (await credentials(tmp_path)).request_options
