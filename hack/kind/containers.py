"""The node containers of a kind cluster, found by kind's own label and ended without kind.

`kind get clusters` and `kind delete cluster` do the same (kind's pkg/cluster/internal/providers/
docker/provider.go), but kind itself may have to be built first, and that may fail.
"""

from collections.abc import Collection, Mapping

from kind import commands
from kind.errors import CommandError, KindError, LeftoverError

LABEL = "io.x-k8s.kind.cluster"


def find(
    cluster: str, environment: Mapping[str, str], *, among: Collection[str] = ()
) -> dict[str, str]:
    """Return id -> name of its nodes' containers, stopped ones too. Raises CommandError.

    Where `among` has ids, only those count: others may have taken the cluster's name later.
    """
    listed = ["ps", "--all", "--no-trunc", "--filter", f"label={LABEL}={cluster}"]
    listed += ["--format", "{{.ID}} {{.Names}}"]
    lines = commands.output("docker", *listed, environment=environment).splitlines()
    found = {line.split()[0]: line.split()[1] for line in lines}
    return {key: name for key, name in found.items() if not among or key in among}


def refuse_another(cluster: str, environment: Mapping[str, str]) -> None:
    """Raise KindError when there is a cluster of that name: what we would call ours, we delete."""
    if found := find(cluster, environment):
        message = (
            f"a kind cluster named {cluster!r} is there already, made by somebody else or in"
            f" another folder ({', '.join(found.values())}); it stays. End it there, or with"
            f" `kind delete cluster --name {cluster}`"
        )
        raise KindError(message)


def end(cluster: str, environment: Mapping[str, str], *, among: Collection[str] = ()) -> None:
    """Remove what `find` finds, with the volumes, and see that it is gone.

    Raises CommandError when docker doesn't answer, LeftoverError when some are still there.
    """
    trouble = ""
    if found := find(cluster, environment, among=among):
        try:
            commands.output("docker", "rm", "--force", "--volumes", *found, environment=environment)
        except CommandError as error:
            trouble = f"\n  {error}"
    if left := find(cluster, environment, among=among):
        lines = "".join(f"\n  container {name}" for name in left.values())
        message = f"still there:{lines}{trouble}"
        raise LeftoverError(message)
