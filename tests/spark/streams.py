"""Streaming queries that are run to their end, with what they have written and how."""

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

END_SECONDS_MAX = 120


def start(frame: DataFrame, directory: Path, name: str = "files", **trigger: Any) -> StreamingQuery:
    """Write a stream to Parquet files in ``directory``, beside its checkpoint, as far as there is something."""
    writer = frame.writeStream.format("parquet").queryName(name).trigger(**(trigger or {"availableNow": True}))
    return writer.option("checkpointLocation", str(directory / "state")).start(str(directory / "out"))


def run(frame: DataFrame, directory: Path, name: str = "files") -> list[dict[str, Any]]:
    """Run a query until it has read what is there, and give its progress, one entry to a micro-batch."""
    return ended(start(frame, directory, name))


def ended(query: StreamingQuery) -> list[dict[str, Any]]:
    try:
        assert query.awaitTermination(END_SECONDS_MAX), f"the stream did not end: {query.status}"
    finally:
        query.stop()
    return [dict(progress) for progress in query.recentProgress]


def written(spark: SparkSession, directory: Path) -> list[Row]:
    """What the query has written, without what a crash has left behind."""
    rows: list[Row] = spark.read.parquet(str(directory / "out")).collect()
    return rows


def counts(progress: list[dict[str, Any]]) -> list[int]:
    """How many rows each micro-batch had."""
    return [int(one["numInputRows"]) for one in progress]
