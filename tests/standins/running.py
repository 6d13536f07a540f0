"""The stand-ins as processes on loopback, for tests: every one ends with its `with` block."""

import http.client
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from standins import build

SECONDS_TO_START = 10.0
SECONDS_TO_END = 30.0


@dataclass(frozen=True)
class Answer:
    """What came back: header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    @property
    def standin(self) -> Any:
        """What the model server tells of itself: name, path, headers."""
        return self.json()["standin"]


def ask(
    port: int, path: str, body: object = None, *, headers: Mapping[str, str] | None = None
) -> Answer:
    """One request on a connection of its own: POST with a body (JSON), else GET."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        data = None if body is None else json.dumps(body).encode()
        connection.request("GET" if data is None else "POST", path, data, dict(headers or {}))
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, found, response.read())
    finally:
        connection.close()


def chat(port: int, model: str, prompt: str = "hello", **headers: str) -> Answer:
    """A chat completion; a header's underscores are written as dashes."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    return ask(port, "/v1/chat/completions", body, headers=names)


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody listens on at the moment."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for found in sockets:
            found.bind(("127.0.0.1", 0))
        return [int(found.getsockname()[1]) for found in sockets]
    finally:
        for found in sockets:
            found.close()


def ended(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, run to its end."""
    command = [str(build.binary()), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)


@dataclass
class Process:
    """A running stand-in and what it has written."""

    popen: subprocess.Popen[bytes]
    log_file: Path

    def log(self) -> str:
        """Standard error so far."""
        return self.log_file.read_text(errors="replace")

    def end(self) -> int:
        """SIGTERM, then the exit code."""
        self.popen.send_signal(signal.SIGTERM)
        return self.popen.wait(SECONDS_TO_END)


@contextmanager
def process(
    arguments: Sequence[str], port: int, environment: Mapping[str, str] | None = None
) -> Iterator[Process]:
    """Run the program until the block ends; begin once it listens on `port` of loopback."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        env = {"PATH": os.environ.get("PATH", ""), **(environment or {})}
        with log.open("wb") as stderr:
            command = [str(build.binary()), *arguments]
            popen = subprocess.Popen(command, env=env, stderr=stderr, stdout=stderr)
        running = Process(popen, log)
        try:
            _wait_for(running, port)
            yield running
        finally:
            if popen.poll() is None:
                popen.terminate()
                try:
                    popen.wait(SECONDS_TO_END)
                except subprocess.TimeoutExpired:
                    popen.kill()
                    popen.wait()


def _wait_for(running: Process, port: int) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and running.popen.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    message = f"not listening on {port}: {running.log()}"
    raise AssertionError(message)


@contextmanager
def model(name: str, *flags: str, key: str = "") -> Iterator[int]:
    """A model server; its port."""
    (port,) = free_ports(1)
    arguments = ["model", f"-name={name}", "-address=127.0.0.1", f"-port={port}", *flags]
    with process(arguments, port, {"API_KEY": key}):
        yield port


@dataclass
class Router:
    """A running router stand-in and its ports."""

    process: Process
    port: int
    api: int
    metrics: int
    mount: "Mount"

    def chat(self, model: str, prompt: str = "hello", **headers: str) -> Answer:
        """A chat completion through the router."""
        return chat(self.port, model, prompt, **headers)


@dataclass
class Mount:
    """A folder as the kubelet mounts a ConfigMap: links through ..data, which is swapped."""

    folder: Path
    writes: int = field(default=0)

    def write(self, text: str) -> None:
        """Put another version of config.yaml in place at once."""
        self.writes += 1
        version = self.folder / f"..version-{self.writes}"
        version.mkdir()
        (version / "config.yaml").write_text(text, encoding="utf-8")
        link, file = self.folder / "..data_tmp", self.folder / "config.yaml"
        link.symlink_to(version.name)
        link.rename(self.folder / "..data")
        if not file.is_symlink():
            file.symlink_to("..data/config.yaml")


@contextmanager
def router(
    document: Mapping[str, Any] | str, *flags: str, environment: Mapping[str, str] | None = None
) -> Iterator[Router]:
    """A router stand-in in standalone mode; in a document that is a map, its listener is set."""
    port, api, metrics = free_ports(3)
    with tempfile.TemporaryDirectory() as folder:
        mount = Mount(Path(folder))
        mount.write(document if isinstance(document, str) else written(document, port))
        arguments = [
            "router",
            f"-config={folder}/config.yaml",
            "-listener-address=127.0.0.1",
            f"-api-port={api}",
            f"-metrics-port={metrics}",
            *flags,
        ]
        with process(arguments, metrics, environment) as running:
            yield Router(running, port, api, metrics, mount)


def written(document: Mapping[str, Any], port: int) -> str:
    """The document as YAML, with a listener on that port where it has none."""
    listener = {"name": "http-8801", "address": "127.0.0.1", "port": port, "timeout": "300s"}
    return yaml.safe_dump({"version": "v0.3", "listeners": [listener], **document})
