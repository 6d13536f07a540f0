"""The rules on several fields of one object of the CR (model/cross_rule.py), in the reconcile.

The API server knows most of them as CEL. They are judged here as well: for a CR that was stored
before the rule came, for one that `validate` reads from a file, and where the installed CRD is
older than the operator.
"""

from collections.abc import Iterator

from semantic_router_operator.model import paths
from semantic_router_operator.model.base import Model
from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.cross_rule import CrossRule
from semantic_router_operator.model.router import SemanticRouter


def cross_field(router: SemanticRouter) -> Iterator[Issue]:
    """A finding for each rule that an object of the CR breaks, but for those that another stage
    reports with what it knows."""
    for path, rule in broken(router):
        if rule.judge == "validation":
            yield Issue(rule.code, path, rule.message)


def broken(router: SemanticRouter) -> Iterator[tuple[str, CrossRule]]:
    """Every rule that is broken, with the path that it is about."""
    return _broken(router.spec, "spec")


def _broken(value: object, path: str) -> Iterator[tuple[str, CrossRule]]:
    if isinstance(value, Model):
        for rule in value.CROSS_RULES:
            if not rule.holds(value):
                yield (paths.child(path, rule.part) if rule.part else path), rule
        for name, field in type(value).model_fields.items():
            yield from _broken(getattr(value, name), paths.child(path, field.alias or name))
    elif isinstance(value, tuple):
        for index, member in enumerate(value):
            yield from _broken(member, paths.item(path, index))
