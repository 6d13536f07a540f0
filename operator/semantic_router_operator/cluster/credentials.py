"""Where the API server is and who we are there: a pod's service account, or a kubeconfig."""

import asyncio
import contextlib
import os
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from kubernetes.aio.client import Configuration
from kubernetes.aio.client.rest import RESTClientObject
from kubernetes.aio.config import ConfigException
from kubernetes.aio.config.incluster_config import (
    SERVICE_CERT_FILENAME,
    SERVICE_HOST_ENV_NAME,
    SERVICE_TOKEN_FILENAME,
    InClusterConfigLoader,
)
from kubernetes.aio.config.kube_config import list_kube_config_contexts, load_kube_config
from yaml import YAMLError

from semantic_router_operator.errors import ApiUnreachable

_MALFORMED = (YAMLError, ValueError, TypeError, LookupError, AttributeError)
"""What the loaders raise for a file that isn't whole; its text may be a secret."""
RENEW_SECONDS = 60.0
"""A token is asked for again after this time: kubelet and exec plugins rotate them."""


@dataclass(frozen=True, slots=True)
class Connection:
    """The connection as plain values, for a client of somebody else (kopf)."""

    server: str
    ca_path: str | None
    certificate_path: str | None
    private_key_path: str | None
    scheme: str | None
    """`Bearer` or `Basic`, with `token`."""
    token: str | None
    insecure: bool
    proxy: str | None


class _Source(Protocol):
    """Something that can say the credentials again."""

    async def load(self) -> Any:
        """A fresh Configuration."""


class _Pod:
    """The service account that kubelet mounts and rotates."""

    def __init__(self, environment: Mapping[str, str], token: Path, certificate: Path) -> None:
        self._environment = environment
        self._files = (str(token), str(certificate))

    async def load(self) -> Any:
        configuration = _configuration()
        loader: Any = InClusterConfigLoader
        loader(*self._files, environ=self._environment).load_and_set(configuration)
        return configuration


class _Kubeconfig:
    """A kubeconfig file; exec plugins, token files and OIDC are refreshed by its loader."""

    def __init__(self, path: str, context: str = "") -> None:
        self._path = path
        self._context = context or None

    async def load(self) -> Any:
        configuration = _configuration()
        load: Any = load_kube_config
        await load(
            config_file=self._path,
            context=self._context,
            client_configuration=configuration,
            persist_config=False,
        )
        return configuration

    def namespace(self) -> str:
        """Of the context; empty when it names none."""
        list_contexts: Any = list_kube_config_contexts
        contexts, current = list_contexts(config_file=self._path)
        wanted = self._context or current["name"]
        chosen = next(item for item in contexts if item["name"] == wanted)
        return str((chosen.get("context") or {}).get("namespace") or "")


class Credentials:
    """Credentials that stay valid: read again every minute, and whenever the server says 401."""

    def __init__(self, source: _Source, configuration: Any) -> None:
        self._source = source
        self._configuration = configuration
        self._environments_proxy = _environments_proxy(self.server)
        self.namespace = ""
        """Where the user works, as far as `of_user` has found out."""
        self._read_at = time.monotonic()
        self._lock = asyncio.Lock()

    @classmethod
    async def load(cls, environment: Mapping[str, str] = os.environ) -> "Credentials":
        """KUBECONFIG, else the pod's service account, else ~/.kube/config.

        Raises ApiUnreachable saying what is missing or malformed.
        """
        explicit = environment.get("KUBECONFIG", "")
        if not explicit and environment.get(SERVICE_HOST_ENV_NAME):
            return await cls.from_pod(environment)
        return await cls._of(_Kubeconfig(explicit or str(Path.home() / ".kube/config")))

    @classmethod
    async def from_pod(
        cls,
        environment: Mapping[str, str],
        *,
        token: Path = Path(SERVICE_TOKEN_FILENAME),
        certificate: Path = Path(SERVICE_CERT_FILENAME),
    ) -> "Credentials":
        """The service account of the pod that we run in. Raises ApiUnreachable."""
        return await cls._of(_Pod(environment, token, certificate))

    @classmethod
    async def of_user(cls, kubeconfig: str, context: str) -> "Credentials":
        """What a person's command uses: that file and context, each by default kubectl's own; a
        pod's service account where there is neither. Raises ApiUnreachable."""
        explicit = kubeconfig or os.environ.get("KUBECONFIG", "")
        if not explicit and not context and os.environ.get(SERVICE_HOST_ENV_NAME):
            return await cls.from_pod(os.environ)
        source = _Kubeconfig(explicit or str(Path.home() / ".kube/config"), context)
        found = await cls._of(source)
        found.namespace = source.namespace()
        return found

    @classmethod
    async def _of(cls, source: _Source) -> "Credentials":
        return cls(source, await _read(source))

    @property
    def server(self) -> str:
        """`https://host:port`, no slash at the end."""
        return str(self._configuration.host).rstrip("/")

    @property
    def proxy(self) -> str | None:
        """URL of the proxy on the way to the API server: the kubeconfig's, else the environment's
        (HTTPS_PROXY, NO_PROXY)."""
        given: str | None = self._configuration.proxy
        return given or self._environments_proxy

    @property
    def request_options(self) -> Mapping[str, Any]:
        """What aiohttp wants to know with each request."""
        options = {
            "proxy": self.proxy,
            "server_hostname": self._configuration.tls_server_name,
        }
        return {key: value for key, value in options.items() if value}

    async def authorization(self) -> Mapping[str, str]:
        """The header to send, valid now."""
        if time.monotonic() - self._read_at > RENEW_SECONDS:
            await self.renew()
        value = self._configuration.api_key.get("BearerToken")
        return {"Authorization": str(value).strip()} if value else {}

    async def renew(self) -> None:
        """Reads everything anew. An unreadable source leaves what was known."""
        asked = time.monotonic()
        async with self._lock:
            if self._read_at > asked:
                return
            try:
                self._configuration = await _read(self._source)
            except ApiUnreachable:
                return
            finally:
                self._read_at = time.monotonic()

    def certificates(self) -> bytes:
        """Digest of the certificate files: another one asks for new connections."""
        known = self._configuration
        digest = blake2b()
        for name in (known.ssl_ca_cert, known.cert_file, known.key_file):
            with contextlib.suppress(OSError):
                digest.update(Path(name).read_bytes() if name else b"-")
        return digest.digest()

    def ssl_context(self) -> ssl.SSLContext:
        """TLS as the configuration wants it, from the files as they are now."""
        context: ssl.SSLContext = RESTClientObject(self._configuration).ssl_context
        return context

    async def connection(self) -> Connection:
        """The same connection for a client of somebody else, with a token that is valid now."""
        header = (await self.authorization()).get("Authorization", "")
        scheme, _, token = header.partition(" ")
        known = self._configuration
        return Connection(
            server=self.server,
            ca_path=known.ssl_ca_cert,
            certificate_path=known.cert_file,
            private_key_path=known.key_file,
            scheme=scheme.capitalize() or None,
            token=token.strip() or None,
            insecure=not known.verify_ssl,
            proxy=self.proxy,
        )


def _environments_proxy(server: str) -> str | None:
    address = urlsplit(server)
    return None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)


async def _read(source: _Source) -> Any:
    try:
        return await source.load()
    except (ConfigException, OSError) as error:
        text = f"no usable credentials for the API server: {error}"
        raise ApiUnreachable(text) from error
    except _MALFORMED as error:
        text = f"no usable credentials for the API server: malformed ({type(error).__name__})"
        raise ApiUnreachable(text) from None


def _configuration() -> Any:
    return Configuration()
