"""Archives of real topics, made in the tests' own Spark session, and what is in them."""

from collections import Counter
from pathlib import Path
from typing import Any

from deltalake import DeltaTable
from pyspark.sql import SparkSession

from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.driver import ArchiveRules
from chronik.spark.archive.running import start_archive
from chronik.spark.archive.table import ArchiveTable
from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.archive.verify import VerifyResult, verify
from chronik.spark.planning.slices import ReadRules
from chronik.spark.restarting_query import RestartingQuery
from tests.spark.topics import record

END_SECONDS_MAX = 120

Row = tuple[int, int, bytes]


def rules(bootstrap: str, **chosen: Any) -> ArchiveRules:
    return ArchiveRules(ReadRules(bootstrap, include_headers=True), **chosen)


def archive_once(
    spark: SparkSession, table: ArchiveTable, bootstrap: str, topic: str, checkpoint: Path, **chosen: Any
) -> RestartingQuery:
    """Archive what is there, and wait for it."""
    running = start_archive(spark, table, topic, rules(bootstrap, **chosen), str(checkpoint))
    assert running.wait(END_SECONDS_MAX), f"the archive did not end: {running.query.status}"
    return running


def verdict(table: ArchiveTable, bootstrap: str, topic: str) -> VerifyResult:
    reading = ReadRules(bootstrap)
    return verify(table, ask_topic(topic, reading), reading)


def rows_of(directory: Path) -> Counter[Row]:
    """The rows of a Delta table as a multiset, as `deltalake` reads them."""
    columns = ["partition", "offset", "value"]
    table = DeltaTable(str(directory)).to_pyarrow_table(columns=columns)
    return Counter(zip(*(table.column(name).to_pylist() for name in columns), strict=True))


def sent(*counts: int) -> Counter[Row]:
    """What `Topics.make` has put into a topic with so many records in each partition."""
    return Counter(
        (partition, offset, record(1000 * partition + offset).value or b"")
        for partition, count in enumerate(counts)
        for offset in range(count)
    )


def covered_ends(directory: Path, topic_id: str) -> dict[int, int]:
    """How far a table covers its topic; nothing where there is no table yet."""
    snapshot = DeltaArchive(str(directory)).snapshot()
    return {} if snapshot is None else {at: part.end for at, part in snapshot.covers(topic_id).items()}
