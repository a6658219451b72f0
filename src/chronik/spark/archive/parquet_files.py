"""The task of the archive: read a slice, and write it as one Parquet file for each date.

Records stay in the Python process; one row per file goes to the driver.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import numpy as np
import pyarrow as pa

from chronik.spark.archive.file_writer import FileWriter
from chronik.spark.archive.json_columns import JsonColumn, decode, decoded_fields
from chronik.spark.archive.layout import TIME_MAX_MS, TIME_MIN_MS, file_path, file_schema, table_schema
from chronik.spark.archive.table import Destination, WrittenFile
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.reading import read_slice

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OPEN_FILES_MAX: Final = 16
"""A bound of the memory: each open file holds a row group, and timestamps may span years."""

_DAY_US: Final = 86_400_000_000
_TYPES: Final[dict[Any, pa.DataType]] = {str: pa.string(), int: pa.int64()}
_FILES: Final = pa.schema([pa.field(field.name, _TYPES[field.type]) for field in fields(WrittenFile)])

RunTasks = Callable[[Sequence["WriteTask"]], list[WrittenFile]]
Read = Callable[[Slice, ReadRules, View], Iterator[pa.RecordBatch]]


@dataclass(frozen=True, slots=True)
class WriteTask:
    """One slice to archive, and its destination."""

    piece: Slice
    rules: ReadRules
    destination: Destination
    json_columns: tuple[JsonColumn, ...] = ()
    compression: str = "zstd"


def write_slice(task: WriteTask, read: Read = read_slice) -> list[WrittenFile]:
    """Read a slice and write it; return the finished, durable files."""
    with OpenFiles(task) as files:
        for batch in read(task.piece, task.rules, View.RECORDS):
            for date, part in by_date(batch):
                files.append(date, _with_columns(part, task))
        return files.finish()


def by_date(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Split a batch by the UTC dates of its records, in order; mostly there is one."""
    times = batch.column("timestamp").cast(pa.int64()).to_numpy()
    days = np.floor_divide(np.clip(times, TIME_MIN_MS * 1000, TIME_MAX_MS * 1000), _DAY_US)
    for day in np.unique(days):
        is_day = days == day
        yield str(np.datetime64(int(day), "D")), batch if is_day.all() else batch.filter(pa.array(is_day))


def _with_columns(batch: pa.RecordBatch, task: WriteTask) -> pa.Table:
    """Drop the columns of the directory names, and add the topic's id and the decoded columns."""
    table = pa.Table.from_batches([batch]).drop_columns(["partition"])
    table = table.append_column("topic_id", pa.repeat(pa.scalar(task.piece.topic_id), batch.num_rows))
    if task.json_columns:
        decoded = decode(batch.column("value"), task.json_columns)
        for column, array in zip(decoded_fields(task.json_columns), decoded, strict=True):
            table = table.append_column(column, array)
    return table


class OpenFiles:
    """The open files of a task, one for each date, and its finished files."""

    def __init__(self, task: WriteTask) -> None:
        self._task = task
        self._schema = file_schema(table_schema(decoded_fields(task.json_columns)))
        self._open: dict[str, FileWriter] = {}
        self._finished: list[WrittenFile] = []

    def __enter__(self) -> "OpenFiles":
        return self

    def __exit__(self, *failure: Any) -> None:
        for file in self._open.values():
            file.abandon()

    def append(self, date: str, table: pa.Table) -> None:
        file = self._open.pop(date, None) or self._opened(date)
        self._open[date] = file  # ordered by last use
        file.append(table)

    def finish(self) -> list[WrittenFile]:
        """Close the open files, and return all."""
        while self._open:
            self._close_oldest()
        return self._finished

    def _opened(self, date: str) -> FileWriter:
        while len(self._open) >= OPEN_FILES_MAX:
            self._close_oldest()
        piece = self._task.piece
        path = file_path(piece.partition, date, piece.start_offset, piece.end_offset, piece.topic_id, uuid4().hex)
        return FileWriter(self._task.destination, path, piece.partition, date, self._schema, self._task.compression)

    def _close_oldest(self) -> None:
        date = next(iter(self._open))
        self._finished.append(self._open.pop(date).close())


def tasks_of(spark: "SparkSession") -> RunTasks:
    """Return the function that runs a driver's tasks on this session."""
    from pyspark.sql.pandas.types import from_arrow_schema

    def run(tasks: Sequence[WriteTask]) -> list[WrittenFile]:
        if not tasks:
            return []
        numbers = spark.range(0, len(tasks), 1, len(tasks))
        # Collected once: evaluated again, it would write every file again.
        rows = numbers.mapInArrow(_writing(tasks), from_arrow_schema(_FILES)).collect()
        return [WrittenFile(**row.asDict()) for row in rows]

    return run


def _writing(tasks: Sequence[WriteTask]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def write(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column("id").to_pylist():
                yield pa.RecordBatch.from_pylist([asdict(file) for file in write_slice(tasks[number])], _FILES)

    return write
