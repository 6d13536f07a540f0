"""spec.config.observability: traces of requests."""

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import Fraction


class TracingExporter(SnakeModel):
    """Where traces are sent."""

    type: str = Field(default="otlp", description="Kind of exporter: otlp or stdout.")
    endpoint: str = Field(default="jaeger:4317", description="host:port of the collector.")
    insecure: StrictBool = Field(default=True, description="False encrypts the connection.")


class TracingSampling(SnakeModel):
    """Which requests are traced."""

    type: str = Field(
        default="always_on", description="always_on, always_off, or probabilistic by rate."
    )
    rate: Fraction = Field(default="1.0", description="Share of requests, from 0 to 1, as text.")


class TracingResource(SnakeModel):
    """What the traces say of their origin."""

    service_name: str = Field(default="vllm-semantic-router", description="Name of the service.")
    service_version: str = Field(default="v0.1.0", description="Version of the service.")
    deployment_environment: str = Field(
        default="development", description="Environment, such as production."
    )


class Tracing(SnakeModel):
    """Traces by OpenTelemetry."""

    enabled: StrictBool = Field(default=False, description="True sends traces.")
    provider: str = Field(default="opentelemetry", description="Library that makes them.")
    exporter: TracingExporter | None = Field(default=None, description="Where traces are sent.")
    sampling: TracingSampling | None = Field(default=None, description="Which requests are traced.")
    resource: TracingResource | None = Field(
        default=None, description="What the traces say of their origin."
    )


class Observability(SnakeModel):
    """How the router can be watched."""

    tracing: Tracing | None = Field(default=None, description="Traces by OpenTelemetry.")
