"""Settings for Milvus that the router has no more: accepted, and of no effect."""

from pydantic import Field, StrictBool

from semantic_router_operator.model.base import SnakeModel
from semantic_router_operator.model.config.values import Count, Positive


class MilvusConnectionPool(SnakeModel):
    """Pool of connections."""

    max_connections: Positive = Field(default=10, description="Most connections.")
    max_idle_connections: Count = Field(default=5, description="Most idle connections.")
    acquire_timeout: Count = Field(default=30, description="Seconds to wait for a connection.")


class MilvusBatch(SnakeModel):
    """Inserts in batches."""

    insert_batch_size: Positive = Field(default=100, description="Entries of a batch.")
    timeout: Count = Field(default=60, description="Seconds until a batch is sent.")


class MilvusPerformance(SnakeModel):
    """Pool and batches."""

    connection_pool: MilvusConnectionPool | None = Field(
        default=None, description="Pool of connections."
    )
    batch: MilvusBatch | None = Field(default=None, description="Inserts in batches.")


class MilvusTTL(SnakeModel):
    """Removal of old entries."""

    enabled: StrictBool = Field(default=False, description="True removes old entries.")
    timestamp_field: str = Field(default="created_at", description="Field with an entry's time.")
    cleanup_interval: Count = Field(default=3600, description="Seconds between clean-ups.")


class MilvusCompaction(SnakeModel):
    """Compaction of the collection."""

    enabled: StrictBool = Field(default=False, description="True compacts the collection.")
    interval: Count = Field(default=86400, description="Seconds between compactions.")


class MilvusDataManagement(SnakeModel):
    """Removal and compaction."""

    ttl: MilvusTTL | None = Field(default=None, description="Removal of old entries.")
    compaction: MilvusCompaction | None = Field(
        default=None, description="Compaction of the collection."
    )
