"""A watch lives on, whatever the API server does (field case KO-03)."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from semantic_router_operator.cluster.watch_source import (
    Failing,
    Forbidden,
    NotInstalled,
    Pace,
    Source,
    State,
    Synced,
)
from semantic_router_operator.cluster.watching import Watch
from unit.cluster.fake_api import (
    Answer,
    FakeApi,
    bookmark,
    connected,
    event,
    fails,
    lists,
    resets,
    streams,
    thing,
)

PACE = Pace(relist=60.0, server=5.0, idle=0.3, first_retry=0.02, longest_retry=0.04, forbidden=0.2)
HELD = streams(stays=5.0)


class Heard:
    """What a watch told."""

    def __init__(self) -> None:
        self.changes: list[tuple[str | None, str | None]] = []
        self.states: list[State] = []


def project(raw: Mapping[str, Any]) -> str:
    labels = raw["metadata"].get("labels") or {}
    return f"{raw['metadata']['name']}={labels.get('v', '')}"


async def _path() -> str:
    return "/api/v1"


@asynccontextmanager
async def watching(
    folder: Path,
    *,
    lists: list[Answer],
    watches: list[Answer],
    pace: Pace = PACE,
    **source: Any,
) -> AsyncIterator[tuple[Watch[str], Heard, FakeApi]]:
    api, heard = FakeApi({"LIST": lists, "WATCH": watches}), Heard()
    async with connected(api, folder) as client:
        watch = Watch(
            client,
            replace(Source("Thing", "things", _path, project), **source),
            on_change=lambda old, new: heard.changes.append((old, new)),
            on_state=lambda _, new: heard.states.append(new),
            pace=pace,
        )
        watch.start()
        try:
            yield watch, heard, api
        finally:
            await watch.stop()


async def until(check: Callable[[], object], *, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)


async def test_pages_are_put_together(tmp_path: Path) -> None:
    pages = [lists(thing("a"), more="next"), lists(thing("b"))]
    async with watching(
        tmp_path, lists=pages, watches=[HELD], namespace="n", selector="k=v", page=1
    ) as (watch, _, api):
        await watch.settled()
        await until(lambda: api.counts["WATCH"])
    assert sorted(watch.values()) == ["a=", "b="]
    first, second, stream = api.asked[:3]
    assert first.path == "/api/v1/namespaces/n/things"
    assert dict(first.query) == {"labelSelector": "k=v", "limit": "1"}
    assert second.query["continue"] == "next"
    assert stream.query["resourceVersion"] == "10"
    assert stream.query["allowWatchBookmarks"] == "true"
    assert 4 <= int(stream.query["timeoutSeconds"]) <= 6


async def test_only_what_differs_is_told(tmp_path: Path) -> None:
    events = streams(
        event("ADDED", thing("a", "11", v="1")),
        event("MODIFIED", thing("a", "12", v="1")),
        event("MODIFIED", thing("a", "13", v="2")),
        event("DELETED", thing("a", "14", v="2")),
        stays=5,
    )
    async with watching(tmp_path, lists=[lists()], watches=[events]) as (_, heard, _api):
        await until(lambda: len(heard.changes) == 3)
    assert heard.changes == [(None, "a=1"), ("a=1", "a=2"), ("a=2", None)]


async def test_old_news_is_no_news(tmp_path: Path) -> None:
    """Duplicated, delayed and reordered events."""
    events = streams(
        event("ADDED", thing("a", "15", v="new")),
        event("MODIFIED", thing("a", "12", v="old")),
        event("DELETED", thing("a", "13")),
        event("ADDED", thing("b", "16")),
        stays=5,
    )
    async with watching(tmp_path, lists=[lists()], watches=[events]) as (watch, heard, _api):
        await until(lambda: len(heard.changes) == 2)
        assert sorted(watch.values()) == ["a=new", "b="]


async def test_a_stream_goes_on_where_it_ended(tmp_path: Path) -> None:
    streamed = [
        streams(event("ADDED", thing("a", "11")), bookmark("20"), resets=True),
        streams(event("ADDED", thing("b", "21")), stays=5),
    ]
    async with watching(tmp_path, lists=[lists()], watches=streamed) as (_, heard, api):
        await until(lambda: len(heard.changes) == 2)
    assert api.counts["LIST"] == 1
    assert [item.query["resourceVersion"] for item in api.asked[1:3]] == ["10", "20"]


async def test_after_410_everything_is_listed_and_the_difference_is_told(tmp_path: Path) -> None:
    gone = event("ERROR", {"kind": "Status", "code": 410, "message": "too old"})
    async with watching(
        tmp_path,
        lists=[lists(thing("a"), thing("b")), lists(thing("b"), thing("c"), version="30")],
        watches=[streams(gone), HELD],
    ) as (watch, heard, api):
        await until(lambda: api.counts["LIST"] == 2 and len(watch) == 2)
        assert sorted(watch.values()) == ["b=", "c="]
    assert sorted(heard.changes[2:], key=str) == [("a=", None), (None, "c=")]
    assert [type(state) for state in heard.states] == [Synced]


async def test_a_mute_stream_is_given_up(tmp_path: Path) -> None:
    streamed = [streams(stays=5), streams(event("ADDED", thing("a", "11")), stays=5)]
    async with watching(tmp_path, lists=[lists()], watches=streamed) as (_, heard, _api):
        await until(lambda: heard.changes)


@pytest.mark.parametrize(
    "trouble", [fails(401), fails(429, **{"Retry-After": "0"}), fails(500), resets()]
)
async def test_trouble_passes_and_what_was_known_stays_meanwhile(
    tmp_path: Path, trouble: Answer
) -> None:
    again = streams(event("ADDED", thing("b", "11")), stays=5)
    async with watching(tmp_path, lists=[lists(thing("a"))], watches=[*[trouble] * 6, again]) as (
        watch,
        heard,
        _,
    ):
        await until(lambda: isinstance(watch.state, Failing))
        assert watch.get("n", "a") == "a="
        await until(lambda: len(heard.changes) == 2)
        assert isinstance(watch.state, Synced)
    assert [type(state) for state in heard.states] == [Synced, Failing, Synced]


async def test_the_first_failure_settles_and_is_mended_later(tmp_path: Path) -> None:
    async with watching(
        tmp_path, lists=[fails(503), fails(503), fails(503), lists()], watches=[HELD]
    ) as (watch, heard, _):
        await watch.settled()
        assert isinstance(watch.state, Failing)
        assert not watch.synced_once
        await until(lambda: isinstance(watch.state, Synced))
    assert [type(state) for state in heard.states] == [Failing, Synced]


async def test_a_forbidden_kind_is_asked_for_again_slowly(tmp_path: Path) -> None:
    forbidden = fails(403, 'things is forbidden: User "u" cannot list resource "things"')
    async with watching(tmp_path, lists=[forbidden, lists()], watches=[HELD]) as (watch, _, api):
        await watch.settled()
        assert isinstance(watch.state, Forbidden)
        assert "cannot list" in watch.state.message
        assert api.counts["LIST"] == 1
        await until(lambda: isinstance(watch.state, Synced))


async def test_a_refusal_that_passes_is_not_believed_of_what_was_allowed_before(
    tmp_path: Path,
) -> None:
    """An API server that starts refuses everybody until it has read the roles."""
    forbidden = fails(403, 'things is forbidden: User "u" cannot list resource "things"')
    async with watching(
        tmp_path,
        lists=[lists(thing("a")), forbidden, forbidden, lists(thing("a"), version="11")],
        watches=[forbidden, HELD],
    ) as (watch, heard, api):
        await until(lambda: api.counts["LIST"] == 4 and isinstance(watch.state, Synced))
        assert watch.get("n", "a")
    assert Forbidden not in [type(state) for state in heard.states]
    assert heard.changes == [(None, "a=")]


async def test_a_refusal_that_stays_is_believed_and_asked_about_less_and_less(
    tmp_path: Path,
) -> None:
    forbidden = fails(403, 'things is forbidden: User "u" cannot list resource "things"')
    pace = replace(PACE, forbidden=60.0)
    async with watching(
        tmp_path,
        lists=[lists(thing("a")), *[forbidden] * 6, lists(thing("a"), version="11")],
        watches=[forbidden, HELD],
        pace=pace,
    ) as (watch, heard, _):
        await until(lambda: isinstance(watch.state, Forbidden))
        await until(lambda: isinstance(watch.state, Synced))
    assert [type(state) for state in heard.states] == [Synced, Failing, Forbidden, Synced]


async def test_a_kind_that_is_said_to_be_served_and_is_not_yet_is_asked_for_again(
    tmp_path: Path,
) -> None:
    """One of several API servers may know of a CRD before another."""
    async with watching(
        tmp_path, lists=[fails(404), fails(404), lists(thing("a"))], watches=[HELD]
    ) as (watch, heard, _):
        await until(lambda: watch.get("n", "a"))
    assert [type(state) for state in heard.states] == [NotInstalled, Synced]


async def test_a_kind_that_is_served_in_another_version_loses_nothing_on_the_way(
    tmp_path: Path,
) -> None:
    served = ["/apis/g/v1"]

    async def locate() -> str | None:
        return served[0]

    async with watching(
        tmp_path,
        lists=[lists(thing("a")), lists(thing("a"), version="11")],
        watches=[streams(), fails(404), HELD],
        locate=locate,
    ) as (watch, heard, api):
        await until(lambda: isinstance(watch.state, Failing))
        assert watch.get("n", "a")
        served[0] = "/apis/g/v2"
        await until(lambda: api.asked[-1].path == "/apis/g/v2/things")
        await until(lambda: isinstance(watch.state, Synced))
    assert heard.changes == [(None, "a=")]


async def test_a_kind_that_discovery_no_longer_lists_is_gone_at_once(tmp_path: Path) -> None:
    served: list[str | None] = ["/apis/g/v1"]

    async def locate() -> str | None:
        return served[0]

    pace = replace(PACE, first_retry=60.0)
    async with watching(
        tmp_path, lists=[lists(thing("a"))], watches=[fails(404)], locate=locate, pace=pace
    ) as (watch, heard, _):
        await until(lambda: isinstance(watch.state, Failing))
        served[0] = None
        watch.retry()
        await until(lambda: isinstance(watch.state, NotInstalled))
    assert heard.changes == [(None, "a="), ("a=", None)]


async def test_a_kind_that_goes_away_takes_its_objects_along(tmp_path: Path) -> None:
    async with watching(tmp_path, lists=[lists(thing("a"))], watches=[streams(), fails(404)]) as (
        watch,
        heard,
        _,
    ):
        await until(lambda: isinstance(watch.state, NotInstalled))
    assert heard.changes == [(None, "a="), ("a=", None)]


async def test_a_kind_that_is_not_served_costs_no_request_until_it_is(tmp_path: Path) -> None:
    served: list[str | None] = [None]

    async def locate() -> str | None:
        return served[0]

    async with watching(tmp_path, lists=[lists(thing("a"))], watches=[HELD], locate=locate) as (
        watch,
        _,
        api,
    ):
        await watch.settled()
        assert isinstance(watch.state, NotInstalled)
        assert api.asked == []
        served[0] = "/apis/g/v1"
        watch.retry()
        await until(lambda: watch.get("n", "a"))
        assert api.asked[0].path == "/apis/g/v1/things"


async def test_a_planned_rest_is_no_silence(tmp_path: Path) -> None:
    """However rarely the administrator has the caches listed anew, liveness doesn't suffer."""

    async def locate() -> None:
        return None

    pace = replace(PACE, relist=3600.0)
    async with watching(tmp_path, lists=[lists()], watches=[HELD], locate=locate, pace=pace) as (
        watch,
        _,
        _api,
    ):
        await until(lambda: watch.beat > time.monotonic() + 1000)
        assert watch.progress < time.monotonic()


