"""What can go wrong with a kind cluster, by who has to act."""

from controlplane.errors import ControlPlaneError


class KindError(ControlPlaneError):
    """Base of all errors here; the message is meant for a person at a terminal."""


class Unsupported(KindError):  # noqa: N818 - what the machine is
    """This machine can't run it, or was asked for what there isn't; the message says why."""


class CommandError(KindError):
    """A program ended with a status other than 0; the message has the end of its output."""


class LeftoverError(KindError):
    """Something of the cluster is still there; the message names it."""
