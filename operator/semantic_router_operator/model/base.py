"""Base of every part of the resource that is read from a SemanticRouter."""

import re
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StrictInt,
    WithJsonSchema,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError
from typing_extensions import override

from semantic_router_operator.model.cross_rule import VALIDATIONS, CrossRule

LABEL_PATTERN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
DURATION_PATTERN: Final = r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h))+$"
REFUSED: Final = "refused"
"""Type of our own validation errors: their message is ready to be shown."""
PORT_MAX: Final = 65535
PORT_NAME_MAX: Final = 63


class Model(BaseModel):
    """Frozen, camelCase on the wire; an explicit null counts as absent (field case OP-17).

    Unknown keys are ignored here: the API server prunes them by the installed CRD, which may be
    newer than this operator. `render` and `validate` report them by the CRD's schema.
    """

    model_config = ConfigDict(
        frozen=True, alias_generator=to_camel, populate_by_name=True, extra="ignore"
    )
    CROSS_RULES: ClassVar[tuple[CrossRule, ...]] = ()
    """Rules on several fields of this object."""

    @override
    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        """With the rules on several fields, as the CRD states them."""
        schema = handler(core_schema)
        if rules := [rule.schema() for rule in cls.CROSS_RULES if rule.cel]:
            handler.resolve_ref_schema(schema)[VALIDATIONS] = rules
        return schema

    @model_validator(mode="before")
    @classmethod
    def _null_is_absent(cls, data: object) -> object:
        if isinstance(data, dict):
            return {key: value for key, value in data.items() if value is not None}
        return data


class SnakeModel(Model):
    """A part whose keys are snake_case on the wire: everything inside spec.config."""

    model_config = ConfigDict(
        frozen=True, alias_generator=None, populate_by_name=True, extra="ignore"
    )


def _without_nulls(value: object) -> object:
    """A list without its null items (`[null]` is `[]`), a map without its null values."""
    match value:
        case list():
            return [item for item in value if item is not None]
        case dict():
            return {key: item for key, item in value.items() if item is not None}
        case _:
            return value


def without_nulls(value: object) -> object:
    """The value without a null at any depth, as the API server stores a typed object."""
    match value:
        case list():
            return [without_nulls(item) for item in value if item is not None]
        case dict():
            return {key: without_nulls(x) for key, x in value.items() if x is not None}
        case _:
            return value


def _port(value: object) -> object:
    """An integer from 1 to 65535, or the name of a Service port."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PydanticCustomError(REFUSED, "is neither a port number nor a port name")
    if isinstance(value, int) and not 1 <= value <= PORT_MAX:
        raise PydanticCustomError(REFUSED, "is no port; write a number from 1 to 65535")
    if isinstance(value, str) and (
        len(value) > PORT_NAME_MAX or not re.fullmatch(LABEL_PATTERN, value)
    ):
        raise PydanticCustomError(REFUSED, "is no port name; write it as the Service does")
    return value


def _fits(bits: int) -> AfterValidator:
    """The range that the API server reads into the CRD's `format: int32` or `int64`."""
    limit = 1 << (bits - 1)

    def check(value: int) -> int:
        if not -limit <= value < limit:
            raise PydanticCustomError(REFUSED, "is out of range; write a smaller number")
        return value

    return AfterValidator(check)


def kubernetes(kind: str) -> WithJsonSchema:
    """Marks a value that is passed on untouched; crd.py puts the named Kubernetes schema there."""
    return WithJsonSchema({"x-kubernetes-type": kind})


Raw = dict[str, Any]
NullFreeList = BeforeValidator(_without_nulls)
"""For a list or map: null items count as absent."""
_NULL_FREE_TREE = BeforeValidator(without_nulls)

Int32 = Annotated[StrictInt, _fits(32), Field(json_schema_extra={"format": "int32"})]
Int64 = Annotated[StrictInt, _fits(64), Field(json_schema_extra={"format": "int64"})]
StringMap = Annotated[dict[str, str], NullFreeList]
StringList = Annotated[tuple[str, ...], NullFreeList]

Affinity = Annotated[Raw, _NULL_FREE_TREE, kubernetes("Affinity")]
EnvVarSource = Annotated[Raw, _NULL_FREE_TREE, kubernetes("EnvVarSource")]
PodSecurityContext = Annotated[Raw, _NULL_FREE_TREE, kubernetes("PodSecurityContext")]
SecurityContext = Annotated[Raw, _NULL_FREE_TREE, kubernetes("SecurityContext")]
ResourceRequirements = Annotated[Raw, _NULL_FREE_TREE, kubernetes("ResourceRequirements")]
Toleration = Annotated[Raw, _NULL_FREE_TREE, kubernetes("Toleration")]
LabelSelectorRequirement = Annotated[Raw, _NULL_FREE_TREE, kubernetes("LabelSelectorRequirement")]
LabelSelector = Annotated[Raw, _NULL_FREE_TREE, kubernetes("LabelSelector")]
EnvFromSource = Annotated[Raw, _NULL_FREE_TREE, kubernetes("EnvFromSource")]
VolumeMount = Annotated[Raw, _NULL_FREE_TREE, kubernetes("VolumeMount")]
TopologySpreadConstraint = Annotated[Raw, _NULL_FREE_TREE, kubernetes("TopologySpreadConstraint")]
PassThrough = Annotated[
    Raw, WithJsonSchema({"type": "object", "x-kubernetes-preserve-unknown-fields": True})
]
IntOrString = Annotated[
    int | str,
    BeforeValidator(_port),
    WithJsonSchema(
        {
            "x-kubernetes-int-or-string": True,
            "minimum": 1,
            "maximum": PORT_MAX,
            "pattern": LABEL_PATTERN,
            "maxLength": PORT_NAME_MAX,
        }
    ),
]
"""A port by number or by name."""
PullPolicy = Literal["Always", "Never", "IfNotPresent"]
