"""The few requests that the control plane itself makes, without a client library."""

import http.client
import json
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from controlplane.errors import ApiError


class Api:
    """JSON over TLS to one API server, as the holder of a client certificate."""

    def __init__(self, server: str, pki: Path) -> None:
        self._address = urlsplit(server).netloc
        self._tls = ssl.create_default_context(cafile=str(pki / "ca.crt"))
        self._tls.load_cert_chain(pki / "admin.crt", pki / "admin.key")

    def ready(self) -> bool:
        """Return whether /readyz says so; a server that is not there yet is not ready."""
        try:
            return self._request("GET", "/readyz", None)[0] == http.client.OK
        except (OSError, http.client.HTTPException):
            return False

    def get(self, path: str) -> dict[str, Any] | None:
        """Return the object at `path`, None when there is none.

        Raises:
            ApiError: any other answer than the object or 404.
        """
        status, body = self._request("GET", path, None)
        if status == http.client.NOT_FOUND:
            return None
        return _parsed("GET", path, status, body)

    def create(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """POST `body` to the collection at `path` and return the answer.

        Raises:
            ApiError: the server refused.
        """
        return _parsed("POST", path, *self._request("POST", path, body))

    def merge(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """PATCH the object at `path` with a merge patch and return the answer.

        Raises:
            ApiError: the server refused.
        """
        kind = "application/merge-patch+json"
        return _parsed("PATCH", path, *self._request("PATCH", path, body, kind))

    def delete(self, path: str) -> None:
        """DELETE the object at `path`.

        Raises:
            ApiError: the server refused, or there is none.
        """
        _parsed("DELETE", path, *self._request("DELETE", path, None))

    def _request(
        self, method: str, path: str, body: dict[str, Any] | None, kind: str = "application/json"
    ) -> tuple[int, str]:
        connection = http.client.HTTPSConnection(self._address, timeout=10, context=self._tls)
        try:
            content = None if body is None else json.dumps(body)
            headers = {"Accept": "application/json", "Content-Type": kind}
            connection.request(method, path, content, headers)
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()


def _parsed(method: str, path: str, status: int, body: str) -> dict[str, Any]:
    if status >= http.client.BAD_REQUEST:
        raise ApiError(method, path, status, body)
    parsed: dict[str, Any] = json.loads(body)
    return parsed
