"""Decoded records as rows with absolute offsets and timestamps."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from chronik.spark.decode.batch_table import BatchTable, Flags
from chronik.spark.decode.bodies import BatchGroup
from chronik.spark.decode.columnar import Bodies, Depth, HeaderColumns, RecordColumns, Spans, decode_records
from chronik.spark.decode.varints import Bytes, Ints

CREATE_TIME: Final = 0
LOG_APPEND_TIME: Final = 1


@dataclass(frozen=True, slots=True)
class Rows:
    """Records in the order of their offsets; spans are in ``data``."""

    data: Bytes
    offsets: Ints
    timestamps_ms: Ints
    timestamp_types: Ints
    sizes: Ints
    keys: Spans | None = None
    values: Spans | None = None
    headers: HeaderColumns | None = None

    def __len__(self) -> int:
        return len(self.offsets)

    def between(self, start_offset: int, end_offset: int) -> "Rows":
        """Return the rows of ``[start_offset, end_offset)``."""
        if not len(self) or (self.offsets[0] >= start_offset and self.offsets[-1] < end_offset):
            return self
        begin, end = np.searchsorted(self.offsets, [start_offset, end_offset]).tolist()
        return Rows(
            self.data,
            self.offsets[begin:end],
            self.timestamps_ms[begin:end],
            self.timestamp_types[begin:end],
            self.sizes[begin:end],
            self.keys and self.keys.part(begin, end),
            self.values and self.values.part(begin, end),
            self.headers and self.headers.part(begin, end),
        )


@dataclass(frozen=True, slots=True)
class Decoded:
    """The rows of a group, and the batches whose records cannot be decoded."""

    rows: Rows
    unreadable: BatchTable


def rows_of_headers(table: BatchTable) -> Rows:
    """Return rows without times and bytes from the headers of dense batches."""
    counts = table.counts
    total = int(counts.sum())
    firsts = np.cumsum(counts) - counts
    offsets = np.arange(total) + np.repeat(table.base_offsets - firsts, counts)
    types = np.repeat(table.is_append_time.astype(np.int64), counts)
    nothing = np.zeros(total, np.int64)
    return Rows(table.data, offsets, nothing, types, nothing)


def rows_of(group: BatchGroup, depth: Depth) -> Decoded:
    columns = decode_records(group.bodies, depth)
    table = group.table.only(~columns.is_broken)
    offsets = np.repeat(table.base_offsets, table.counts) + columns.offset_deltas
    misplaced = _misplaced(table, offsets)
    if misplaced.any():
        is_sound = ~columns.is_broken
        is_sound[is_sound] = ~misplaced
        rest = rows_of(replace(group, table=group.table.only(is_sound), bodies=group.bodies.only(is_sound)), depth)
        return Decoded(rest.rows, group.table.only(~is_sound))
    return Decoded(_rows(group.bodies, table, columns, offsets), group.table.only(columns.is_broken))


def _misplaced(table: BatchTable, offsets: Ints) -> Flags:
    """Return the batches whose offsets do not rise, or lie outside of the header's range."""
    nowhere = np.zeros(len(table), np.bool_)
    if not len(table):
        return nowhere
    lasts = np.cumsum(table.counts) - 1
    firsts = lasts - table.counts + 1
    falls = np.append(offsets[1:] <= offsets[:-1], False)
    falls[lasts] = False
    is_outside: Flags = (offsets[firsts] < table.base_offsets) | (offsets[lasts] >= table.next_offsets)
    if falls.any():
        is_outside |= np.logical_or.reduceat(falls, firsts)
    return is_outside


def _rows(bodies: Bodies, table: BatchTable, columns: RecordColumns, offsets: Ints) -> Rows:
    counts = table.counts
    is_append_time = table.is_append_time
    base_times = np.where(is_append_time, table.column("max_timestamp"), table.column("base_timestamp"))
    times = np.repeat(base_times, counts)
    types = np.zeros(len(offsets), np.int64)
    if is_append_time.any():
        types = np.repeat(is_append_time.astype(np.int64), counts)
        times += columns.timestamp_deltas * (1 - types)
    else:
        times += columns.timestamp_deltas
    return Rows(bodies.data, offsets, times, types, columns.sizes, columns.keys, columns.values, columns.headers)
