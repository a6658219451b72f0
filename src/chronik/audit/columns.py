"""Columns of Arrow tables as numpy arrays."""

import numpy as np
import pyarrow as pa

from chronik.audit.bucketing import Flags, Ints


def integers(table: pa.Table, name: str) -> Ints:
    """Give a column of numbers; unsigned ones of 64 bits keep their bits."""
    column = table.column(name).to_numpy()
    found: Ints = column.view(np.int64) if column.dtype == np.uint64 else column.astype(np.int64, copy=False)
    return found


def booleans(table: pa.Table, name: str) -> Flags:
    """Give a column of yes and no."""
    found: Flags = table.column(name).to_numpy().astype(np.bool_, copy=False)
    return found


def as_table(rows: pa.Table | pa.RecordBatch) -> pa.Table:
    """Give rows as a table."""
    return pa.Table.from_batches([rows]) if isinstance(rows, pa.RecordBatch) else rows
