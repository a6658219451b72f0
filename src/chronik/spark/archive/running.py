"""An archive as a query of Structured Streaming: once up to the topic's present end, or for good.

The query's rows are the ends of the partitions. Each batch hands them to the driver, which reads from the table what is
missing below them, has it written by tasks, and commits.
"""

from collections.abc import Callable
from functools import partial

from pyspark.sql import DataFrame, SparkSession

from chronik.spark.archive.driver import Archiver, ArchiveRules
from chronik.spark.archive.ends_source import EndsSource
from chronik.spark.archive.parquet_files import tasks_of
from chronik.spark.archive.table import ArchiveTable, Commit
from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.restarting_query import RestartingQuery, start_query


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
) -> RestartingQuery:
    """Begin to archive; refusals are raised here, before any task starts."""
    archiver = Archiver(table, partial(ask_topic, topic, rules.reading), tasks_of(spark), rules, on_commit)
    ahead = archiver.offsets_ahead(archiver.prepare())

    def take(rows: DataFrame) -> None:
        by_topic: dict[str, dict[int, int]] = {}
        for row in rows.collect():
            by_topic.setdefault(row.topic_id, {})[row.partition] = row.end_offset
        for topic_id, ends in by_topic.items():
            archiver.archive_until(topic_id, ends)

    query = start_query(
        spark,
        EndsSource,
        topic,
        rules.reading,
        take,
        name="archive",
        checkpoint=checkpoint,
        interval_s=interval_s if follow else None,
    )
    query.offsets_ahead = ahead
    return query
