"""An archive as a query of Structured Streaming: once up to the topic's present end, or for good.

The query's rows are the ends of the partitions. Each batch hands them to the driver, which reads from the table what is
missing below them, has it written by tasks, and commits.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from uuid import uuid4

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from chronik.spark.archive.driver import Archiver, ArchiveRules
from chronik.spark.archive.ends_source import FORMAT, EndsSource, encoded_options
from chronik.spark.archive.spark_tasks import tasks_of
from chronik.spark.archive.table import ArchiveTable, Commit
from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.sessions.py_files import share_py_files_with_streams

RESTARTS_MAX: Final = 5
_WORKER_LOST: Final = ("failed to connect back", "exited unexpectedly")
"""What Spark says where a Python process of its own did not start in ten seconds, or died."""


@dataclass(slots=True)
class RunningArchive:
    """A query that has been started, and what it failed of, if it did."""

    start: Callable[[], StreamingQuery]
    offsets_ahead: int
    """How many offsets the table did not cover when it began."""
    failures: list[Exception]
    pause: Callable[[float], None] = time.sleep
    query: StreamingQuery = field(init=False)
    restarts: int = 0

    def __post_init__(self) -> None:
        self.query = self.start()

    def wait(self, seconds: int | None = None) -> bool:
        """Wait for its end, at most so long at a time; whatever ended it too early is raised.

        A query whose Python process was lost is started again, which can neither skip nor repeat anything.
        """
        while True:
            try:
                return self.query.awaitTermination(seconds) is not False
            except StreamingQueryException as error:
                if self.failures:
                    raise self.failures[0] from None
                if self.restarts >= RESTARTS_MAX or not any(words in str(error) for words in _WORKER_LOST):
                    raise
                self.pause(2.0**self.restarts)  # a machine that is too busy now may not be so later
                self.restarts += 1
                self.query = self.start()

    def stop(self) -> None:
        """End the query; a batch that is being written is given up, and written again at the next start."""
        self.query.stop()


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
    share_py_files_with_streams(spark)
    spark.dataSource.register(EndsSource)
    trigger: dict[str, Any] = {"processingTime": f"{interval_s} seconds"} if follow else {"availableNow": True}

    def start() -> StreamingQuery:
        ends = spark.readStream.format(FORMAT).options(**encoded_options(topic, rules.reading, uuid4().hex)).load()
        writer = ends.writeStream.foreachBatch(_batches(archiver, failures)).option("checkpointLocation", checkpoint)
        return writer.queryName(f"archive-{topic}-{uuid4().hex[:8]}").trigger(**trigger).start()

    return RunningArchive(start, ahead, failures)


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