async def test_a_watch_that_is_stopped_as_it_is_poked_ends(tmp_path: Path) -> None:
    async def locate() -> None:
        return None

    for steps in range(4):
        async with watching(tmp_path, lists=[lists()], watches=[HELD], locate=locate) as (
            watch,
            _,
            _api,
        ):
            await watch.settled()
            await asyncio.sleep(0.01)
            watch.retry()
            for _ in range(steps):
                await asyncio.sleep(0)
            await asyncio.wait_for(watch.stop(), 2)


async def test_a_periodic_list_heals_what_no_event_told(tmp_path: Path) -> None:
    pace = replace(PACE, relist=0.3, server=0.2)
    async with watching(
        tmp_path,
        lists=[lists(thing("a")), lists(thing("b"), version="11")],
        watches=[streams(stays=0.2)],
        pace=pace,
    ) as (watch, _, _api):
        await until(lambda: list(watch.values()) == ["b="])


async def test_a_list_of_the_past_is_refused_once_and_then_believed(tmp_path: Path) -> None:
    """Once: a stale API server. Twice: the data was restored from a backup."""
    gone = event("ERROR", {"kind": "Status", "code": 410})
    async with watching(
        tmp_path,
        lists=[lists(thing("a", "90"), version="90"), lists(version="5")],
        watches=[streams(gone), HELD],
    ) as (watch, heard, api):
        await until(lambda: isinstance(watch.state, Failing))
        assert watch.get("n", "a") == "a="
        await until(lambda: len(watch) == 0)
        assert api.counts["LIST"] == 3
    assert heard.changes == [(None, "a="), ("a=", None)]


