"""The stream that drives a continuous audit: the ends of the topic, asked for every micro-batch.

Its rows are the ends of the partitions and the time at which they were asked for, so that there is a batch also when
nothing was written: ledgers grow, and verdicts become final, without it. The records themselves are read by tasks.
"""
# ruff: noqa: N802 - Spark names what it calls

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from chronik.spark.archive.ends_source import EndsReader
from chronik.spark.archive.topic_state import ask_topic

FORMAT: Final = "chronik-audit-ends"
SCHEMA: Final = pa.schema(
    [
        pa.field("topic_id", pa.string()),
        pa.field("asked_us", pa.int64()),
        pa.field("partition", pa.int32()),
        pa.field("start_offset", pa.int64()),
        pa.field("end_offset", pa.int64()),
    ]
)


class WatchSource(DataSource):
    """The ends of one topic."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return from_arrow_schema(SCHEMA)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return WatchReader(dict(self.options))


class WatchReader(EndsReader):
    """Asks whenever Spark wonders whether there is something new."""

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the topic's state as rows; an offset that some other query has written has none for us."""
        end = json.loads(partition.value or "{}")
        rows = [
            {
                "topic_id": end["topicId"],
                "asked_us": end["askedUs"],
                "partition": int(number),
                "start_offset": end["starts"][number],
                "end_offset": offset,
            }
            for number, offset in (end["ends"] if "askedUs" in end else {}).items()
        ]
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)

    def _now(self) -> dict[str, Any]:
        asked_us = time.time_ns() // 1000
        state = ask_topic(self._topic, self._rules)
        return {
            "askedUs": asked_us,
            "ends": _by_name(state.ends),
            "run": self._run,
            "starts": _by_name(state.starts),
            "topicId": state.topic_id,
        }


def _by_name(offsets: Mapping[int, int]) -> dict[str, int]:
    return {str(partition): offset for partition, offset in sorted(offsets.items())}
