"""A continuous audit as a query of Structured Streaming, on a live cluster.

Each micro-batch brings where the topic stands; the step that follows reads the log and the ledgers up to there in
tasks, and keeps sums and positions in one file. What Spark hands out again after a kill is found to be counted.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from chronik.audit.ledger.tails import LedgerPlace
from chronik.audit.watch.audit import ContinuousAudit, TopicNow, WatchRules, WatchStep
from chronik.spark.archive.ends_source import encoded_options
from chronik.spark.audit.watch_log import WireLog, tasks_on
from chronik.spark.audit.watch_source import FORMAT, WatchSource
from chronik.spark.planning.slices import ReadRules
from chronik.spark.sessions.py_files import share_py_files_with_streams

RESTARTS_MAX: Final = 5
_WORKER_LOST: Final = ("failed to connect back", "exited unexpectedly")
_POSITIONS: Final = "spark"


def open_watch(
    spark: SparkSession, directory: Path, rules: WatchRules, place: LedgerPlace | None, reading: ReadRules
) -> ContinuousAudit:
    """Open the audit that a directory holds, or begin one."""
    return ContinuousAudit(directory, rules, place, WireLog(rules.topic, reading), tasks_on(spark))


@dataclass(slots=True)
class RunningWatch:
    """A query that has been started, and what it failed of, if it did."""

    start: Callable[[], StreamingQuery]
    failures: list[Exception]
    pause: Callable[[float], None] = time.sleep
    query: StreamingQuery = field(init=False)
    restarts: int = 0

    def __post_init__(self) -> None:
        self.query = self.start()

    def wait(self, seconds: int) -> bool:
        """Wait for its end, at most so long, and say whether it has ended; whatever ended it too early is raised.

        A query whose Python process was lost is started again, which can neither skip nor repeat anything.
        """
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
            return False

    def stop(self) -> None:
        """End the query; a step that is under way is given up, and taken again at the next start."""
        self.query.stop()


def start_watch(
    spark: SparkSession,
    watch: ContinuousAudit,
    directory: Path,
    reading: ReadRules,
    on_step: Callable[[WatchStep], None],
    *,
    interval_s: float = 5.0,
    is_once: bool = False,
    is_last: bool = False,
    refresh: Callable[[], str] = lambda: "",
) -> RunningWatch:
    """Begin to watch: for good, once up to the present end, or once with everything judged.

    ``refresh`` brings the ledgers up to date before a step, where they do not grow by themselves, and says what it
    waits for if it cannot: nothing becomes final without them.
    """
    failures: list[Exception] = []
    begun_us = time.time_ns() // 1000
    share_py_files_with_streams(spark)
    spark.dataSource.register(WatchSource)
    topic = watch.rules.topic
    trigger: dict[str, Any] = {"availableNow": True} if is_once else {"processingTime": f"{interval_s} seconds"}

    def start() -> StreamingQuery:
        ends = spark.readStream.format(FORMAT).options(**encoded_options(topic, reading, uuid4().hex)).load()
        writer = ends.writeStream.foreachBatch(
            _batches(watch, on_step, failures, refresh, begun_us if is_last else None)
        )
        writer = writer.option("checkpointLocation", str(directory / _POSITIONS))
        return writer.queryName(f"audit-{topic}-{uuid4().hex[:8]}").trigger(**trigger).start()

    return RunningWatch(start, failures)


def _batches(
    watch: ContinuousAudit,
    on_step: Callable[[WatchStep], None],
    failures: list[Exception],
    refresh: Callable[[], str],
    last_since_us: int | None,
) -> Callable[[DataFrame, int], None]:
    """Make the function that takes a batch; one that asked the topic since a time may be the last.

    A batch that was under way when the query was killed comes once more, and knows less of the log than of the ledgers.
    """

    def take(rows: DataFrame, batch_id: int) -> None:
        found = rows.collect()
        if not found:
            return
        topic = TopicNow(
            found[0].topic_id,
            {row.partition: row.start_offset for row in found},
            {row.partition: row.end_offset for row in found},
            found[0].asked_us,
        )
        try:
            if missing := refresh():
                on_step(WatchStep(waits_for=missing))
                return
            is_last = last_since_us is not None and topic.asked_us >= last_since_us
            while True:
                step = watch.step(topic, time.time_ns() // 1000, is_last=is_last)
                on_step(step)
                if not step.is_behind:
                    return
        except Exception as error:
            failures.append(error)
            raise

    return take
