"""The views ``batches`` and ``ranges``, from the headers of batches, without decoding records."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.tables.arrow_arrays import booleans, numbers, texts
from chronik.records.codecs import Codec
from chronik.spark.decode.batch_table import BatchTable
from chronik.spark.decode.bodies import batch_groups
from chronik.spark.decode.columnar import Depth
from chronik.spark.decode.record_rows import rows_of
from chronik.spark.decode.varints import Ints
from chronik.spark.planning.slices import Slice
from chronik.spark.source.arrow_rows import ROWS_MAX, PartitionColumns, timestamps
from chronik.spark.source.problems import Problem
from chronik.spark.source.record_view import OnProblem
from chronik.spark.wire.chunks import Chunk, Found

_CODECS: Final = texts([*(codec.name.lower() for codec in Codec), "unknown"])
_UNKNOWN_CODEC: Final = len(Codec)


def batch_rows(
    found: Iterable[Found], piece: Slice, schema: pa.Schema, on_problem: OnProblem
) -> Iterator[pa.RecordBatch]:
    """Return a row for each batch that begins in the slice, so that neighbouring slices share none."""
    place = PartitionColumns(piece.topic, piece.partition)
    for chunk in _chunks(found, on_problem):
        begins_here = (chunk.table.base_offsets >= piece.start_offset) & (chunk.table.base_offsets < piece.end_offset)
        table = chunk.table.only(begins_here)
        for begin in range(0, len(table), ROWS_MAX):
            part = table.only(slice(begin, begin + ROWS_MAX))
            columns = {**place.columns(len(part)), **_batch_columns(part)}
            yield pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def _chunks(found: Iterable[Found], on_problem: OnProblem) -> Iterator[Chunk]:
    for item in found:
        if isinstance(item, Problem):
            on_problem(item)
        else:
            yield item


def _batch_columns(table: BatchTable) -> Mapping[str, pa.Array]:
    return {
        "baseOffset": numbers(table.base_offsets),
        "lastOffset": numbers(table.next_offsets - 1),
        "recordCount": _int32(table.counts),
        "baseTimestamp": timestamps(table.column("base_timestamp")),
        "maxTimestamp": timestamps(table.column("max_timestamp")),
        "timestampType": _int32(table.is_append_time.astype(np.int64)),
        "leaderEpoch": _int32(table.column("leader_epoch")),
        "producerId": numbers(table.column("producer_id")),
        "producerEpoch": _int32(table.column("producer_epoch")),
        "baseSequence": _int32(table.column("base_sequence")),
        "codec": _CODECS.take(numbers(np.minimum(table.codecs, _UNKNOWN_CODEC).astype(np.int64))),
        "isTransactional": booleans(table.is_transactional),
        "isControl": booleans(table.is_control),
        "sizeBytes": _int32(table.sizes),
    }


def _int32(values: Ints) -> pa.Array:
    return numbers(values.astype(np.int32))


@dataclass(frozen=True, slots=True)
class RangeRow:
    """Batches that follow each other without a gap, and their counts within a slice."""

    start_offset: int
    end_offset: int
    record_count: int
    control_count: int
    aborted_count: int
    batch_count: int
    size_bytes: int
    max_timestamp_ms: int

    def joined(self, other: "RangeRow") -> "RangeRow":
        """Return this range and the next one as one."""
        return RangeRow(
            self.start_offset,
            other.end_offset,
            self.record_count + other.record_count,
            self.control_count + other.control_count,
            self.aborted_count + other.aborted_count,
            self.batch_count + other.batch_count,
            self.size_bytes + other.size_bytes,
            max(self.max_timestamp_ms, other.max_timestamp_ms),
        )


def range_rows(
    found: Iterable[Found], piece: Slice, schema: pa.Schema, on_problem: OnProblem
) -> Iterator[pa.RecordBatch]:
    """Return a row for each range of offsets without a gap between batches; compacted records are not counted."""
    place = PartitionColumns(piece.topic, piece.partition)
    held: list[RangeRow] = []
    for one in _joined(_ranges(found, piece, on_problem)):
        held.append(one)
        if len(held) == ROWS_MAX:
            yield _range_batch(held, place, schema)
            held = []
    if held:
        yield _range_batch(held, place, schema)


def _joined(ranges: Iterable[RangeRow]) -> Iterator[RangeRow]:
    last: RangeRow | None = None
    for one in ranges:
        if last is not None and last.end_offset == one.start_offset:
            last = last.joined(one)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _ranges(found: Iterable[Found], piece: Slice, on_problem: OnProblem) -> Iterator[RangeRow]:
    for chunk in _chunks(found, on_problem):
        share = chunk.share_of(piece)
        is_inside = (chunk.table.next_offsets > share.start_offset) & (chunk.table.base_offsets < share.end_offset)
        if is_inside.any():
            yield from _ranges_of(chunk.only(is_inside), share)


def _ranges_of(chunk: Chunk, piece: Slice) -> Iterator[RangeRow]:
    table, seen = chunk.table, chunk.visibility
    starts = np.maximum(table.base_offsets, piece.start_offset)
    ends = np.minimum(table.next_offsets, piece.end_offset)
    counts = _counts_within(chunk, starts, ends)
    # A batch across a border belongs to the slice in which it begins, so that nothing is counted twice.
    begins_here = (table.base_offsets >= piece.start_offset).astype(np.int64)
    firsts = np.append(0, np.flatnonzero(starts[1:] != ends[:-1]) + 1)
    lasts = np.append(firsts[1:], len(table)) - 1

    def total(values: Ints) -> list[int]:
        return [int(one) for one in np.add.reduceat(values, firsts)]

    columns = (
        starts[firsts].tolist(),
        ends[lasts].tolist(),
        total(counts * seen.is_visible),
        total(counts * seen.is_control),
        total(counts * (seen.is_aborted & ~seen.is_control)),
        total(begins_here),
        total(begins_here * table.sizes),
        np.maximum.reduceat(table.column("max_timestamp"), firsts).tolist(),
    )
    yield from (RangeRow(*values) for values in zip(*columns, strict=True))


def _counts_within(chunk: Chunk, starts: Ints, ends: Ints) -> Ints:
    """Count the records between these offsets; only a compacted batch across a border must be decoded."""
    table = chunk.table
    counts = np.where(table.is_dense, ends - starts, table.counts)
    is_disconnected = (ends - starts) != (table.next_offsets - table.base_offsets)
    for number in np.flatnonzero(is_disconnected & ~table.is_dense & (table.counts > 0)).tolist():
        counts[number] = _opened_count(chunk.opened(number), int(starts[number]), int(ends[number]))
    return counts


def _opened_count(table: BatchTable, start: int, end: int) -> int:
    return sum(len(rows_of(group, Depth.TIMES).rows.between(start, end)) for group in batch_groups(table))


def _range_batch(ranges: list[RangeRow], place: PartitionColumns, schema: pa.Schema) -> pa.RecordBatch:
    def of(name: str) -> Ints:
        return np.array([getattr(one, name) for one in ranges], np.int64)

    columns = {
        **place.columns(len(ranges)),
        "startOffset": numbers(of("start_offset")),
        "endOffset": numbers(of("end_offset")),
        "recordCount": numbers(of("record_count")),
        "controlCount": numbers(of("control_count")),
        "abortedCount": numbers(of("aborted_count")),
        "batchCount": numbers(of("batch_count")),
        "sizeBytes": numbers(of("size_bytes")),
        "maxTimestamp": timestamps(of("max_timestamp_ms")),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
