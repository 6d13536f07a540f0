"""spec.config.api: the router's own API."""

from typing import Annotated

from pydantic import Field, StrictBool, StrictInt

from semantic_router_operator.model.base import NullFreeList, SnakeModel, StringList
from semantic_router_operator.model.config.values import Fraction


class BatchMetrics(SnakeModel):
    """Metrics of the classification of batches."""

    enabled: StrictBool = Field(default=True, description="False switches these metrics off.")
    detailed_goroutine_tracking: StrictBool = Field(
        default=True, description="False leaves out metrics of single goroutines."
    )
    high_resolution_timing: StrictBool = Field(
        default=False, description="True measures in nanoseconds."
    )
    sample_rate: Fraction = Field(
        default="1.0", description="Share of batches that are measured, from 0 to 1, as text."
    )
    duration_buckets: StringList = Field(
        default=(), description="Bounds of the histogram of seconds, numbers as text."
    )
    size_buckets: Annotated[tuple[StrictInt, ...], NullFreeList] = Field(
        default=(), description="Bounds of the histogram of batch sizes."
    )


class BatchClassification(SnakeModel):
    """Classification of several texts by one request."""

    max_batch_size: StrictInt = Field(default=100, description="Most texts of a batch.")
    concurrency_threshold: StrictInt = Field(
        default=5, description="From so many texts on they are classified at the same time."
    )
    max_concurrency: StrictInt = Field(default=8, description="Most texts at the same time.")
    metrics: BatchMetrics | None = Field(default=None, description="Metrics of batches.")


class Api(SnakeModel):
    """The router's own API."""

    batch_classification: BatchClassification | None = Field(
        default=None, description="Classification of several texts by one request."
    )
