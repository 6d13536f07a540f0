"""What the steps of the tour work with: the cluster, the screen, and patience with a limit."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from controlplane import ControlPlane
from demo import views
from demo.folder import Folder
from demo.screen import Screen
from demo.views import Object
from installation import OperatorProcess

ROUTER = "demo"
PATIENCE_SECONDS = 30.0
"""For any one thing to be seen; what is slower than that is a failure."""
POLL_SECONDS = 0.1

T = TypeVar("T")


class Unobserved(Exception):  # noqa: N818 - the demo's word for a failure
    """What a step promised wasn't there; the message says what was expected and what was seen."""


@dataclass
class Stage:
    """The running demo. `plane` and `operator` are there after the steps that start them."""

    folder: Folder
    screen: Screen
    keep: bool
    _plane: ControlPlane | None = None
    operator: OperatorProcess | None = None

    @property
    def plane(self) -> ControlPlane:
        """The control plane."""
        assert self._plane is not None, "the first step starts it"  # noqa: S101
        return self._plane

    @plane.setter
    def plane(self, plane: ControlPlane) -> None:
        self._plane = plane

    @property
    def has_plane(self) -> bool:
        """Whether it was started."""
        return self._plane is not None

    def show(self, *arguments: str, wanted: tuple[str, ...] = ()) -> str:
        """Prints the kubectl command and its output, which must have all of `wanted`.

        Raises Unobserved, or KubectlError when the command fails.
        """
        self.screen.command(arguments)
        text = self.plane.kubectl(*arguments)
        self.screen.output(text)
        lacking = views.missing(text, wanted)
        if lacking:
            message = f"expected in the output above, and not there: {'; '.join(lacking)}"
            raise Unobserved(message)
        return text

    def get(self, *arguments: str) -> Object:
        """An object or a list, without a word on the screen."""
        found: Object = json.loads(self.plane.kubectl("get", *arguments, "-o", "json"))
        return found

    def router(self) -> Object:
        """The demo's SemanticRouter."""
        return self.get("sr", ROUTER)

    def document(self) -> str:
        """The live config.yaml."""
        return str(self.get("cm", f"{ROUTER}-config")["data"]["config.yaml"])

    def until(self, what: str, check: Callable[[Object], bool]) -> float:
        """Waits until the router is as `check` wants; the seconds. Raises Unobserved."""
        return self._until(what, self.router, check, views.summary)

    def until_document(self, what: str, check: Callable[[str], bool]) -> float:
        """The same for config.yaml."""
        return self._until(what, self.document, check, str)

    def _until(
        self, what: str, ask: Callable[[], T], check: Callable[[T], bool], tell: Callable[[T], str]
    ) -> float:
        began = time.monotonic()
        while not check(found := ask()):
            if time.monotonic() - began > PATIENCE_SECONDS:
                message = f"expected within {PATIENCE_SECONDS:.0f} s: {what}\nseen: {tell(found)}"
                raise Unobserved(message)
            time.sleep(POLL_SECONDS)
        return time.monotonic() - began

    def expect(self, what: str, *, seen: object, wanted: object) -> None:
        """Compares, and says so. Raises Unobserved."""
        if seen != wanted:
            message = f"expected: {what}: {wanted!r}\nseen: {seen!r}"
            raise Unobserved(message)
        self.screen.seen(what)
