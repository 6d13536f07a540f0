"""Kinds of values that occur in several blocks of spec.config."""

from typing import Annotated

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import DURATION_PATTERN, PORT_MAX, SnakeModel
from semantic_router_operator.model.cross_rule import CrossRule, said

Fraction = Annotated[str, Field(pattern=r"^0(\.[0-9]+)?$|^1(\.0+)?$")]
"""A number from 0 to 1, as text."""
Number = Annotated[str, Field(pattern=r"^-?[0-9]+(\.[0-9]+)?$")]
"""A number, as text."""
Duration = Annotated[str, Field(pattern=DURATION_PATTERN)]
"""Such as 30s or 1m30s."""
Port = Annotated[StrictInt, Field(ge=1, le=PORT_MAX)]
Positive = Annotated[StrictInt, Field(ge=1)]
Count = Annotated[StrictInt, Field(ge=0)]
Bytes = Annotated[StrictInt, Field(ge=0, json_schema_extra={"format": "int64"})]
StatusCode = Annotated[StrictInt, Field(ge=100, le=599)]


class SecretKeySelector(SnakeModel):
    """One key of a Secret in the router's namespace. Its value never leaves the Secret."""

    name: str | None = Field(default=None, description="Name of the Secret.")
    key: str = Field(description="Key in the Secret.")
    optional: StrictBool | None = Field(
        default=None, description="Whether the pod may start without the Secret or the key."
    )

    CROSS_RULES = (
        CrossRule(
            code="SecretWithoutName",
            message="is missing; write the name of the Secret",
            part="name",
            holds=lambda ref: bool(ref.name),
            cel=None,
        ),
    )


def one_password(code: str) -> CrossRule:
    """The rule that a password is written or referred to, not both (field case OP-18)."""
    return CrossRule(
        code=code,
        message="excludes password_secret_ref; remove password, so that only the Secret has it",
        part="password",
        holds=lambda block: not block.password or block.password_secret_ref is None,
        cel=f"!{said('password')} || self.password == '' || !{said('password_secret_ref')}",
    )


class TLS(SnakeModel):
    """Encryption of the connection to a store."""

    enabled: StrictBool = Field(default=False, description="True encrypts the connection.")
    ca_file: str | None = Field(
        default=None, description="File in the pod with the CA that signed the store's certificate."
    )
    cert_file: str | None = Field(
        default=None, description="File in the pod with the router's own certificate."
    )
    key_file: str | None = Field(
        default=None, description="File in the pod with the key of that certificate."
    )


class HnswParams(SnakeModel):
    """Parameters of an HNSW index."""

    m: int = Field(default=16, ge=2, strict=True, alias="M", description="Links of each node.")
    ef_construction: Positive = Field(
        default=64, alias="efConstruction", description="Candidates looked at on building."
    )
