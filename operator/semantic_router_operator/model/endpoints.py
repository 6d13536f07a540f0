"""spec.vllmEndpoints[]: one logical model and one way to reach it."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictInt, WithJsonSchema
from pydantic_core import PydanticCustomError

from semantic_router_operator.model import backend_rules
from semantic_router_operator.model.base import (
    REFUSED,
    IntOrString,
    LabelSelectorRequirement,
    Model,
    NullFreeList,
    StringMap,
)
from semantic_router_operator.model.cross_rule import CrossRule
from semantic_router_operator.model.served_model import LoRA, Pricing, Reasoning, Reliability

BackendType = Literal[
    "service",
    "serviceSelector",
    "endpointslice",
    "kserve",
    "llamastack",
    "endpoint",
    "url",
    "provider",
]
ProviderType = Literal[
    "openai", "azure-openai", "bedrock", "gemini", "vertex-ai", "anthropic", "minimax", "vllm"
]
Protocol = Literal["http", "https"]


def _host_and_port(value: object) -> object:
    if not isinstance(value, dict | str):
        raise PydanticCustomError(REFUSED, 'is neither {host, port} nor "host:port"')
    return value


HostAndPort = Annotated[
    dict[str, Any] | str,
    BeforeValidator(_host_and_port),
    WithJsonSchema({"x-kubernetes-preserve-unknown-fields": True}),
]
"""Object or text: a structural schema has no type for both, the adapter reads it."""


class LabelSelector(Model):
    """Selects objects by label, as everywhere in Kubernetes; all requirements must hold."""

    match_labels: StringMap = Field(
        default_factory=dict, description="Labels that an object must carry, with these values."
    )
    match_expressions: Annotated[tuple[LabelSelectorRequirement, ...], NullFreeList] = Field(
        default=(), description="Requirements on label keys: In, NotIn, Exists, DoesNotExist."
    )


class ServiceBackend(Model):
    """A Kubernetes Service by name."""

    name: str = Field(min_length=1, description="Name of the Service.")
    namespace: str | None = Field(
        default=None, description="Namespace of the Service; the router's own when left out."
    )
    port: IntOrString = Field(description="Port number (1 to 65535) or name of a Service port.")


class ServiceSelectorBackend(LabelSelector):
    """All Services that match a label selector, one backend_ref each."""

    namespace: str | None = Field(
        default=None, description="Namespace of the Services; the router's own when left out."
    )
    port: IntOrString | None = Field(
        default=None, description="Port number or name; when left out, the one serving port."
    )


class EndpointSliceBackend(Model):
    """The ready addresses of a Service, one backend_ref each."""

    service_name: str | None = Field(
        default=None, description="Service whose EndpointSlices are read; or give selector."
    )
    selector: LabelSelector | None = Field(
        default=None, description="Selects EndpointSlices by label; or give serviceName."
    )
    namespace: str | None = Field(
        default=None, description="Namespace of the EndpointSlices; the router's when left out."
    )
    port: IntOrString | None = Field(
        default=None,
        description="Port number or name in the slices; needed when there are several.",
    )
    address_family: Literal["IPv4", "IPv6"] | None = Field(
        default=None, description="Which addresses to use; the Service's first family by default."
    )
    max_endpoints: StrictInt = Field(
        default=64, ge=1, description="At most so many addresses; the rest is cut with a warning."
    )


class KServeBackend(Model):
    """A KServe InferenceService or LLMInferenceService."""

    name: str = Field(min_length=1, description="Name of the resource.")
    kind: Literal["InferenceService", "LLMInferenceService"] = Field(
        default="InferenceService", description="Kind of the resource."
    )
    namespace: str | None = Field(
        default=None, description="Namespace of the resource; the router's own when left out."
    )
    port: IntOrString | None = Field(
        default=None, description="Port of the serving Service; wins over what KServe reports."
    )
    protocol: Protocol | None = Field(
        default=None, description="Protocol of that port; wins over what KServe reports."
    )


class LlamaStackBackend(Model):
    """Llama Stack (OGX) servers, found by the labels of their Services."""

    match_labels: StringMap = Field(
        default_factory=dict, description="Labels of the Services; at least one."
    )
    namespace: str | None = Field(
        default=None, description="Namespace of the Services; the router's own when left out."
    )
    port: IntOrString | None = Field(
        default=None, description="Port number or name; by default http, https, llama* or 8321."
    )
    base_path: str | None = Field(
        default=None, description="API root of the server, such as /v1 or /v1/openai/v1."
    )


class ProviderBackend(Model):
    """An external provider that the router knows by type."""

    type: ProviderType = Field(description="Provider type, as the router names it.")
    base_url: str | None = Field(
        default=None,
        alias="baseURL",
        description="http(s)://host[:port][/path]; needed where the type has no fixed address.",
    )


class Backend(Model):
    """Where the model is: `type` and the one field that belongs to it."""

    type: BackendType = Field(description="Kind of backend; names the field that describes it.")
    service: ServiceBackend | None = Field(default=None, description="For type service.")
    service_selector: ServiceSelectorBackend | None = Field(
        default=None, description="For type serviceSelector."
    )
    endpoint_slice: EndpointSliceBackend | None = Field(
        default=None, description="For type endpointslice."
    )
    kserve: KServeBackend | None = Field(default=None, description="For type kserve.")
    inference_service_name: str | None = Field(
        default=None,
        description="For type kserve: short form of kserve.name, in the router's namespace.",
    )
    llamastack: LlamaStackBackend | None = Field(default=None, description="For type llamastack.")
    discovery_labels: StringMap = Field(
        default_factory=dict, description="For type llamastack: short form of its matchLabels."
    )
    endpoint: HostAndPort | None = Field(
        default=None,
        description='For type endpoint: {host, port} or "host:port"; nothing is looked up.',
    )
    url: str | None = Field(
        default=None,
        description="For type url: http(s)://host[:port][/path]; nothing is looked up.",
    )
    provider: ProviderBackend | None = Field(default=None, description="For type provider.")

    CROSS_RULES = backend_rules.RULES


class SecretKeyRef(Model):
    """One key of a Secret in the router's namespace. Its value never leaves the Secret."""

    name: str = Field(min_length=1, description="Name of the Secret.")
    key: str = Field(min_length=1, description="Key in the Secret.")


