"""A part of spec of one branch of the Go operator that never reached its main line."""

from pydantic import Field

from semantic_router_operator.model.base import Model


class ConfigMapKeyRef(Model):
    """One key of a ConfigMap."""

    name: str | None = Field(default=None, description="Not used.")
    key: str | None = Field(default=None, description="Not used.")


class Bootstrap(Model):
    """Accepted and not used: the document is made from the spec."""

    config_map_ref: ConfigMapKeyRef | None = Field(
        default=None,
        description="Not used; write what the ConfigMap says into spec.config and "
        "spec.vllmEndpoints.",
    )
