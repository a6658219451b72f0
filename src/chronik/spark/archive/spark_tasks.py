"""The archive's tasks on Spark: one for each slice, with a row for each file that it writes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from chronik.spark.archive.driver import RunTasks
from chronik.spark.archive.parquet_files import WriteTask, write_slice
from chronik.spark.archive.table import WrittenFile

FILES: Final = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("partition", pa.int32()),
        pa.field("date", pa.string()),
        pa.field("start_offset", pa.int64()),
        pa.field("end_offset", pa.int64()),
        pa.field("records", pa.int64()),
        pa.field("size_bytes", pa.int64()),
        pa.field("timestamp_min_ms", pa.int64()),
        pa.field("timestamp_max_ms", pa.int64()),
    ]
)


def tasks_of(spark: SparkSession) -> RunTasks:
    """Return the function that runs a driver's tasks on this session."""

    def run(tasks: Sequence[WriteTask]) -> list[WrittenFile]:
        if not tasks:
            return []
        numbers = spark.range(0, len(tasks), 1, len(tasks))
        # Collected once: evaluated again, it would write every file again.
        rows = numbers.mapInArrow(_writing(tasks), from_arrow_schema(FILES)).collect()
        return [WrittenFile(**row.asDict()) for row in rows]

    return run


def _writing(tasks: Sequence[WriteTask]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column("id").to_pylist():
                yield pa.RecordBatch.from_pylist([asdict(file) for file in write_slice(tasks[number])], FILES)

    return write
