"""The table of options: their names, defaults, and where they apply. The documents are checked against it."""

from dataclasses import dataclass
from enum import Flag, auto
from typing import Final


class Where(Flag):
    """The kinds of queries that an option is for."""

    BATCH = auto()
    STREAM = auto()
    WRITE = auto()
    READ = BATCH | STREAM


@dataclass(frozen=True, slots=True)
class Option:
    """One option; ``own`` where Spark's Kafka source has none of this name."""

    name: str
    default: str
    where: Where
    own: bool = False


OPTIONS: Final = (
    Option("kafka.bootstrap.servers", "required", Where.READ | Where.WRITE),
    Option("subscribe", "one of three", Where.READ),
    Option("subscribePattern", "one of three", Where.READ),
    Option("assign", "one of three", Where.READ),
    Option("startingOffsets", "earliest, stream: latest", Where.READ),
    Option("startingOffsetsByTimestamp", "none", Where.READ),
    Option("startingTimestamp", "none", Where.READ),
    Option("startingOffsetsByTimestampStrategy", "error", Where.READ),
    Option("endingOffsets", "latest", Where.BATCH),
    Option("endingOffsetsByTimestamp", "none", Where.BATCH),
    Option("endingTimestamp", "none", Where.BATCH),
    Option("failOnDataLoss", "true; false with `path`", Where.READ),
    Option("includeHeaders", "false", Where.READ | Where.WRITE),
    Option("kafkaConsumer.pollTimeoutMs", "120000", Where.READ),
    Option("fetchOffset.numRetries", "3", Where.READ),
    Option("fetchOffset.retryIntervalMs", "10", Where.READ),
    Option("minPartitions", "none", Where.READ),
    Option("maxRecordsPerPartition", "none", Where.READ),
    Option("maxOffsetsPerTrigger", "none", Where.STREAM),
    Option("minOffsetsPerTrigger", "none", Where.STREAM),
    Option("maxTriggerDelay", "15m", Where.STREAM),
    Option("groupIdPrefix", "spark-kafka-source", Where.READ),
    Option("kafka.group.id", "none", Where.READ),
    Option("kafka.isolation.level", "read_uncommitted", Where.READ),
    Option("topic", "none", Where.WRITE),
    Option("view", "records", Where.READ, own=True),
    Option("path", "none", Where.BATCH, own=True),
    Option("parallelism", "three tasks per core of the driver", Where.READ, own=True),
    Option("replayHeaders", "false", Where.WRITE, own=True),
)

FROM_SPARK: Final = frozenset({"checkpointlocation", "queryname", "outputmode"})
"""What Spark itself puts among a sink's options."""
