"""An archive as a query of Structured Streaming: once up to the topic's present end, or for good.

The query's rows are the ends of the partitions. Each batch hands them to the driver, which reads from the table what is
missing below them, has it written by tasks, and commits.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from uuid import uuid4

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from chronik.spark.archive.driver import Archiver, ArchiveRules
from chronik.spark.archive.ends_source import FORMAT, EndsSource, encoded_options
from chronik.spark.archive.spark_tasks import tasks_of
from chronik.spark.archive.table import ArchiveTable, Commit
from chronik.spark.archive.topic_state import ask_topic


@dataclass(slots=True)
class RunningArchive:
    """A query that has been started, and what it failed of, if it did."""

    query: StreamingQuery
    offsets_ahead: int
    """How many offsets the table did not cover when it began."""
    failures: list[Exception] = field(default_factory=list)

    def wait(self, seconds: int | None = None) -> bool:
        """Wait for its end, at most so long; whatever ended it too early is raised."""
        try:
            return bool(self.query.awaitTermination(seconds) if seconds is not None else self._wait())
        except StreamingQueryException as error:
            raise (self.failures[0] if self.failures else error) from None

    def stop(self) -> None:
        """End the query; a batch that is being written is given up, and written again at the next start."""
        self.query.stop()

    def _wait(self) -> bool:
        self.query.awaitTermination()
        return True


def start_archive(
    spark: SparkSession,
    table: ArchiveTable,
    topic: str,
    rules: ArchiveRules,
    checkpoint: str,
    *,
    follow: bool = False,
    interval_s: float = 10.0,
    on_commit: Callable[[Commit], None] = lambda commit: None,
) -> RunningArchive:
    """Begin to archive; refusals are raised here, before any task starts."""
    archiver = Archiver(table, partial(ask_topic, topic, rules.reading), tasks_of(spark), rules, on_commit)
    state = archiver.prepare()
    ahead = archiver.offsets_ahead(state)
    failures: list[Exception] = []
    spark.dataSource.register(EndsSource)
    ends = spark.readStream.format(FORMAT).options(**encoded_options(topic, rules.reading, uuid4().hex)).load()
    trigger: dict[str, Any] = {"processingTime": f"{interval_s} seconds"} if follow else {"availableNow": True}
    writer = ends.writeStream.foreachBatch(_batches(archiver, failures)).option("checkpointLocation", checkpoint)
    query = writer.queryName(f"archive-{topic}-{uuid4().hex[:8]}").trigger(**trigger).start()
    return RunningArchive(query, ahead, failures)


def _batches(archiver: Archiver, failures: list[Exception]) -> Callable[[DataFrame, int], None]:
    def archive_batch(rows: DataFrame, batch_id: int) -> None:
        by_topic: dict[str, dict[int, int]] = {}
        for row in rows.collect():
            by_topic.setdefault(row.topic_id, {})[row.partition] = row.end_offset
        try:
            for topic_id, ends in by_topic.items():
                archiver.archive_until(topic_id, ends)
        except Exception as error:
            failures.append(error)
            raise

    return archive_batch
