"""Columns of Arrow tables as numpy arrays, without a copy where the column is in one piece."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Flags: TypeAlias = npt.NDArray[np.bool_]


def numbers(table: pa.Table, name: str) -> Any:
    """Return a column of numbers in its own width; unsigned 64-bit numbers keep their bits."""
    column = _whole(table, name)
    return column.view(np.int64) if column.dtype == np.uint64 else column


def integers(table: pa.Table, name: str) -> Ints:
    """Return a column of numbers; unsigned 64-bit numbers keep their bits."""
    found: Ints = numbers(table, name).astype(np.int64, copy=False)
    return found


def booleans(table: pa.Table, name: str) -> Flags:
    """Return a column of booleans."""
    found: Flags = _whole(table, name).astype(np.bool_, copy=False)
    return found


def is_everywhere(table: pa.Table, name: str) -> bool:
    """Return whether a column of booleans is true everywhere."""
    return bool(sum(chunk.true_count for chunk in table.column(name).chunks) == table.num_rows)


def is_nowhere(table: pa.Table, name: str) -> bool:
    """Return whether a column of booleans is false everywhere."""
    return not any(chunk.true_count for chunk in table.column(name).chunks)


def _whole(table: pa.Table, name: str) -> Any:
    column = table.column(name)
    return column.chunk(0).to_numpy(zero_copy_only=False) if column.num_chunks == 1 else column.to_numpy()


def as_table(rows: pa.Table | pa.RecordBatch) -> pa.Table:
    """Return rows as a table."""
    return pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
