"""What a task reads: slices of partitions, and the rules for reading them. Plain data, pickled to the executors."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chronik.spark.options.table import BY_NAME


@dataclass(frozen=True, slots=True)
class Slice:
    """One task's share of one partition: ``[start_offset, end_offset)``."""

    topic: str
    topic_id: str  # as text; empty where the cluster has no topic ids
    partition: int
    start_offset: int
    end_offset: int
    path: str | None = None  # a directory of segment files to read instead of a broker


@dataclass(frozen=True, slots=True)
class ReadRules:
    """How slices are read, the same for all slices of a query."""

    bootstrap: str
    client_options: Mapping[str, str] = field(default_factory=dict)  # given as ``kafka.*``; here without the prefix
    columns: tuple[str, ...] = ()  # a part of the view's schema, in the order asked for
    include_headers: bool = False
    read_committed: bool = False
    fail_on_data_loss: bool = True
    poll_timeout_ms: int = BY_NAME["kafkaConsumer.pollTimeoutMs"].default_value()
    retries: int = BY_NAME["fetchOffset.numRetries"].default_value()
    retry_interval_ms: int = BY_NAME["fetchOffset.retryIntervalMs"].default_value()
    timestamp_from_ms: int | None = None  # older records may be left out; Spark filters again
