"""The response cache's stores redis and valkey: the same fields for both."""

from typing import Literal

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import (
    TLS,
    Count,
    HnswParams,
    Port,
    Positive,
    SecretKeySelector,
    one_password,
)


class RedisConnection(SnakeModel):
    """How the router reaches the store."""

    host: str | None = Field(default=None, description="Host name of the store.")
    port: Port = Field(default=6379, description="Port of the store.")
    database: Count = Field(default=0, description="Number of the database.")
    password: str | None = Field(
        default=None,
        description="${NAME} of a variable of spec.env; a password in plain text is refused. "
        "Prefer password_secret_ref.",
    )
    password_secret_ref: SecretKeySelector | None = Field(
        default=None,
        json_schema_extra={"x-kubernetes-map-type": "atomic"},
        description="Where the password is; it reaches the pod as an environment variable.",
    )
    timeout: Count = Field(default=30, description="Seconds that a connection may take.")
    tls: TLS | None = Field(default=None, description="Encryption of the connection.")

    CROSS_RULES = (one_password("StorePassword"),)


class RedisVectorField(SnakeModel):
    """The field of the index that holds the embeddings."""

    name: str = Field(default="embedding", description="Name of the field.")
    dimension: Positive | None = Field(
        default=None, description="Length of an embedding; that of embedding_model by default."
    )
    metric_type: Literal["COSINE", "IP", "L2"] = Field(
        default="COSINE", description="How two embeddings are compared."
    )


class RedisIndex(SnakeModel):
    """The vector index in the store."""

    name: str = Field(default="semantic_cache_idx", description="Name of the index.")
    prefix: str = Field(default="doc:", description="What the keys of the entries begin with.")
    index_type: Literal["HNSW", "FLAT"] = Field(default="HNSW", description="Kind of index.")
    vector_field: RedisVectorField | None = Field(
        default=None, description="Field that holds the embeddings."
    )
    params: HnswParams | None = Field(default=None, description="Parameters of HNSW.")


class RedisSearch(SnakeModel):
    """How the index is searched."""

    topk: Positive = Field(default=1, description="Nearest entries that are looked at.")


class RedisDevelopment(SnakeModel):
    """What helps while developing."""

    drop_index_on_startup: StrictBool = Field(
        default=False, description="True empties the cache whenever the router starts."
    )
    auto_create_index: StrictBool = Field(
        default=True, description="True creates the index if it is missing."
    )
    verbose_errors: StrictBool = Field(
        default=True, description="Deprecated: today's router doesn't have it; it is ignored."
    )


class RedisStore(SnakeModel):
    """A Redis or Valkey server with vector search."""

    connection: RedisConnection | None = Field(
        default=None, description="How the router reaches the store."
    )
    index: RedisIndex | None = Field(default=None, description="The vector index in the store.")
    search: RedisSearch | None = Field(default=None, description="How the index is searched.")
    development: RedisDevelopment | None = Field(
        default=None, description="What helps while developing."
    )
