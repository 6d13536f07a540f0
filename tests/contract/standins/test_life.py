"""Start, reload and end of the router stand-in, and its other ports."""

import http.client
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from standins import running
from standins.running import Router, ask, free_ports, model, router

SECONDS_TO_RELOAD = 15.0
"""Patience, on a machine that does much else; `make e2e` measures how long it takes."""

Document = dict[str, Any]


def to(port: int, **fields: object) -> Document:
    backend = {"name": f"at-{port}", "endpoint": f"127.0.0.1:{port}"}
    return {
        "providers": {"models": [{"name": "big", "backend_refs": [backend]}]},
        "routing": {"modelCards": [{"name": "big"}]},
        **fields,
    }


def eventually(check: Any, seconds: float = SECONDS_TO_RELOAD) -> None:
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, "not in time"
        time.sleep(0.01)


def metrics(found: Router) -> str:
    return ask(found.metrics, "/metrics").body.decode()


def test_a_new_document_is_served_and_no_request_fails() -> None:
    with model("one") as one, model("two") as two, router(to(one)) as found:
        first = found.chat("big")
        with load(found) as results:
            found.mount.write(running.written(to(two), found.port))
            eventually(lambda: found.chat("big").standin["name"] == "two")
        second = found.chat("big")
    assert first.headers["x-standin-config"] != second.headers["x-standin-config"]
    assert len(results) > 10
    assert set(results) == {200}


class load:  # noqa: N801 - reads like a function
    """Requests one after the other beside the block; a list of their statuses."""

    def __init__(self, found: Router) -> None:
        self._found, self._statuses, self._over = found, list[int](), threading.Event()
        self._thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self._over.is_set():
            self._statuses.append(self._found.chat("big").status)

    def __enter__(self) -> list[int]:
        self._thread.start()
        return self._statuses

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


@pytest.mark.parametrize("flaw", ["colour: 1", "providers: [", ""])
def test_a_document_that_is_refused_leaves_the_old_one_and_is_logged(flaw: str) -> None:
    with model("one") as one, router(to(one)) as found:
        before = found.chat("big").headers["x-standin-config"]
        found.mount.write(flaw)
        eventually(lambda: "config_reload_failed" in found.process.log())
        assert found.chat("big").headers["x-standin-config"] == before
        assert 'standin_config_reloads_total{result="refused"} 1' in metrics(found)
        found.mount.write(running.written(to(one, version="v0.3"), found.port) + "# again\n")
        eventually(lambda: found.chat("big").headers["x-standin-config"] != before)


def test_a_change_of_the_listeners_needs_a_restart() -> None:
    with model("one") as one, router(to(one)) as found:
        (other,) = free_ports(1)
        found.mount.write(running.written(to(one), other))
        eventually(lambda: "listeners changed" in found.process.log())
        assert found.chat("big").status == 200


def test_a_file_that_is_written_in_place_is_noticed_too() -> None:
    with model("one") as one, model("two") as two, router(to(one)) as found:
        file = found.mount.folder / "config.yaml"
        file.unlink()
        file.write_text(running.written(to(two), found.port))
        eventually(lambda: found.chat("big").standin["name"] == "two")


def test_probes_answer_on_the_listener_and_on_the_management_port() -> None:
    with router(to(1)) as found:
        eventually(lambda: ask(found.port, "/ready").status == 200)
        assert ask(found.port, "/health").json() == {"status": "ok"}
        assert ask(found.api, "/ready").json() == {"status": "ready"}
        assert ask(found.api, "/health").status == 200


def test_a_router_can_be_told_to_be_ready_late() -> None:
    with router(to(1), environment={"STANDIN_READY_AFTER": "600ms"}) as found:
        assert ask(found.port, "/ready").status == 503
        assert ask(found.port, "/health").status == 200
        eventually(lambda: ask(found.port, "/ready").status == 200, 5)


def test_metrics_count_requests_by_backend_and_tell_the_document() -> None:
    with model("one") as one, router(to(one)) as found:
        digest = found.chat("big").headers["x-standin-config"]
        text = metrics(found)
    assert f'standin_config_info{{digest="{digest}"}} 1' in text
    assert f'standin_requests_total{{model="big",backend="at-{one}",code="200"}} 1' in text


def listens(address: str, port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


def test_the_management_api_listens_where_the_document_says() -> None:
    with router(to(1)) as found:
        assert listens("127.0.0.1", found.api)
        assert not listens("127.0.0.2", found.api)
        assert listens("127.0.0.2", found.metrics)  # on every address
    services = {"services": {"management_api": {"bind_address": "127.0.0.2"}}}
    with router(to(1, **{"global": services})) as found:
        assert listens("127.0.0.2", found.api)
        assert not listens("127.0.0.1", found.api)


def test_the_management_api_judges_documents_and_asks_for_its_token() -> None:
    auth = {"mode": "bearer", "tokens": [{"env": "TOKEN", "role": "admin"}]}
    document = to(1, **{"global": {"services": {"management_api": {"auth": auth}}}})
    with router(document, environment={"TOKEN": "t0ken"}) as found:
        assert ask(found.api, "/v1/models").status == 401
        answer = ask(found.api, "/v1/models", headers={"Authorization": "Bearer t0ken"})
        assert answer.status == 200


@pytest.fixture
def extproc(tmp_path: Path) -> Iterator[tuple[running.Process, int]]:
    """A router in extproc mode and its gRPC port."""
    grpc, api, metrics_port = free_ports(3)
    file = tmp_path / "config.yaml"
    file.write_text(running.written(to(1), 50051))
    arguments = [
        "router",
        "-gateway=extproc",
        f"-config={file}",
        f"-port={grpc}",
        f"-api-port={api}",
        f"-metrics-port={metrics_port}",
    ]
    with running.process(arguments, grpc) as found:
        yield found, grpc


def test_in_extproc_mode_grpc_health_says_serving(
    extproc: tuple[running.Process, int],
) -> None:
    address = f"-address=127.0.0.1:{extproc[1]}"
    eventually(lambda: running.ended("health", address).stdout == "SERVING\n", 5)
    assert extproc[0].end() == 0


def test_on_sigterm_a_streamed_request_finishes_and_new_ones_are_turned_away() -> None:
    with model("one", "-chunks=5", "-pause=200ms") as one, router(to(one)) as found:
        connection = http.client.HTTPConnection("127.0.0.1", found.port, timeout=20)
        connection.request("POST", "/v1/chat/completions", '{"model": "big", "stream": true}')
        response = connection.getresponse()
        assert b"one:0" in response.readline()
        found.process.popen.terminate()
        eventually(lambda: not listens("127.0.0.1", found.port))
        assert response.read().endswith(b"data: [DONE]\n\n")
        connection.close()
        assert found.process.popen.wait(5) == 0


def test_an_address_that_is_taken_ends_the_router_with_1(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        file = tmp_path / "config.yaml"
        file.write_text(running.written(to(1), taken.getsockname()[1]))
        flags = ["-enable-api=false", "-metrics-port=0"]
        result = running.ended("router", f"-config={file}", *flags)
    assert result.returncode == 1
    assert "address already in use" in result.stderr


def test_the_helper_writes_a_document_that_the_router_reads_back() -> None:
    document = yaml.safe_load(running.written(to(1), 5))
    assert document["listeners"][0]["port"] == 5
