"""Kubeconfigs: who asks which API server."""

import base64
import binascii
import contextlib
import http.client
import socket
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml


class HarnessError(Exception):
    """What somebody who runs the harness must put right; the message is for the terminal."""


@dataclass(frozen=True)
class Access:
    """An API server and an identity there: a bearer token, or a client certificate."""

    server: str
    authority: bytes
    token: str = ""
    certificate: bytes = b""
    key: bytes = b""

    @classmethod
    def read(cls, path: Path) -> "Access":
        """The current context of a kubeconfig. Raises HarnessError saying what is wrong."""
        try:
            document = yaml.safe_load(path.read_text())
            context = _named(document, "contexts", "context", document["current-context"])
            cluster = _named(document, "clusters", "cluster", context["cluster"])
            user = _named(document, "users", "user", context["user"])
            found = cls(
                server=str(cluster["server"]).rstrip("/"),
                authority=_data(cluster, "certificate-authority", path),
                token=str(user.get("token") or _text(user.get("tokenFile"))),
                certificate=_data(user, "client-certificate", path),
                key=_data(user, "client-key", path),
            )
        except OSError as error:
            message = f"kubeconfig {path}: {error.strerror or error}"
            raise HarnessError(message) from None
        except (yaml.YAMLError, KeyError, TypeError, AttributeError, binascii.Error) as error:
            message = f"kubeconfig {path} is malformed ({type(error).__name__})"
            raise HarnessError(message) from None
        if not found.token and not found.certificate:
            message = f"kubeconfig {path}: the user has neither a token nor a client certificate"
            raise HarnessError(message)
        return found

    def tls(self) -> ssl.SSLContext:
        """TLS to the server, with the client certificate if there is one."""
        context = ssl.create_default_context(cadata=self.authority.decode() or None)
        if self.certificate:
            with tempfile.NamedTemporaryFile() as file:
                file.write(self.certificate + b"\n" + self.key)
                file.flush()
                context.load_cert_chain(file.name)
        return context

    def check(self) -> None:
        """Raises HarnessError when no API server answers there."""
        address = urlsplit(self.server)
        connection = http.client.HTTPSConnection(address.netloc, timeout=5, context=self.tls())
        with contextlib.closing(connection):
            try:
                connection.request("GET", "/version", headers=self.headers)
                code = connection.getresponse().status
            except (OSError, http.client.HTTPException, socket.gaierror) as error:
                message = f"no API server at {self.server}: {error}"
                raise HarnessError(message) from None
        if code != http.client.OK:
            message = f"the API server at {self.server} answered {code} to /version"
            raise HarnessError(message)

    @property
    def headers(self) -> dict[str, str]:
        """What a request of this identity carries."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}


def _named(document: dict[str, Any], plural: str, kind: str, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(
        (item[kind] for item in document[plural] if item["name"] == name), {}
    )
    if not found and kind != "user":
        raise KeyError(name)
    return found


def _data(entry: dict[str, Any], field: str, beside: Path) -> bytes:
    if data := entry.get(f"{field}-data"):
        return base64.b64decode(data)
    return (beside.parent / entry[field]).read_bytes() if entry.get(field) else b""


def _text(path: str | None) -> str:
    return Path(path).read_text().strip() if path else ""
