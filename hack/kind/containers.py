"""The node containers of a kind cluster, found by kind's own label and ended without kind.

`kind get clusters` and `kind delete cluster` do the same (kind's pkg/cluster/internal/providers/
docker/provider.go), but kind itself may have to be built first, and that may fail.
"""

from collections.abc import Mapping

from kind import commands
from kind.errors import CommandError, KindError, LeftoverError

LABEL = "io.x-k8s.kind.cluster"


def names(cluster: str, environment: Mapping[str, str]) -> list[str]:
    """Return the names of its nodes' containers, stopped ones too. Raises CommandError."""
    listed = ("ps", "--all", "--filter", f"label={LABEL}={cluster}", "--format", "{{.Names}}")
    return commands.output("docker", *listed, environment=environment).split()


def refuse_another(cluster: str, environment: Mapping[str, str]) -> None:
    """Raise KindError when there is a cluster of that name: what we would call ours, we delete."""
    if found := names(cluster, environment):
        message = (
            f"a kind cluster named {cluster!r} is there already, made by somebody else or in"
            f" another folder ({', '.join(found)}); it stays. End it there, or with"
            f" `kind delete cluster --name {cluster}`"
        )
        raise KindError(message)


def end(cluster: str, environment: Mapping[str, str]) -> None:
    """Remove them with their volumes, and see that they are gone.

    Raises CommandError when docker doesn't answer, LeftoverError when some are still there.
    """
    trouble = ""
    if found := names(cluster, environment):
        try:
            commands.output("docker", "rm", "--force", "--volumes", *found, environment=environment)
        except CommandError as error:
            trouble = f"\n  {error}"
    if left := names(cluster, environment):
        lines = "".join(f"\n  container {name}" for name in left)
        message = f"still there:{lines}{trouble}"
        raise LeftoverError(message)
