"""What the API server serves: known, or asked for again (field case OS-02)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from semantic_router_operator.cluster.capabilities import Capabilities
from semantic_router_operator.cluster.watch_source import Pace
from semantic_router_operator.errors import ApiForbidden, ApiUnreachable
from unit.cluster.fake_api import Answer, FakeApi, connected, fails, says


def groups(**served: dict[str, list[str]]) -> Answer:
    """`route_openshift_io={"v1": ["routes"]}`"""
    items = [
        {
            "metadata": {"name": name.replace("_", ".")},
            "versions": [
                {"version": version, "resources": [{"resource": plural} for plural in plurals]}
                for version, plurals in versions.items()
            ],
        }
        for name, versions in served.items()
    ]
    return says({"kind": "APIGroupDiscoveryList", "items": items})


ROUTES: dict[str, Any] = {"route_openshift_io": {"v1": ["routes"]}}
KSERVE = "serving.kserve.io"


async def platform(folder: Path, *answers: Answer) -> tuple[bool, bool]:
    async with connected(FakeApi({"GET": [], "LIST": list(answers)}), folder) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        found = await capabilities.platform()
        return found.openshift, found.routes


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        ({}, (False, False)),
        (ROUTES, (False, True)),
        ({"security_openshift_io": {"v1": []}}, (False, False)),
        ({**ROUTES, "security_openshift_io": {"v1": ["x"]}}, (True, True)),
        ({**ROUTES, "config_openshift_io": {"v1": ["x"]}}, (True, True)),
    ],
)
async def test_openshift_takes_two_groups(
    tmp_path: Path, served: dict[str, Any], expected: tuple[bool, bool]
) -> None:
    assert await platform(tmp_path, groups(**served)) == expected


async def test_an_error_is_no_answer_and_the_next_question_is_asked_anew(tmp_path: Path) -> None:
    forbidden = fails(403, 'forbidden: User "u" cannot get path "/apis"')
    api = FakeApi({"LIST": [forbidden, *[fails(503)] * 3, groups(**ROUTES)]})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        with pytest.raises(ApiForbidden):
            await capabilities.platform()
        assert capabilities.platform_known is None
        with pytest.raises(ApiUnreachable):
            await capabilities.platform()
        assert (await capabilities.platform()).routes


async def test_many_questions_at_once_cost_one_request(tmp_path: Path) -> None:
    api = FakeApi({"LIST": [groups()]})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        await asyncio.gather(*(capabilities.platform() for _ in range(10)))
    assert [request.path for request in api.asked] == ["/apis", "/version"]


@pytest.mark.parametrize(
    ("served", "path"),
    [
        ({}, None),
        ({"v1beta1": ["inferenceservices"]}, None),
        ({"v1alpha1": ["llminferenceservices"]}, f"/apis/{KSERVE}/v1alpha1"),
        (
            {"v1alpha1": ["llminferenceservices"], "v1alpha2": ["llminferenceservices"]},
            f"/apis/{KSERVE}/v1alpha2",
        ),
        (
            {"v1alpha1": ["llminferenceservices"], "v1alpha2": ["others"]},
            f"/apis/{KSERVE}/v1alpha1",
        ),
        ({"v1alpha2": []}, f"/apis/{KSERVE}/v1alpha2"),
    ],
)
async def test_the_best_version_that_serves_the_kind_is_taken(
    tmp_path: Path, served: dict[str, list[str]], path: str | None
) -> None:
    api = FakeApi({"LIST": [groups(serving_kserve_io=served)]})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        versions = ("v1alpha2", "v1alpha1")
        assert await capabilities.locate(KSERVE, "llminferenceservices", versions) == path


async def test_an_older_api_server_tells_groups_and_versions_only(tmp_path: Path) -> None:
    group = {"name": KSERVE, "versions": [{"version": "v1beta1"}]}
    api = FakeApi({"LIST": [says({"kind": "APIGroupList", "groups": [group]})]})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        found = await capabilities.locate(KSERVE, "inferenceservices", ("v1beta1",))
        assert found == f"/apis/{KSERVE}/v1beta1"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ({"major": "1", "minor": "29"}, False),
        ({"major": "1", "minor": "30"}, True),
        ({"major": "1", "minor": "30+"}, True),
        ({"major": "1", "minor": "9"}, False),
        ({"major": "2", "minor": "0"}, True),
        ({}, False),
    ],
)
async def test_a_hook_may_be_a_sleep_from_1_30_on(
    tmp_path: Path, version: dict[str, str], *, expected: bool
) -> None:
    api = FakeApi({"LIST": [groups()], "VERSION": [says(version)]})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        assert (await capabilities.platform()).sleep_action is expected


async def test_a_version_that_could_not_be_asked_for_is_asked_for_again(tmp_path: Path) -> None:
    forbidden = fails(403, 'forbidden: User "u" cannot get path "/version"')
    answers = [forbidden, says({"major": "1", "minor": "29"})]
    api = FakeApi({"LIST": [groups()], "VERSION": answers})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        with pytest.raises(ApiForbidden):
            await capabilities.platform()
        assert capabilities.platform_known is None
        assert not (await capabilities.platform()).sleep_action


async def test_a_version_that_is_known_stays_while_servers_of_two_are_about(tmp_path: Path) -> None:
    answers = [says({"major": "1", "minor": minor}) for minor in ("29", "30")]
    api = FakeApi({"LIST": [groups()], "VERSION": answers})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: None, pace=Pace())
        for _ in range(2):
            await capabilities.platform()
            await capabilities.refresh()
        assert capabilities.platform_known == await capabilities.platform()
        assert not (await capabilities.platform()).sleep_action


async def test_a_change_of_what_is_served_is_told(tmp_path: Path) -> None:
    told: list[bool] = []
    api = FakeApi({"LIST": [groups(), groups(), groups(**ROUTES)]})
    async with connected(api, tmp_path) as client:
        capabilities = Capabilities(client, on_change=lambda: told.append(True), pace=Pace())
        assert [await capabilities.refresh() for _ in range(3)] == [True, False, True]
    assert len(told) == 2
