"""The parts of spec that say where the router keeps files."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool, WithJsonSchema

from semantic_router_operator.model.base import Model, NullFreeList, StringMap, without_nulls

_FREE = BeforeValidator(without_nulls)
Volume = Annotated[
    dict[str, Any],
    _FREE,
    WithJsonSchema(
        {
            "type": "object",
            "required": ["name"],
            "x-kubernetes-preserve-unknown-fields": True,
            "properties": {
                "name": {
                    "type": "string",
                    "description": "Name of the volume; its source stands beside it, as in a Pod.",
                }
            },
        }
    ),
]
"""A volume of a Pod. Its thirty sources would be a sixth of the CRD: they are passed on whole, and
the API server checks them in the Deployment."""
Volumes = Annotated[tuple[Volume, ...], NullFreeList]


class Persistence(Model):
    """A claim for the router's models; without this object the pods have an emptyDir."""

    enabled: StrictBool = Field(
        default=True, description="False: an emptyDir; a claim that was made is kept."
    )
    storage_class_name: str | None = Field(
        default=None, description="Storage class; the cluster's default one when left out."
    )
    access_mode: str = Field(
        default="ReadWriteOnce",
        description="ReadWriteOnce, ReadWriteMany, ReadOnlyMany or ReadWriteOncePod; says it of "
        "existingClaim too.",
    )
    size: str = Field(default="10Gi", description="Size of the claim; it can grow, not shrink.")
    annotations: StringMap = Field(
        default_factory=dict, description="Annotations of the claim that we make."
    )
    existing_claim: str | None = Field(
        default=None, description="A claim of your own, used as it is; none is made then."
    )
    retention_policy: Literal["Retain", "Delete"] = Field(
        default="Retain",
        description="Whether the claim that we make outlives the router, for the next one of that "
        "name.",
    )
