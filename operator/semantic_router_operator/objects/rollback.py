"""Which revision runs: the one that the spec asks for, or an earlier one.

The memory of a rollback is an annotation of the Deployment, written with the earlier template in
one request: whatever dies in between, either both are there or none.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Final

from semantic_router_operator import names
from semantic_router_operator.model.canonical import CanonicalConfig, Issue
from semantic_router_operator.model.manifests import (
    CONFIG_MAP,
    DEPLOYMENT,
    DeploymentFacts,
    Manifest,
    Revision,
    Rollback,
)
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.objects import config_map, deployment, service_account
from semantic_router_operator.objects.built import Built

PATH: Final = f"metadata.annotations[{names.ANNOTATION_ROLLBACK_TO}]"


def asked(router: SemanticRouter) -> Rollback | Issue | None:
    """What a person wants to run instead, for the spec as it is; a value that can't be read is an
    Issue, one for an earlier spec is over."""
    value = router.metadata.annotations.get(names.ANNOTATION_ROLLBACK_TO)
    if value is None:
        return None
    match = _ASKED.fullmatch(value)
    if match is None:
        text = "is <revision>@<generation>, such as 3@7; correct or remove it"
        return Issue("InvalidRollback", PATH, text, severity="warning")
    revision, generation = (int(part) for part in match.groups())
    if generation != router.metadata.generation:
        return None
    return Rollback(revision, generation, asked=True)


_ASKED = re.compile(r"(\d{1,18})@(\d{1,18})")


def decided(router: SemanticRouter, live: DeploymentFacts | None) -> Rollback | None:
    """The rollback that the operator has decided for the spec as it is. One for a later generation
    stands too: a generation never goes back, so that we see an old state of the router."""
    found = live.rolled_back if live is not None else None
    if found is None or router.spec.rollback == "Manual":
        return None
    return found if found.generation >= router.metadata.generation else None


def restored(
    built: Built,
    router: SemanticRouter,
    wanted: CanonicalConfig,
    revision: Revision,
    rollback: Rollback,
) -> Built:
    """The objects with the revision's document and pod template, and the ServiceAccount that its
    pods had from us.

    Where the spec asks for a document that differs from the recorded one only in its backends, that
    one goes on to follow them: the old pods can read it.
    """
    old = revision.config
    same = old.settings_digest == wanted.settings_digest and old.env == wanted.env
    config = wanted if same and old.restart_digest == wanted.restart_digest else old
    made = tuple(_restored(item, router, config, revision, rollback) for item in built.manifests)
    if not rollback.asked and _same_pods(built.manifests, made):
        made = _noted_first(made)
    account = service_account.of_pods(router, revision.template) if revision.template else None
    if account is None or any(item.key == account.key for item in made):
        return replace(built, manifests=made)
    return replace(built, manifests=(account, *made))


def untouched(built: Built) -> Built:
    """The objects without the document and the pods: those stay as they are."""
    kept = {CONFIG_MAP, DEPLOYMENT}
    stay = tuple(item.key for item in built.manifests if item.kind in kept)
    others = tuple(item for item in built.manifests if item.kind not in kept)
    return replace(built, manifests=others, withheld=(*built.withheld, *stay))


def _restored(
    item: Manifest,
    router: SemanticRouter,
    config: CanonicalConfig,
    revision: Revision,
    rollback: Rollback,
) -> Manifest:
    if item.kind == CONFIG_MAP:
        return config_map.build(router, config)
    if item.kind != DEPLOYMENT:
        return item
    pods = revision.template or item.body["spec"]["template"]
    return deployment.with_template(router, pods, _note(rollback))


def _same_pods(wanted: tuple[Manifest, ...], made: tuple[Manifest, ...]) -> bool:
    """Whether only settings go back."""
    digest = names.ANNOTATION_TEMPLATE_DIGEST
    return _deployment_notes(wanted).get(digest) == _deployment_notes(made).get(digest)


def _deployment_notes(manifests: tuple[Manifest, ...]) -> Mapping[str, str]:
    return _notes(next(item for item in manifests if item.kind == DEPLOYMENT))


def _noted_first(manifests: tuple[Manifest, ...]) -> tuple[Manifest, ...]:
    """The Deployment, which has the note, before the document: written the other way round, a crash
    in between would bring the pods back, and nothing would tell that the settings had ended them.
    """
    noted = next(item for item in manifests if item.kind == DEPLOYMENT)
    rest = (item for item in manifests if item is not noted)
    later = (replace(item, after=noted.key) if item.kind == CONFIG_MAP else item for item in rest)
    return (noted, *later)


def _note(rollback: Rollback) -> dict[str, str]:
    """What a person has asked for is remembered where it was asked."""
    if rollback.asked:
        return {}
    memory = {key: value for key, value in asdict(rollback).items() if key != "asked"}
    text = json.dumps(memory, separators=(",", ":"), sort_keys=True)
    return {names.ANNOTATION_ROLLED_BACK: text}


def read_note(text: str | None) -> Rollback | None:
    """The annotation of a Deployment; None when it has none, or one that isn't ours."""
    try:
        found = json.loads(text or "null")
        return Rollback(
            revision=int(found["revision"]),
            generation=int(found["generation"]),
            failed=int(found["failed"]),
            why=str(found["why"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        return None


def keeps(manifest: Manifest, live: object) -> bool:
    """Whether the Deployment has the very pods for certain that it is to have."""
    if manifest.kind != DEPLOYMENT or not isinstance(live, DeploymentFacts):
        return False
    return live.template_digest == _notes(manifest).get(names.ANNOTATION_TEMPLATE_DIGEST)


def rolls(manifest: Manifest, live: object) -> bool:
    """Whether the Deployment gets other pods than it has, as far as its facts say."""
    if manifest.kind != DEPLOYMENT or not isinstance(live, DeploymentFacts):
        return False
    wanted = _notes(manifest).get(names.ANNOTATION_TEMPLATE_DIGEST)
    return bool(live.template_digest) and live.template_digest != wanted


def forgets(router: SemanticRouter, manifest: Manifest, live: object) -> bool:
    """Whether the manifest would end a rollback that still stands."""
    if not isinstance(live, DeploymentFacts) or isinstance(asked(router), Rollback):
        return False
    goes_back = names.ANNOTATION_ROLLED_BACK in _notes(manifest)
    return decided(router, live) is not None and not goes_back


def _notes(manifest: Manifest) -> Mapping[str, str]:
    found: Mapping[str, str] = manifest.body["metadata"].get("annotations") or {}
    return found
