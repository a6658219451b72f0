"""The view ``records``: the rows of Spark's own Kafka source."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

import numpy as np
import pyarrow as pa

from chronik.spark.decode.batch_table import BatchTable
from chronik.spark.decode.bodies import batch_groups
from chronik.spark.decode.columnar import Depth
from chronik.spark.decode.record_rows import Rows, rows_of, rows_of_headers
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.arrow_rows import PartitionColumns, arrow_batches
from chronik.spark.source.problems import Problem, ProblemKind
from chronik.spark.wire.chunks import Chunk, Found

OnProblem: TypeAlias = Callable[[Problem], None]
"""Called for each problem: collects, logs or raises it."""

_DEPTHS: Final = {"key": Depth.KEYS, "value": Depth.VALUES, "headers": Depth.HEADERS}


def depth_of(columns: Iterable[str]) -> Depth:
    """Return how far records must be decoded for these columns."""
    return max((_DEPTHS.get(name, Depth.TIMES) for name in columns), default=Depth.TIMES)


def record_batches(
    found: Iterable[Found], piece: Slice, rules: ReadRules, schema: pa.Schema, on_problem: OnProblem
) -> Iterator[pa.RecordBatch]:
    """Return the records of a slice as Arrow batches."""
    place = PartitionColumns(piece.topic, piece.partition)
    needs_times = "timestamp" in schema.names
    for rows in record_rows(found, piece, rules, depth_of(schema.names), on_problem, needs_times=needs_times):
        yield from arrow_batches(rows, schema, place)


def record_rows(
    found: Iterable[Found],
    piece: Slice,
    rules: ReadRules,
    depth: Depth,
    on_problem: OnProblem,
    *,
    needs_times: bool = True,
) -> Iterator[Rows]:
    """Return the records of a slice, decoded down to a depth."""
    may_skip_bodies = depth is Depth.TIMES and not needs_times
    for item in found:
        if isinstance(item, Problem):
            on_problem(item)
            continue
        share = item.share_of(piece)
        table = _visible(item, share, rules)
        if may_skip_bodies and bool(table.is_dense.all()):
            yield rows_of_headers(table).between(share.start_offset, share.end_offset)
        else:
            yield from _decoded(table, share, depth, on_problem)


def _visible(chunk: Chunk, piece: Slice, rules: ReadRules) -> BatchTable:
    table = chunk.table
    is_wanted = chunk.visibility.is_visible
    is_wanted &= (table.next_offsets > piece.start_offset) & (table.base_offsets < piece.end_offset)
    if rules.timestamp_from_ms is not None:
        is_wanted &= table.column("max_timestamp") >= rules.timestamp_from_ms
    return table if bool(is_wanted.all()) else table.only(is_wanted)


def _decoded(table: BatchTable, piece: Slice, depth: Depth, on_problem: OnProblem) -> Iterator[Rows]:
    for group in batch_groups(table):
        for failed, reason in group.failures:
            _report(failed, piece, on_problem, reason)
        decoded = rows_of(group, depth)
        _report(decoded.unreadable, piece, on_problem, "its records do not add up")
        rows = decoded.rows.between(piece.start_offset, piece.end_offset)
        if len(rows):
            yield rows


def _report(table: BatchTable, piece: Slice, on_problem: OnProblem, reason: str) -> None:
    starts = np.maximum(table.base_offsets, piece.start_offset).tolist()
    ends = np.minimum(table.next_offsets, piece.end_offset).tolist()
    for start, end, size in zip(starts, ends, table.sizes.tolist(), strict=True):
        on_problem(Problem(ProblemKind.UNREADABLE, start, end, reason, size_bytes=size))
