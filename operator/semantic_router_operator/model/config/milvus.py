"""The response cache's store milvus."""

from typing import Literal

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.milvus_upkeep import (
    MilvusDataManagement,
    MilvusPerformance,
)
from semantic_router_operator.model.config.values import (
    TLS,
    Count,
    HnswParams,
    Port,
    Positive,
    SecretKeySelector,
    one_password,
)


class MilvusAuth(SnakeModel):
    """Credentials for Milvus."""

    enabled: StrictBool = Field(default=False, description="True logs in.")
    username: str | None = Field(default=None, description="Name of the user.")
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

    CROSS_RULES = (one_password("MilvusPassword"),)


class MilvusConnection(SnakeModel):
    """How the router reaches Milvus."""

    host: str | None = Field(default=None, description="Host name of Milvus.")
    port: Port = Field(default=19530, description="gRPC port of Milvus.")
    database: str = Field(default="semantic_router_cache", description="Name of the database.")
    timeout: Count = Field(default=30, description="Seconds that a connection may take.")
    auth: MilvusAuth | None = Field(default=None, description="Credentials for Milvus.")
    tls: TLS | None = Field(default=None, description="Encryption of the connection.")


class MilvusVectorField(SnakeModel):
    """The field of the collection that holds the embeddings."""

    name: str = Field(default="embedding", description="Name of the field.")
    dimension: Positive | None = Field(
        default=None, description="Length of an embedding; that of embedding_model by default."
    )
    metric_type: Literal["IP", "L2", "COSINE"] = Field(
        default="IP", description="How two embeddings are compared."
    )


class MilvusIndex(SnakeModel):
    """The vector index of the collection."""

    type: Literal["HNSW", "IVF_FLAT", "IVF_SQ8", "IVF_PQ"] = Field(
        default="HNSW", description="Kind of index."
    )
    params: HnswParams | None = Field(default=None, description="Parameters of HNSW.")


class MilvusCollection(SnakeModel):
    """The collection that holds the cache."""

    name: str = Field(default="semantic_cache", description="Name of the collection.")
    description: str = Field(
        default="Semantic cache for LLM request-response pairs",
        description="Description of the collection in Milvus.",
    )
    vector_field: MilvusVectorField | None = Field(
        default=None, description="Field that holds the embeddings."
    )
    index: MilvusIndex | None = Field(
        default=None, description="The vector index of the collection."
    )


class MilvusSearchParams(SnakeModel):
    """Parameters of a search in an HNSW index."""

    ef: Positive = Field(default=64, description="Candidates that a search looks at.")


class MilvusSearch(SnakeModel):
    """How the collection is searched."""

    params: MilvusSearchParams | None = Field(default=None, description="Parameters of a search.")
    topk: Positive = Field(default=10, description="Nearest entries that are looked at.")
    consistency_level: Literal["Strong", "Session", "Bounded", "Eventually"] = Field(
        default="Session", description="How fresh the data of a search must be."
    )


class MilvusDevelopment(SnakeModel):
    """What helps while developing."""

    drop_collection_on_startup: StrictBool = Field(
        default=False, description="True empties the cache whenever the router starts."
    )
    auto_create_collection: StrictBool = Field(
        default=True, description="True creates the collection if it is missing."
    )
    verbose_errors: StrictBool = Field(
        default=True, description="Deprecated: today's router doesn't have it; it is ignored."
    )


class MilvusStore(SnakeModel):
    """A Milvus server."""

    connection: MilvusConnection | None = Field(
        default=None, description="How the router reaches Milvus."
    )
    collection: MilvusCollection | None = Field(
        default=None, description="The collection that holds the cache."
    )
    search: MilvusSearch | None = Field(default=None, description="How the collection is searched.")
    performance: MilvusPerformance | None = Field(
        default=None, description="Deprecated: today's router doesn't have it; it is ignored."
    )
    data_management: MilvusDataManagement | None = Field(
        default=None, description="Deprecated: today's router doesn't have it; it is ignored."
    )
    development: MilvusDevelopment | None = Field(
        default=None, description="What helps while developing."
    )
