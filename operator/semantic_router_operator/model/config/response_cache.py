"""spec.config.response_cache, and semantic_cache: the older spelling of the same block."""

from typing import Literal

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.milvus import MilvusStore
from semantic_router_operator.model.config.redis import RedisStore
from semantic_router_operator.model.config.values import Count, Fraction, Port, Positive


class QdrantStore(SnakeModel):
    """A Qdrant server."""

    host: str | None = Field(default=None, description="Host name of Qdrant.")
    port: Port = Field(default=6334, description="gRPC port of Qdrant.")
    api_key: str | None = Field(
        default=None,
        description="${NAME} of a variable of spec.env; an API key in plain text is refused.",
    )
    use_tls: StrictBool = Field(default=False, description="True encrypts the connection.")
    collection_name: str = Field(default="semantic_cache", description="Name of the collection.")
    connect_timeout: StrictInt = Field(
        default=10, description="Seconds that a connection may take."
    )


class HNSW(SnakeModel):
    """The index in the router's memory, for the backend types memory and hybrid."""

    use_hnsw: StrictBool = Field(
        default=False, description="True searches by an index, not all entries one by one."
    )
    hnsw_m: int = Field(default=16, ge=2, strict=True, description="Links of each node.")
    hnsw_ef_construction: Positive = Field(
        default=200, description="Candidates looked at on building."
    )
    max_memory_entries: Count = Field(
        default=1000, description="Entries kept in memory, for type hybrid."
    )


class ResponseCache(SnakeModel):
    """Answers that are kept and given again to requests that mean the same."""

    enabled: StrictBool = Field(default=True, description="False switches the cache off.")
    backend_type: Literal["memory", "redis", "valkey", "milvus", "qdrant", "hybrid"] = Field(
        default="memory",
        description="Where answers are kept; the block of the same name describes the store. "
        "hybrid is an index in memory (hnsw) over milvus.",
    )
    similarity_threshold: Fraction = Field(
        default="0.8", description="How alike two requests must be, from 0 to 1, as text."
    )
    max_entries: StrictInt = Field(
        default=1000, description="Most entries, for the backend type memory."
    )
    ttl_seconds: StrictInt = Field(default=3600, description="Seconds that an answer is kept.")
    eviction_policy: Literal["fifo", "lru", "lfu"] = Field(
        default="fifo", description="Which entry goes first when the cache is full."
    )
    embedding_model: Literal["bert", "qwen3", "gemma", "mmbert"] = Field(
        default="mmbert", description="Model that requests are compared by."
    )
    hnsw: HNSW | None = Field(default=None, description="The index in the router's memory.")
    redis: RedisStore | None = Field(default=None, description="For the backend type redis.")
    valkey: RedisStore | None = Field(default=None, description="For the backend type valkey.")
    milvus: MilvusStore | None = Field(
        default=None, description="For the backend types milvus and hybrid."
    )
    qdrant: QdrantStore | None = Field(default=None, description="For the backend type qdrant.")
