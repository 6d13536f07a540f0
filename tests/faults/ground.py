"""The namespace of a scenario: made, emptied, looked at and removed by an administrator."""

import contextlib
import http.client
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from typing_extensions import override

from cluster.live_objects import Kube, Object, Place, Refused
from faults.access import Access, HarnessError
from faults.scenario import Scenario
from faults.storage import LABEL

KINDS = (
    "sr",
    "deployment",
    "service",
    "configmap",
    "serviceaccount",
    "hpa",
    "claim",
    "ingress",
    "networkpolicy",
    "pdb",
    "controllerrevision",
    "pod",
)
_FIXED = frozenset(("kube-root-ca.crt", "default"))
_MANY = 20
"""More objects of a kind than this are deleted with one request."""
CRD_SECONDS = 20.0
EMPTY_SECONDS = 120.0
_VOLUMES = "/api/v1/persistentvolumes"
_NAMESPACES = "/api/v1/namespaces"


class Admin(Kube):
    """Somebody who may do everything, not through the proxy."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._address = access.server.partition("://")[2]
        self._tls = access.tls()
        self._connection = self.connect()
        self.warning = ""

    @override
    def connect(self) -> http.client.HTTPSConnection:
        connection = _Authorized(self._address, timeout=30, context=self._tls)
        connection.headers = self._access.headers
        return connection


class _Authorized(http.client.HTTPSConnection):
    headers: Mapping[str, str] = {}

    @override
    def request(
        self, method: str, url: str, body: Any = None, headers: Any = None, **more: Any
    ) -> None:
        super().request(method, url, body, {**(headers or {}), **self.headers}, **more)


class Ground:
    """The namespaces in which scenarios are played. `pause` is called between two looks: it waits a
    moment, and may raise."""

    def __init__(self, access: Access, pause: Callable[[], None]) -> None:
        self._access = access
        self._pause = pause
        self._further = tuple(kind for kind in ("gateway",) if self.serves(kind))

    @contextlib.contextmanager
    def place(self, scenario: Scenario) -> Iterator[Place]:
        """The scenario's namespace, empty; always the same one, since its name is in what the
        operator writes. Raises HarnessError."""
        with contextlib.closing(Admin(self._access)) as kube:
            place = Place(kube, namespace_of(scenario))
            self._make(place)
            self._empty(place)
            yield place

    def remove(self, scenario: Scenario) -> None:
        """Removes what the scenario left, in the background."""
        with contextlib.closing(Admin(self._access)) as kube:
            place = Place(kube, namespace_of(scenario))
            self._release(place)
            with contextlib.suppress(Refused):
                kube.ask("DELETE", f"{_NAMESPACES}/{place.namespace}")
            self._drop_volumes(place)

    def serves(self, kind: str) -> bool:
        """Whether the cluster has the kind."""
        with contextlib.closing(Admin(self._access)) as kube:
            try:
                kube.ask("GET", Place(kube, "default").path(kind))
            except Refused as error:
                if error.code != http.client.NOT_FOUND:
                    raise
                return False
            return True

    def _make(self, place: Place) -> None:
        """Another one of that name may have to go first."""
        body = {"metadata": {"name": place.namespace}}

        def made() -> bool:
            with contextlib.suppress(Refused):
                place.kube.ask("POST", _NAMESPACES, body)
            stands = place.kube.ask("GET", _NAMESPACES)["items"]
            phases = {item["metadata"]["name"]: item["status"]["phase"] for item in stands}
            active = phases.get(place.namespace) == "Active"
            return active and place.get("serviceaccount", "default") is not None

        self._until(made, lambda: f"namespace {place.namespace} can't be made")

    def _empty(self, place: Place) -> None:
        self._until(
            lambda: not (self._clear(place) or self._drop_volumes(place)),
            lambda: f"namespace {place.namespace} can't be emptied: {self._left(place)}",
        )

    def _clear(self, place: Place) -> bool:
        """Deletes what is there; whether there was something."""
        self._release(place)
        found = False
        for kind in (*KINDS, *self._further):
            left = [item for item in place.all(kind) if item["metadata"]["name"] not in _FIXED]
            found = found or bool(left)
            if len(left) > _MANY:
                place.kube.ask("DELETE", place.path(kind))
            for item in left[:_MANY]:
                if "deletionTimestamp" not in item["metadata"]:
                    with contextlib.suppress(Refused):
                        place.delete(kind, item["metadata"]["name"])
        return found

    def _release(self, place: Place) -> None:
        """Nobody but us is left to remove the Go operator's finalizer."""
        for item in place.all("sr"):
            if item["metadata"].get("finalizers"):
                with contextlib.suppress(Refused):
                    place.merge("sr", item["metadata"]["name"], {"metadata": {"finalizers": None}})

    def _drop_volumes(self, place: Place) -> bool:
        query = f"?labelSelector={LABEL}%3D{place.namespace}"
        found = place.kube.ask("GET", _VOLUMES + query)["items"]
        if found:
            place.kube.ask("DELETE", _VOLUMES + query)
        return bool(found)

    def _left(self, place: Place) -> list[str]:
        kinds = (*KINDS, *self._further)
        items = [(kind, item["metadata"]["name"]) for kind in kinds for item in place.all(kind)]
        return [f"{kind} {name}" for kind, name in items if name not in _FIXED][:_MANY]

    def _until(self, check: Callable[[], bool], complaint: Callable[[], str]) -> None:
        deadline = time.monotonic() + EMPTY_SECONDS
        while not check():
            if time.monotonic() > deadline:
                raise HarnessError(complaint())
            self._pause()


def namespace_of(scenario: Scenario) -> str:
    """Its name."""
    words = "".join(letter if letter.isalnum() else " " for letter in scenario.name.lower())
    return "-".join(("faults", *words.split()))


def objects_in(place: Place) -> list[Object]:
    """Everything of a namespace that a state is made of."""
    found = []
    for kind in KINDS:
        listed = place.kube.ask("GET", place.path(kind))
        word = listed["kind"].removesuffix("List")
        found += [{"kind": word, **item} for item in listed["items"]]
    return found


def standing(place: Place) -> str:
    """How the namespace is: there, ending or gone."""
    try:
        found = place.kube.ask("GET", f"{_NAMESPACES}/{place.namespace}")
    except Refused as error:
        if error.code == http.client.NOT_FOUND:
            return "gone"
        raise
    return "ending" if "deletionTimestamp" in found["metadata"] else "there"


def check_crd(access: Access) -> None:
    """Raises HarnessError unless SemanticRouters are served. A CRD that has just been made answers
    429 for a moment."""
    deadline = time.monotonic() + CRD_SECONDS
    with contextlib.closing(Admin(access)) as kube:
        while True:
            try:
                kube.ask("GET", "/apis/vllm.ai/v1alpha1/semanticrouters")
            except Refused as error:
                if error.code != http.client.TOO_MANY_REQUESTS or time.monotonic() > deadline:
                    message = f"SemanticRouters can't be listed at {access.server}: {error}"
                    raise HarnessError(message) from None
                time.sleep(0.2)
            else:
                return
