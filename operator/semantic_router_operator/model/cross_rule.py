"""Rules on several fields of one object, each said twice: in CEL for the API server, in Python.

The API server refuses a resource as soon as it is written; a cluster whose CRD is older, a file
that `validate` reads and a resource that was stored before the rule came meet the same rule in the
reconcile (validation/cross_field.py). A test has an example of each that both refuse, and one
that both accept.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

Judge = Literal["validation", "discovery", "translate", "objects"]


@dataclass(frozen=True, slots=True)
class CrossRule:
    """A rule on an object of the CR."""

    code: str
    """CamelCase, unique; the code of the issue."""
    message: str
    """What is wrong and what to do. The path of the object stands before it."""
    holds: Callable[[Any], bool]
    """The rule in Python, over the model."""
    cel: str | None
    """The rule in CEL, over the stored object. None where only the reconcile speaks: the Go
    operator accepts a CR that breaks it, or the rule is beyond the API server's budget."""
    part: str = ""
    """Field of the object that the message is about, as on the wire."""
    judge: Judge = "validation"
    """Which stage of the reconcile reports it. What isn't `validation` has a check of its own
    there, which knows more than this object."""

    def schema(self) -> dict[str, str]:
        """As an entry of x-kubernetes-validations."""
        where = {"fieldPath": f".{self.part}"} if self.part else {}
        return {"rule": self.cel or "true", "message": self.message, **where}


def said(field: str, *, of: str = "self") -> str:
    """CEL: the field is there. The API server counts an explicit null as absent (case OP-17)."""
    return f"has({of}.{field})"


VALIDATIONS: Final = "x-kubernetes-validations"
