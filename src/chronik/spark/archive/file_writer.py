"""Write one Parquet file of an archive, in the order of offsets, with statistics for offset, timestamp and key."""

from contextlib import ExitStack
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from chronik.spark.archive.places import local_path, new_file, open_place
from chronik.spark.archive.table import Destination, WrittenFile

ROW_GROUP_ROWS_MAX: Final = 128 * 1024
ROW_GROUP_BYTES_MAX: Final = 32 * 1024 * 1024

_WITH_STATISTICS: Final = ("offset", "timestamp", "key")

_ASCENDING: Final = ("offset", "timestamp")


class FileWriter:
    """Writes row groups, and describes the finished file."""

    def __init__(
        self, where: Destination, path: str, partition: int, date: str, schema: pa.Schema, compression: str = "zstd"
    ) -> None:
        self._where, self._path, self._partition, self._date = where, path, partition, date
        self._waiting: list[pa.Table] = []
        self._records = 0
        self._offsets = (0, 0)
        self._times_ms = (0, 0)
        self._stack = ExitStack()
        stream = self._stack.enter_context(new_file(where.url, where.storage_options, path))
        self._writer = self._stack.enter_context(
            pq.ParquetWriter(
                stream,
                schema,
                compression=compression,
                use_dictionary=_repetitive(schema),
                column_encoding=dict.fromkeys(_ASCENDING, "DELTA_BINARY_PACKED"),
                write_statistics=list(_WITH_STATISTICS),
                sorting_columns=[pq.SortingColumn(schema.get_field_index("offset"))],
            )
        )

    def append(self, table: pa.Table) -> None:
        """Append records, in the order of offsets."""
        self._note(table)
        self._waiting.append(table)
        rows = sum(part.num_rows for part in self._waiting)
        if rows >= ROW_GROUP_ROWS_MAX or sum(part.nbytes for part in self._waiting) >= ROW_GROUP_BYTES_MAX:
            self._flush()

    def close(self) -> WrittenFile:
        """Make the file durable, and describe it."""
        self._flush()
        self._stack.close()
        size = _size(self._where, self._path)
        place = (self._path, self._partition, self._date)
        return WrittenFile(*place, *self._offsets, self._records, size, *self._times_ms)

    def abandon(self) -> None:
        """Close a file that will not be finished."""
        self._stack.close()

    def _flush(self) -> None:
        """Write the collected records as one row group."""
        if self._waiting:
            whole = pa.concat_tables(self._waiting)
            self._writer.write_table(whole, row_group_size=whole.num_rows)
        self._waiting = []

    def _note(self, table: pa.Table) -> None:
        offsets = table.column("offset")
        first, last = offsets[0].as_py(), offsets[-1].as_py()
        times: dict[str, Any] = pc.min_max(table.column("timestamp").cast(pa.int64())).as_py()
        low, high = times["min"] // 1000, times["max"] // 1000
        self._offsets = (self._offsets[0] if self._records else first, last + 1)
        self._times_ms = (min(low, self._times_ms[0]), max(high, self._times_ms[1])) if self._records else (low, high)
        self._records += table.num_rows


def _repetitive(schema: pa.Schema) -> list[str]:
    """Return the columns that are worth a dictionary. Trying one for values would take half of the writing time."""
    plain = {"value", "headers", *_ASCENDING}
    return [*(name for name in schema.names if name not in plain), "headers.list.element.key"]


def _size(where: Destination, path: str) -> int:
    directory = local_path(where.url)
    if directory is not None:
        return (directory / path).stat().st_size
    return int(open_place(where.url, where.storage_options).get_file_info(path).size)
