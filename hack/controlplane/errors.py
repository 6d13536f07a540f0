"""What can go wrong with the control plane, by who has to act."""


class ControlPlaneError(RuntimeError):
    """Base of all errors here; the message is meant for a person at a terminal."""


class BuildError(ControlPlaneError):
    """A program is missing and can't be built; the message says what to install or set."""


class StartError(ControlPlaneError):
    """A process ended or did not get ready in time; the message has the tail of its log."""


class KubectlError(ControlPlaneError):
    """kubectl ended with a status other than 0."""

    def __init__(self, arguments: tuple[str, ...], status: int, stderr: str) -> None:
        super().__init__(f"kubectl {' '.join(arguments)}: exit {status}: {stderr.strip()}")
        self.status = status
        self.stderr = stderr


class ApiError(ControlPlaneError):
    """The API server answered a request of ours with a status of 400 or more."""

    def __init__(self, method: str, path: str, status: int, body: str) -> None:
        super().__init__(f"{method} {path}: HTTP {status}: {body[:400]}")
        self.status = status