class Auth(Model):
    """Credential that the router sends upstream."""

    header: str | None = Field(
        default=None, description="Header that carries the key; the provider's own by default."
    )
    prefix: str | None = Field(
        default=None, description='Word before the key, such as Bearer; "" for none.'
    )
    secret_key_ref: SecretKeyRef | None = Field(
        default=None, description="Where the key is; it reaches the pod as an environment variable."
    )


class Connection(Model):
    """How to talk to the backend; what is left out comes from discovery."""

    protocol: Protocol | None = Field(default=None, description="http or https.")
    base_path: str | None = Field(default=None, description="Path before the API, such as /v1.")
    chat_path: str | None = Field(
        default=None, description="Whole path of chat completions; replaces the provider's own."
    )
    api_version: str | None = Field(
        default=None, description="API version, for azure-openai (?api-version=)."
    )
    provider: ProviderType | None = Field(
        default=None, description="Provider type whose protocol the backend speaks."
    )
    auth: Auth | None = Field(default=None, description="Credential for the backend.")
    extra_headers: StringMap = Field(
        default_factory=dict, description="Headers added to each upstream request; never a secret."
    )


class Endpoint(Model):
    """One backend of one model. Entries of the same model are merged into one provider model."""

    name: str = Field(min_length=1, description="Name of the backend, unique in this router.")
    model: str = Field(
        min_length=1, description="Model name that clients and decisions use for this backend."
    )
    provider_model_id: str | None = Field(
        default=None, description="Name under which the backend serves the model, when it differs."
    )
    weight: StrictInt = Field(
        default=1,
        ge=0,
        le=100,
        description="Share of the model's traffic; 0 drains the backend.",
    )
    reasoning: Reasoning | None = Field(
        default=None, description="How reasoning is switched on for the model."
    )
    reasoning_family: str | None = Field(
        default=None, description="Deprecated: write reasoning.family instead."
    )
    catalog: str | None = Field(
        default=None, description="Entry of the router's model catalogue that describes the model."
    )
    api_format: Literal["openai", "responses", "anthropic"] | None = Field(
        default=None, description="API that the model's backends speak; openai by default."
    )
    pricing: Pricing | None = Field(default=None, description="Price of the model.")
    reliability: Reliability | None = Field(
        default=None, description="Retries and load balancing for the model."
    )
    loras: Annotated[tuple[LoRA, ...], NullFreeList] = Field(
        default=(), max_length=50, description="LoRA adapters that the model serves."
    )
    backend: Backend = Field(description="Where the model is.")
    connection: Connection = Field(
        default_factory=Connection, description="How to talk to the backend."
    )

    CROSS_RULES = (
        CrossRule(
            code="ReasoningFamilies",
            message="differs from reasoning.family; keep that and remove reasoningFamily",
            part="reasoningFamily",
            holds=lambda entry: (
                not entry.reasoning_family
                or entry.reasoning is None
                or entry.reasoning.family in (None, entry.reasoning_family)
            ),
            cel=None,  # comparing texts without a maximum length is beyond the budget
            judge="translate",
        ),
    )
