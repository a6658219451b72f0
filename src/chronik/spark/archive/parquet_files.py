"""The task of the archive: it reads a slice and writes it as Parquet, one file to a date, and tells what it wrote.

Records stay in the process that read them; one row per file goes back to the driver. Files hold records in the order of
offsets, compressed with zstd, with statistics for offset, timestamp and key.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from chronik.spark.archive.json_columns import JsonColumn, decode, decoded_fields
from chronik.spark.archive.layout import TIME_MAX_MS, TIME_MIN_MS, file_path, file_schema, table_schema
from chronik.spark.archive.places import local_path, new_file, open_place
from chronik.spark.archive.table import Destination, WrittenFile
from chronik.spark.reading import read_slice
from chronik.spark.slices import ReadRules, Slice, View

ROW_GROUP_ROWS_MAX: Final = 128 * 1024
ROW_GROUP_BYTES_MAX: Final = 32 * 1024 * 1024
OPEN_FILES_MAX: Final = 16
"""Records whose times lie far apart would otherwise hold a row group in memory for every day of a year."""

_DAY_US: Final = 86_400_000_000
_WITH_STATISTICS: Final = ("offset", "timestamp", "key")

Read = Callable[[Slice, ReadRules, View], Iterator[pa.RecordBatch]]


@dataclass(frozen=True, slots=True)
class WriteTask:
    """One slice to be archived: what is read, how, and where it goes. Travels pickled."""

    piece: Slice
    rules: ReadRules
    destination: Destination
    json_columns: tuple[JsonColumn, ...] = ()
    compression: str = "zstd"


def write_slice(task: WriteTask, read: Read = read_slice) -> list[WrittenFile]:
    """Read a slice and write it; give the finished files, each of them durable."""
    with OpenFiles(task) as files:
        for batch in read(task.piece, task.rules, View.RECORDS):
            for date, part in by_date(batch):
                files.append(date, _with_columns(part, task))
        return files.finish()


def by_date(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Take a batch apart by the UTC date of its records, keeping their order; mostly it is one date."""
    times = batch.column("timestamp").cast(pa.int64()).to_numpy()
    days = np.floor_divide(np.clip(times, TIME_MIN_MS * 1000, TIME_MAX_MS * 1000), _DAY_US)
    for day in np.unique(days):
        is_day = days == day
        yield str(np.datetime64(int(day), "D")), batch if is_day.all() else batch.filter(pa.array(is_day))


def _with_columns(batch: pa.RecordBatch, task: WriteTask) -> pa.Table:
    """Leave out what the directories say, and add the topic's id and what is decoded."""
    table = pa.Table.from_batches([batch]).drop_columns(["partition"])
    table = table.append_column("topic_id", pa.repeat(pa.scalar(task.piece.topic_id), batch.num_rows))
    if task.json_columns:
        decoded = decode(batch.column("value"), task.json_columns)
        for column, array in zip(decoded_fields(task.json_columns), decoded, strict=True):
            table = table.append_column(column, array)
    return table


@dataclass(slots=True)
class OpenFile:
    """A file that is being written, and what is known of it so far."""

    date: str
    path: str
    writer: pq.ParquetWriter
    stack: ExitStack
    waiting: list[pa.Table] = field(default_factory=list)
    waiting_rows: int = 0
    waiting_bytes: int = 0
    records: int = 0
    offsets: tuple[int, int] = (0, 0)
    times_ms: tuple[int, int] = (0, 0)

    def append(self, table: pa.Table) -> None:
        self._note(table)
        self.waiting.append(table)
        self.waiting_rows += table.num_rows
        self.waiting_bytes += table.nbytes
        if self.waiting_rows >= ROW_GROUP_ROWS_MAX or self.waiting_bytes >= ROW_GROUP_BYTES_MAX:
            self.flush()

    def flush(self) -> None:
        """Write what waits as one row group."""
        if self.waiting:
            self.writer.write_table(pa.concat_tables(self.waiting), row_group_size=self.waiting_rows)
        self.waiting, self.waiting_rows, self.waiting_bytes = [], 0, 0

    def _note(self, table: pa.Table) -> None:
        offsets = table.column("offset")
        first, last = offsets[0].as_py(), offsets[-1].as_py()
        times = pc.min_max(table.column("timestamp").cast(pa.int64())).as_py()
        low, high = times["min"] // 1000, times["max"] // 1000
        self.offsets = (self.offsets[0] if self.records else first, last + 1)
        self.times_ms = (min(low, self.times_ms[0]), max(high, self.times_ms[1])) if self.records else (low, high)
        self.records += table.num_rows


class OpenFiles:
    """The files that a task is writing, one for each date, and those that it has finished."""

    def __init__(self, task: WriteTask) -> None:
        self._task = task
        self._schema = file_schema(table_schema(decoded_fields(task.json_columns)))
        self._open: dict[str, OpenFile] = {}
        self._finished: list[WrittenFile] = []

    def __enter__(self) -> "OpenFiles":
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: Any) -> None:
        for file in self._open.values():
            file.stack.close()

    def append(self, date: str, table: pa.Table) -> None:
        """Add records of one date."""
        file = self._open.pop(date, None) or self._opened(date)
        self._open[date] = file  # the one used last stands last
        file.append(table)

    def finish(self) -> list[WrittenFile]:
        """Close what is open and give all files."""
        for date in list(self._open):
            self._close(self._open.pop(date))
        return self._finished

    def _opened(self, date: str) -> OpenFile:
        while len(self._open) >= OPEN_FILES_MAX:
            self._close(self._open.pop(next(iter(self._open))))
        where = self._task.destination
        piece = self._task.piece
        path = file_path(piece.partition, date, piece.start_offset, piece.end_offset, piece.topic_id, uuid4().hex)
        stack = ExitStack()
        stream = stack.enter_context(new_file(where.url, where.storage_options, path))
        writer = stack.enter_context(
            pq.ParquetWriter(
                stream,
                self._schema,
                compression=self._task.compression,
                write_statistics=list(_WITH_STATISTICS),
                sorting_columns=[pq.SortingColumn(self._schema.get_field_index("offset"))],
            )
        )
        return OpenFile(date, path, writer, stack)

    def _close(self, file: OpenFile) -> None:
        file.flush()
        file.stack.close()
        self._finished.append(
            WrittenFile(
                file.path,
                self._task.piece.partition,
                file.date,
                *file.offsets,
                file.records,
                _size(self._task.destination, file.path),
                *file.times_ms,
            )
        )


def _size(where: Destination, path: str) -> int:
    directory = local_path(where.url)
    if directory is not None:
        return (directory / path).stat().st_size
    return int(open_place(where.url, where.storage_options).get_file_info(path).size)