async def test_a_write_of_ours_is_known_before_its_event_and_tells_nobody(tmp_path: Path) -> None:
    late = streams(event("MODIFIED", thing("a", "11", v="old")), bookmark("12"), stays=5)
    async with watching(tmp_path, lists=[lists()], watches=[late]) as (watch, heard, api):
        await watch.settled()
        watch.note(thing("a", "12", v="ours"))
        await until(lambda: api.counts["WATCH"])
        await asyncio.sleep(0.1)
        assert list(watch.values()) == ["a=ours"]
        watch.forget("n", "a")
        assert len(watch) == 0
    assert heard.changes == []


async def test_streams_that_end_at_once_are_not_opened_in_a_frenzy(tmp_path: Path) -> None:
    pace = replace(PACE, first_retry=0.1)
    async with watching(tmp_path, lists=[lists()], watches=[streams()], pace=pace) as (
        _,
        _heard,
        api,
    ):
        await asyncio.sleep(0.7)
    assert api.counts["WATCH"] <= 3


async def test_a_watch_that_only_fails_still_shows_that_it_lives(tmp_path: Path) -> None:
    async with watching(tmp_path, lists=[fails(500)], watches=[HELD]) as (watch, _, _api):
        await watch.settled()
        before, progress = watch.beat, watch.progress
        await until(lambda: watch.beat > before)
        assert watch.progress == progress
