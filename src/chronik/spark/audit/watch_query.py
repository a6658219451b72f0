"""A continuous audit as a query of Structured Streaming, on a live cluster.

Each micro-batch brings the ends of the topic; the step that follows reads the log and the ledgers up to there in
tasks, and keeps sums and positions in one file. What Spark hands out again after a kill is found to be counted.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pyspark.sql import DataFrame, SparkSession

from chronik.audit.ledger.tails import LedgerPlace
from chronik.audit.watch.audit import ContinuousAudit, TopicNow, WatchRules, WatchStep
from chronik.spark.audit.watch_log import WireLog, tasks_on
from chronik.spark.audit.watch_source import WatchSource
from chronik.spark.planning.slices import ReadRules
from chronik.spark.restarting_query import RestartingQuery, start_query

_POSITIONS: Final = "spark"


def open_watch(
    spark: SparkSession, directory: Path, rules: WatchRules, place: LedgerPlace | None, reading: ReadRules
) -> ContinuousAudit:
    """Open the audit that a directory holds, or begin one."""
    return ContinuousAudit(directory, rules, place, WireLog(rules.topic, reading), tasks_on(spark))


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
) -> RestartingQuery:
    """Begin to watch: for good, once up to the present end, or once with everything judged.

    ``refresh`` brings the ledgers up to date before a step, where they do not grow by themselves, and returns what it
    waits for if it cannot: nothing becomes final without them.
    """
    begun_us = time.time_ns() // 1000

    def take(rows: DataFrame) -> None:
        found = rows.collect()
        if not found:
            return
        topic = TopicNow(
            found[0].topic_id,
            {row.partition: row.start_offset for row in found},
            {row.partition: row.end_offset for row in found},
            found[0].asked_us,
        )
        if missing := refresh():
            on_step(WatchStep(waits_for=missing))
            return
        # A batch of a query that was killed comes again, and knows less of the log than of the ledgers: it is not last.
        is_final = is_last and topic.asked_us >= begun_us
        while True:
            step = watch.step(topic, time.time_ns() // 1000, is_last=is_final)
            on_step(step)
            if not step.is_behind:
                return

    return start_query(
        spark,
        WatchSource,
        watch.rules.topic,
        reading,
        take,
        name="audit",
        checkpoint=str(directory / _POSITIONS),
        interval_s=None if is_once else interval_s,
    )
