"""spec.config.embedding_models: the models that turn text into vectors."""

from typing import Literal

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import Bytes, Count, Fraction, Positive


class EmbeddingConfig(SnakeModel):
    """How embeddings are made and compared."""

    backend: Literal["candle", "openvino", "openai_compatible"] | None = Field(
        default=None, description="What computes embeddings; openai_compatible asks endpoint."
    )
    model_type: Literal["qwen3", "gemma", "mmbert", "multimodal", "remote"] | None = Field(
        default=None,
        description="Which model is used; remote with openai_compatible, multimodal for images.",
    )
    preload_embeddings: StrictBool = Field(
        default=True, description="True computes the embeddings of all examples at the start."
    )
    target_dimension: Positive | None = Field(
        default=None, description="Length of an embedding; shorter is faster and less exact."
    )
    target_layer: Literal[3, 6, 11, 22] | None = Field(
        default=None, description="Layer of mmbert that is read; lower is faster and less exact."
    )
    enable_soft_matching: StrictBool = Field(
        default=True, description="True lets the best match count though it is below its threshold."
    )
    min_score_threshold: Fraction = Field(
        default="0.5", description="Least likeness of a soft match, from 0 to 1, as text."
    )


class EmbeddingEndpoint(SnakeModel):
    """A server with the OpenAI API for embeddings, for the backend openai_compatible."""

    base_url: str | None = Field(
        default=None, description="http(s)://host[:port][/path] of the API."
    )
    model: str | None = Field(default=None, description="Name of the model at the server.")
    api_key_env: str | None = Field(
        default=None, description="Environment variable with the API key; see spec.env."
    )
    timeout_seconds: Count | None = Field(
        default=None, description="Seconds that an answer may take."
    )
    max_retries: Count | None = Field(default=None, description="Retries of a failed request.")
    dimensions: Positive | None = Field(
        default=None, description="Length of an embedding, as target_dimension."
    )
    max_response_bytes: Bytes | None = Field(
        default=None, description="Bytes that an answer may have."
    )


class EmbeddingModels(SnakeModel):
    """The models that turn text into vectors."""

    qwen3_model_path: str | None = Field(
        default=None, description="Qwen3 model, as a path or a name that can be downloaded."
    )
    gemma_model_path: str | None = Field(
        default=None, description="Gemma model, as a path or a name that can be downloaded."
    )
    mmbert_model_path: str | None = Field(
        default=None, description="mmBERT model, as a path or a name that can be downloaded."
    )
    multimodal_model_path: str | None = Field(
        default=None,
        description="Model for text and images, as a path or a name that can be downloaded.",
    )
    use_cpu: StrictBool | None = Field(
        default=None, description="Whether the models run on the CPU; as hardware.profile says."
    )
    embedding_config: EmbeddingConfig | None = Field(
        default=None, description="How embeddings are made and compared."
    )
    endpoint: EmbeddingEndpoint | None = Field(
        default=None, description="A server that makes embeddings."
    )
