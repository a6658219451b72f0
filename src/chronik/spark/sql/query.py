"""SQL over topics and archives: each one that a query names becomes a view with the columns that the query uses."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, cast

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, from_json
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from chronik.spark.archive.frames import archive_frame
from chronik.spark.archive.table import ArchiveError, ArchiveTable
from chronik.spark.options.parsers import View
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.source.schemas import arrow_schema, column_names
from chronik.spark.sql.names import Query, QueryTable, QueryTableKind, parsed_query

_POLL_S: Final = 0.2
_SAMPLED_VALUES_MAX: Final = 1_000
"""The number of values from which the fields of JSON are inferred."""


@dataclass(frozen=True, slots=True)
class SqlSources:
    """The cluster and the archives that queries may name, and how their values are shown."""

    bootstrap: str
    client_options: Mapping[str, str] = field(default_factory=dict)
    archives: Mapping[str, ArchiveTable] = field(default_factory=dict)
    decoded: Mapping[str, str] = field(default_factory=dict)
    """Topics or archives whose values are JSON, with the schema of the fields; an empty schema is inferred."""
    keeps_binary: bool = False


def query(spark: SparkSession, text: str, sources: SqlSources) -> DataFrame:
    """Return the result of a query. Until it is collected, only a sample is read, where a schema must be inferred."""
    parsed = parsed_query(text)
    _check_sources(parsed, sources)
    for source in sorted(parsed.sources):
        _frame(spark, source, parsed, sources).createOrReplaceTempView(source.view)
    return spark.sql(parsed.text)


def _check_sources(parsed: Query, sources: SqlSources) -> None:
    """Raise for a topic or archive that does not exist, before any task starts."""
    for source in sorted(parsed.sources):
        if source.kind is QueryTableKind.ARCHIVE and source.name not in sources.archives:
            known = ", ".join(sorted(sources.archives)) or "none"
            raise ArchiveError(
                f"there is no archive {source.name!r} (known: {known})",
                f"Name its place: --archive {source.name}=DIR.",
            )
    topics = [source.name for source in parsed.sources if source.kind is QueryTableKind.TOPIC]
    if topics:
        with ClusterLookup(sources.bootstrap, sources.client_options) as lookup:
            lookup.partitions(topics)


def _frame(spark: SparkSession, source: QueryTable, parsed: Query, sources: SqlSources) -> DataFrame:
    is_decoded = source.name in sources.decoded
    columns = _columns(parsed, with_value=is_decoded)
    if source.kind is QueryTableKind.TOPIC:
        frame = _topic_frame(spark, source.name, columns, sources)
    else:
        frame = archive_frame(spark, sources.archives[source.name], columns)
    if is_decoded:
        frame = with_json_columns(frame, sources.decoded[source.name])
    return frame if sources.keeps_binary else _with_text(frame)


def _columns(parsed: Query, *, with_value: bool) -> tuple[str, ...]:
    """Return the columns that a query may use; always the offset, which is cheap, so that rows can be counted."""
    if parsed.is_open:
        return ()
    known = column_names(View.RECORDS, include_headers=True)
    words = parsed.words | {"offset"} | ({"value"} if with_value else set())
    others = sorted(parsed.words - {name.lower() for name in known})
    return (*(name for name in known if name.lower() in words), *others)


def _topic_frame(spark: SparkSession, topic: str, columns: tuple[str, ...], sources: SqlSources) -> DataFrame:
    known = column_names(View.RECORDS, include_headers=True)
    wanted = [name for name in known if not columns or name in columns]
    reader = spark.read.format("chronik").schema(from_arrow_schema(arrow_schema(View.RECORDS, wanted)))
    reader = reader.option("kafka.bootstrap.servers", sources.bootstrap).option("subscribe", topic)
    for name, value in sources.client_options.items():
        reader = reader.option(f"kafka.{name}", value)
    return reader.option("includeHeaders", str("headers" in wanted).lower()).load()


def with_json_columns(frame: DataFrame, schema: str = "") -> DataFrame:
    """Add the fields of JSON values as columns; without a schema it is inferred from a sample.

    A value that does not parse has nulls. A field with the name of a record's column is left out.
    """
    text = col("value").cast("string")
    fields = cast(StructType, StructType.fromDDL(schema)) if schema else _sampled_schema(frame)
    added = [name for name in fields.names if name not in frame.columns]
    parsed = frame.withColumn("__json", from_json(text, fields))
    return parsed.select(*frame.columns, *(col("__json")[name].alias(name) for name in added))


def _sampled_schema(frame: DataFrame) -> StructType:
    sample = frame.select(col("value").cast("string")).where("value is not null").limit(_SAMPLED_VALUES_MAX).collect()
    return frame.sparkSession.read.json(
        frame.sparkSession.sparkContext.parallelize([row[0] for row in sample], 1)
    ).schema


def _with_text(frame: DataFrame) -> DataFrame:
    """Show keys and values as text, so that they can be compared with strings."""
    return frame.select(
        *(
            col(name).cast("string").alias(name) if name in ("key", "value") else col(f"`{name}`")
            for name in frame.columns
        )
    )


@contextmanager
def watched(spark: SparkSession, report: Callable[[int, int], None]) -> Iterator[None]:
    """Within the block, call ``report`` repeatedly with the completed and the known tasks of the running stages."""
    ended = threading.Event()

    def watch() -> None:
        done_before, totals = 0, {}
        tracker = spark.sparkContext.statusTracker()
        while not ended.wait(_POLL_S):
            for stage in tracker.getActiveStageIds():
                if (info := tracker.getStageInfo(stage)) is not None:
                    totals[stage] = (info.numCompletedTasks, info.numTasks)
            done = sum(part for part, _ in totals.values())
            if totals and done >= done_before:
                report(done, sum(whole for _, whole in totals.values()))
                done_before = done

    thread = threading.Thread(target=watch, name="chronik-sql-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
