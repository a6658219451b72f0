"""A query of Structured Streaming over the ends of a topic, which starts again if a Python process of Spark is lost.

Archives and continuous audits are such queries. Both keep how far they have read beside what they made of it, so that
a batch that Spark hands out again is neither skipped nor counted twice.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource
from pyspark.sql.streaming.query import StreamingQuery

from chronik.spark.archive.ends_source import encoded_options
from chronik.spark.planning.slices import ReadRules
from chronik.spark.sessions.py_files import share_py_files_with_streams

RESTARTS_MAX: Final = 5
_WORKER_LOST: Final = ("failed to connect back", "exited unexpectedly")
"""Spark's words for a Python process of its own that did not start in ten seconds, or died."""


@dataclass(slots=True)
class RestartingQuery:
    """A running query, and the error that ended a batch of it, if there is one."""

    start: Callable[[], StreamingQuery]
    failures: list[Exception]
    pause: Callable[[float], None] = time.sleep
    query: StreamingQuery = field(init=False)
    restarts: int = 0
    offsets_ahead: int = 0
    """How many offsets it had to read when it began, where that was counted."""

    def __post_init__(self) -> None:
        self.query = self.start()

    def wait(self, seconds: int | None = None) -> bool:
        """Wait for its end, at most so long at a time, and return whether it has ended; raise what ended it early."""
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
        """End the query; a batch that is under way is given up, and comes again at the next start."""
        self.query.stop()


def start_query(
    spark: SparkSession,
    source: type[DataSource],
    topic: str,
    reading: ReadRules,
    take: Callable[[DataFrame], None],
    *,
    name: str,
    checkpoint: str,
    interval_s: float | None,
) -> RestartingQuery:
    """Start a query whose batches are the ends of a topic: for good at an interval, or once up to the present end."""
    failures: list[Exception] = []
    share_py_files_with_streams(spark)
    spark.dataSource.register(source)
    trigger: dict[str, Any] = {"availableNow": True}
    if interval_s is not None:
        trigger = {"processingTime": f"{interval_s} seconds"}

    def take_batch(rows: DataFrame, batch_id: int) -> None:
        try:
            take(rows)
        except Exception as error:
            failures.append(error)
            raise

    def start() -> StreamingQuery:
        options = encoded_options(topic, reading, uuid4().hex)
        writer = spark.readStream.format(source.name()).options(**options).load().writeStream.foreachBatch(take_batch)
        writer = writer.option("checkpointLocation", checkpoint).queryName(f"{name}-{topic}-{uuid4().hex[:8]}")
        return writer.trigger(**trigger).start()

    return RestartingQuery(start, failures)
