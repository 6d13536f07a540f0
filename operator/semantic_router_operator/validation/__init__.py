"""The router's own rules over a candidate, before it becomes the live document. Pure.

    validate(router, candidate) -> errors and warnings

A candidate with an error never reaches the cluster: the last good document stays (case SR-11).
An entry whose backend is Invalid is not an error here: where other entries of its model still
serve, the candidate is good without it, and status.backends says what is wrong with it.
"""

from semantic_router_operator.model.canonical import Candidate, Issue
from semantic_router_operator.model.router import SemanticRouter
from semantic_router_operator.validation.cross_field import cross_field
from semantic_router_operator.validation.rules import RULES
from semantic_router_operator.validation.subject import Subject

__all__ = ["validate"]


def validate(router: SemanticRouter, candidate: Candidate) -> tuple[Issue, ...]:
    """Everything that the rules find, errors first, each with its path in the CR."""
    subject = Subject(router, candidate)
    issues = dict.fromkeys(cross_field(router)) | {
        Issue(rule.code, _path(candidate, path), message, rule.severity): None
        for rule in RULES
        for path, message in rule.check(subject)
    }
    return tuple(sorted(issues, key=lambda issue: issue.severity != "error"))


def _path(candidate: Candidate, path: str) -> str:
    return path if path.startswith("spec") else candidate.origin(path)
