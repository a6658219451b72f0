"""Rows as Arrow batches of bounded size, with Spark's types.

Keys and values are copied out of the receive buffer in one step: a binary array over the buffer has a boundary wherever
a key or value begins or ends, and ``take`` of every fourth element copies the keys, or the values.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.tables.arrow_arrays import booleans, numbers, repeated, texts
from chronik.spark.decode.columnar import HeaderColumns, Spans
from chronik.spark.decode.record_rows import Rows
from chronik.spark.decode.varints import Bytes, Ints
from chronik.spark.source.schemas import HEADERS, TIMESTAMP

ROWS_MAX: Final = 10_000
BATCH_BYTES_MAX: Final = 16 * 1024 * 1024
"""The size of an Arrow batch; a larger record makes a batch of its own."""

_ROW_BYTES: Final = 64
"""The approximate size of a row without its key, value and headers."""
_US_PER_MS: Final = 1000
_MS_MAX: Final = (2**63 - 1) // _US_PER_MS


def timestamps(milliseconds: Ints) -> pa.Array:
    """Return timestamps in Spark's type; a time that does not fit into microseconds becomes the last one that does."""
    if len(milliseconds) and not -_MS_MAX <= int(milliseconds.min()) <= int(milliseconds.max()) <= _MS_MAX:
        milliseconds = np.clip(milliseconds, -_MS_MAX, _MS_MAX)
    microseconds = milliseconds * _US_PER_MS
    return pa.Array.from_buffers(TIMESTAMP, len(microseconds), [None, pa.py_buffer(microseconds)])


class PartitionColumns:
    """The columns ``topic`` and ``partition``, the same in every row of a slice."""

    def __init__(self, topic: str, partition: int) -> None:
        self._topic = topic
        self._partition = partition

    @cached_property
    def _topics(self) -> pa.Array:
        return repeated(self._topic, ROWS_MAX)

    @cached_property
    def _partitions(self) -> pa.Array:
        return numbers(np.full(ROWS_MAX, self._partition, np.int32))

    def columns(self, count: int) -> Mapping[str, pa.Array]:
        """Return the columns for at most ``ROWS_MAX`` rows."""
        return {"topic": self._topics[:count], "partition": self._partitions[:count]}


def arrow_batches(rows: Rows, schema: pa.Schema, place: PartitionColumns) -> Iterator[pa.RecordBatch]:
    """Split rows into Arrow batches."""
    names = frozenset(schema.names)
    for begin, end in _cuts(rows.sizes):
        columns = {**place.columns(end - begin), **_columns(rows, begin, end, names)}
        yield pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def _cuts(sizes: Ints) -> Iterator[tuple[int, int]]:
    filled = np.cumsum(sizes + _ROW_BYTES)
    begin, taken = 0, 0
    while begin < len(sizes):
        fitting = int(np.searchsorted(filled, taken + BATCH_BYTES_MAX, side="right"))
        end = min(max(fitting, begin + 1), begin + ROWS_MAX)
        yield begin, end
        begin, taken = end, int(filled[end - 1])


def _columns(rows: Rows, begin: int, end: int, names: frozenset[str]) -> dict[str, pa.Array]:
    columns: dict[str, pa.Array] = {}
    spans = {"key": rows.keys, "value": rows.values}
    wanted = {name: found.part(begin, end) for name, found in spans.items() if found is not None and name in names}
    columns.update(zip(wanted, _binaries(rows.data, list(wanted.values())), strict=True))
    if "offset" in names:
        columns["offset"] = numbers(rows.offsets[begin:end])
    if "timestamp" in names:
        columns["timestamp"] = timestamps(rows.timestamps_ms[begin:end])
    if "timestampType" in names:
        columns["timestampType"] = numbers(rows.timestamp_types[begin:end].astype(np.int32))
    if "headers" in names and rows.headers is not None:
        columns["headers"] = _headers(rows.data, rows.headers.part(begin, end))
    return columns


def _binaries(data: Bytes, several: Sequence[Spans]) -> list[pa.Array]:
    """Copy several spans of each record; in ``data`` they follow each other in this order."""
    if not several:
        return []
    pieces = pieces_of(data, several)
    return [pieces.take(_every(2 * len(several), 2 * at, spans.lengths)) for at, spans in enumerate(several)]


def pieces_of(data: Bytes, several: Sequence[Spans]) -> pa.Array:
    """Return an array over the data whose elements are each record's spans, in order, and the bytes between them."""
    count, stride = len(several[0].starts), 2 * len(several)
    bounds = np.empty(stride * count + 1, np.int32)
    for number, spans in enumerate(several):
        bounds[2 * number : -1 : stride] = spans.starts
        bounds[2 * number + 1 : -1 : stride] = spans.starts + np.maximum(spans.lengths, 0)
    bounds[-1] = bounds[-2] if count else 0
    return pa.Array.from_buffers(pa.binary(), stride * count, [None, pa.py_buffer(bounds), pa.py_buffer(data)])


def _every(stride: int, first: int, lengths: Ints) -> pa.Array:
    """Indices of each ``stride``-th element, null where a length is."""
    places = _steps(stride, first, len(lengths)) if len(lengths) > ROWS_MAX else _few(stride, first)[: len(lengths)]
    is_null = lengths < 0
    return numbers(places, is_null if is_null.any() else None)


@lru_cache(maxsize=8)
def _few(stride: int, first: int) -> npt.NDArray[np.int32]:
    return _steps(stride, first, ROWS_MAX)


def _steps(stride: int, first: int, count: int) -> npt.NDArray[np.int32]:
    return np.arange(first, first + stride * count, stride, dtype=np.int32)


def _headers(data: Bytes, headers: HeaderColumns) -> pa.Array:
    """Return lists of headers; a record without headers has null, as in Spark's Kafka source."""
    if not headers.counts.any():
        return pa.nulls(len(headers.counts), HEADERS)
    names, values = _binaries(data, [headers.names, headers.values])
    pairs = pa.StructArray.from_arrays([_text(names), values], fields=list(HEADERS.value_type))
    ends = np.append(0, np.cumsum(headers.counts)).astype(np.int32)
    return pa.ListArray.from_arrays(numbers(ends), pairs, type=HEADERS, mask=booleans(headers.counts == 0))


def _text(names: pa.Array) -> pa.Array:
    try:
        return names.cast(pa.string())
    except pa.ArrowInvalid:
        return texts([_decoded(name) for name in names.to_pylist()])


def _decoded(name: Any) -> str:
    """Decode a header's name as Java does: bytes that are not UTF-8 are replaced."""
    return str(name, "utf-8", "replace")
