"""A short look at an audited topic by Spark SQL: records, offsets and latency of each partition.

The topic is read through ``format("chronik")``, and the consumers' ledgers by tasks. The verdicts do not need it; it
shows that what was judged can be asked by SQL.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import DELIVERED, narrow
from chronik.audit.tables.stream_files import stream_batches

_RECEIVED: Final = narrow(DELIVERED, "partition", "offset", "received_us")
_QUERY: Final = """
    WITH given AS (SELECT partition, offset, min(received_us) AS received_us FROM {received} GROUP BY ALL),
    latencies AS (SELECT topic.partition, topic.offset, received_us - unix_micros(timestamp) AS latency_us
                  FROM {topic} AS topic LEFT JOIN given USING (partition, offset))
    SELECT partition, count(*) AS records, min(offset) AS first_offset, max(offset) AS last_offset,
           percentile_approx(latency_us, 0.5) AS p50_us, percentile_approx(latency_us, 0.99) AS p99_us,
           max(latency_us) AS max_us
    FROM latencies GROUP BY partition ORDER BY partition
"""


class PartitionLook(NamedTuple):
    """One partition of a topic; the times lie between the creation of a record and its first delivery."""

    partition: int
    records: int
    first_offset: int
    last_offset: int
    p50_us: int | None
    p99_us: int | None
    max_us: int | None


def look_at_topic(spark: SparkSession, bootstrap: str, run_dir: Path) -> list[PartitionLook]:
    """Ask the topic of a recorded run, on its brokers, and the run's ledgers for each partition."""
    evidence = Evidence(run_dir)
    topic = spark.read.format("chronik").option("kafka.bootstrap.servers", bootstrap)
    frame = topic.option("subscribe", evidence.facts.topic).load()
    rows = spark.sql(_QUERY, topic=frame, received=_received(spark, evidence)).collect()
    return [PartitionLook(*row) for row in rows]


def _received(spark: SparkSession, evidence: Evidence) -> DataFrame:
    """Read the consumers' ledgers of a run, in one task for each file."""
    paths = [str(path) for path in evidence.delivered_files()]

    def read(files: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for file in files:
            for number in file.column("id").to_pylist():
                for batch in stream_batches(Path(paths[number]), _RECEIVED):
                    yield pa.record_batch([batch.column(name) for name in _RECEIVED.names], schema=_RECEIVED)

    return spark.range(0, len(paths), 1, max(1, len(paths))).mapInArrow(read, from_arrow_schema(_RECEIVED))
