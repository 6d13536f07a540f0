"""`render`: prints what the operator would apply, without a cluster."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from semantic_router_operator import names
from semantic_router_operator.cli.manifest_yaml import dump
from semantic_router_operator.cli.schema_check import violations
from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.errors import InvalidSpec, UserError
from semantic_router_operator.model.canonical import Accepted, CanonicalConfig, Rejected
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


@dataclass(slots=True)
class Rendered:
    """What `render` has to say of one router."""

    manifests: tuple[Manifest, ...] = ()
    config: CanonicalConfig | None = None
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def register(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "render",
        help="print what the operator would apply, without a cluster",
        description="Prints the objects that the operator would apply for the SemanticRouters in "
        "the files. Other objects in the files, and those of --cluster, are the cluster to "
        "pretend. Owner references are left out where the router has no metadata.uid. Errors go "
        "to standard error with the field's path, and the exit code is 1.",
    )
    _add_flags(parser)
    parser.set_defaults(execute=_execute)


def _add_flags(parser: argparse.ArgumentParser) -> None:
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
        "--config-only", action="store_true", help="print only the router's own document"
    )
    parser.add_argument(
        "-n",
        "--namespace",
        default="default",
        help="namespace of routers that name none (default: default)",
    )
    parser.add_argument(
        "--cluster-domain", default="cluster.local", help="DNS domain (default: cluster.local)"
    )


def _execute(options: argparse.Namespace) -> int:
    try:
        documents = [item for name in options.filename for item in _documents(name)]
        state = [item for name in options.cluster for item in _documents(name)]
    except (OSError, yaml.YAMLError, UserError) as error:
        return _fail(str(error))
    routers = [item for item in documents if item.get("kind") == names.KIND]
    if not routers:
        return _fail(f"no {names.KIND} ({names.API_VERSION}) in {', '.join(options.filename)}")
    view = StateView([*(item for item in documents if item not in routers), *state])
    texts, failed = [], False
    for body in routers:
        name = f"{names.KIND} {body.get('metadata', {}).get('name', '?')}"
        rendered = render(body, view, options)
        for kind, lines in (("warning", rendered.warnings), ("error", rendered.errors)):
            for line in lines:
                print(f"{name}: {kind}: {line}", file=sys.stderr)  # noqa: T201
        if rendered.errors:
            failed = True
        elif options.config_only and rendered.config:
            texts.append(rendered.config.text)
        else:
            texts.extend(dump(manifest.body) for manifest in rendered.manifests)
    sys.stdout.write("---\n".join(texts))
    return 1 if failed else 0


def render(body: Mapping[str, Any], view: StateView, options: argparse.Namespace) -> Rendered:
    """One router, through the very stages that the operator runs."""
    result = Rendered(errors=list(violations(body)))
    if result.errors:
        return result
    metadata = {"namespace": options.namespace, **body["metadata"]}
    try:
        router = parse({**body, "metadata": metadata})
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
            result.errors.extend(str(issue) for issue in errors)
        case Accepted(config, warnings):
            result.config = config
    platform = _PLATFORMS[options.platform]
    built = build(router, result.config, platform=platform, images=Images())
    for issue in (*warnings, *built.issues):
        (result.errors if issue.severity == "error" else result.warnings).append(str(issue))
    result.manifests = built.manifests
    return result


def _documents(name: str) -> Iterator[dict[str, Any]]:
    """The objects in a file, Lists taken apart. Raises OSError, YAMLError or UserError."""
    text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    for number, item in enumerate(yaml.safe_load_all(text), start=1):
        if item is None:
            continue
        if not isinstance(item, dict) or "kind" not in item:
            message = f"{name}: document {number} is not a Kubernetes object"
            raise InvalidSpec(message)
        yield from _items(item)


def _items(item: dict[str, Any]) -> Sequence[dict[str, Any]]:
    return item.get("items") or [] if item["kind"].endswith("List") else [item]


def _fail(message: str) -> int:
    print(f"semantic-router-operator render: {message}", file=sys.stderr)  # noqa: T201
    return 1
