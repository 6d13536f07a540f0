"""A router through the stages that the operator runs, without a cluster (render, validate)."""

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.cli.documents import objects
from semantic_router_operator.cli.schema_check import violations
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.errors import InvalidSpec, UserError
from semantic_router_operator.model.canonical import Accepted, CanonicalConfig, Issue, Rejected
from semantic_router_operator.model.manifests import Manifest
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.resolution import Unresolved
from semantic_router_operator.model.state_view import StateView
from semantic_router_operator.objects import Images, build
from semantic_router_operator.reconcile import judge

_PLATFORMS = {
    "kubernetes": Platform(),
    "openshift": Platform(openshift=True, routes=True),
}
_WAITS: Final = frozenset({"WaitingForBackends", "GatewayNotFound", "KindNotInstalled"})
"""Errors that the cluster alone can end: the spec itself is sound."""


@dataclass(slots=True)
class Rendered:
    """What there is to say of one router."""

    title: str = ""
    manifests: tuple[Manifest, ...] = ()
    config: CanonicalConfig | None = None
    errors: list[str] = field(default_factory=list)
    """What the spec must change."""
    waits: list[str] = field(default_factory=list)
    """What the cluster lacks, so that no document can be made."""
    warnings: list[str] = field(default_factory=list)

    def take(self, issue: Issue) -> None:
        """Files a finding where it belongs."""
        if issue.severity == "warning":
            self.warnings.append(str(issue))
        else:
            (self.waits if issue.code in _WAITS else self.errors).append(str(issue))


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The files, and the cluster to pretend."""
    parser.add_argument(
        "-f",
        "--filename",
        action="append",
        required=True,
        metavar="FILE",
        help="YAML or JSON with one or more documents; - for standard input; can be repeated",
    )
    parser.add_argument(
        "--cluster",
        action="append",
        default=[],
        metavar="FILE",
        help="Services, EndpointSlices, InferenceServices, Gateways... to pretend",
    )
    parser.add_argument(
        "--platform",
        choices=sorted(_PLATFORMS),
        default="kubernetes",
        help="what kind of cluster to pretend (default: kubernetes)",
    )
    parser.add_argument(
        "-n",
        "--namespace",
        default="default",
        help="namespace of objects that name none (default: default)",
    )
    parser.add_argument(
        "--cluster-domain", default="cluster.local", help="DNS domain (default: cluster.local)"
    )


def all_rendered(options: argparse.Namespace) -> Iterator[Rendered]:
    """Every router of the files. Raises UserError for files that hold none, or can't be read."""
    found = [item for name in options.filename for item in objects(name)]
    state = [item for name in options.cluster for item in objects(name)]
    routers = [item for item in found if _is_router(item)]
    if not routers:
        message = f"no {names.KIND} ({names.API_VERSION}) in {', '.join(options.filename)}"
        raise InvalidSpec(message)
    others = [item for item in found if not _is_router(item)]
    view = StateView(_placed(item, options.namespace) for item in [*others, *state])
    for body in routers:
        rendered = render(_placed(body, options.namespace), view, options)
        rendered.title = f"{names.KIND} {(body.get('metadata') or {}).get('name', '?')}"
        yield rendered


def render(body: Mapping[str, Any], view: StateView, options: argparse.Namespace) -> Rendered:
    """One router, through the very stages that the operator runs."""
    result = Rendered(errors=list(violations(body)))
    if result.errors:
        return result
    try:
        router = parse(body)
    except UserError as error:
        result.errors.append(error.message)
        return result
    policy = DiscoveryPolicy(cluster_domain=options.cluster_domain, cross_namespace=True)
    discovery = discover(router, view, policy=policy, last_known={})
    for found in discovery.endpoints:
        if isinstance(found, Unresolved):
            result.warnings.append(f"{found.message} ({found.reason})")
        else:
            result.warnings.extend(note.message for note in found.notes)
    match judge(router, discovery, previous_default=None):
        case Rejected(errors=errors, warnings=warnings):
            issues = (*errors, *warnings)
        case Accepted(config, warnings):
            result.config, issues = config, warnings
    platform = _PLATFORMS[options.platform]
    built = build(router, result.config, platform=platform, images=Images())
    for issue in (*issues, *built.issues):
        result.take(issue)
    result.manifests = built.manifests
    return result


def say(kind: str, title: str, lines: list[str]) -> None:
    """Findings go to standard error, one a line."""
    for line in lines:
        print(f"{title}: {kind}: {line}", file=sys.stderr)  # noqa: T201


def fail(command: str, error: UserError) -> int:
    """The files themselves are wrong; the exit code."""
    print(f"semantic-router-operator {command}: {error.message}", file=sys.stderr)  # noqa: T201
    return 1


def _is_router(item: Mapping[str, Any]) -> bool:
    """A kind of that name in another API group isn't ours; one in another version is a mistake."""
    version = item.get("apiVersion")
    ours = not isinstance(version, str) or version.partition("/")[0] == names.GROUP
    return ours and item["kind"] == names.KIND


def _placed(item: Mapping[str, Any], namespace: str) -> Mapping[str, Any]:
    """The object in the namespace that it names, else in that one."""
    metadata = item.get("metadata") or {}
    return {**item, "metadata": {**metadata, "namespace": metadata.get("namespace") or namespace}}
