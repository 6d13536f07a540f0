"""Spec and Discovery -> the router's canonical document -> its bytes. Pure.

translate(router, discovery, previous_default=...) -> Candidate | Held
render(candidate) -> CanonicalConfig
"""

from semantic_router_operator.translate.assembly import render, translate

__all__ = ["render", "translate"]
