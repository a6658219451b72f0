"""Read one slice as Arrow batches, in a task of the source or of the archive.

An Arrow batch holds at most 10,000 rows or 16 MB, and the memory in use does not grow with the slice.
"""

import logging
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing

import pyarrow as pa

from chronik.spark.decode.columnar import Depth
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.segments.reading import found_in_segments
from chronik.spark.source.arrow_rows import ROWS_MAX, PartitionColumns
from chronik.spark.source.batch_views import batch_rows, range_rows
from chronik.spark.source.problems import Problem, loss
from chronik.spark.source.record_view import OnProblem, record_batches, record_rows
from chronik.spark.source.schemas import arrow_schema
from chronik.spark.wire.chunks import Found
from chronik.spark.wire.fetching import SliceFetch
from chronik.spark.wire.prefetch import prefetched

_log = logging.getLogger(__name__)


def read_slice(piece: Slice, rules: ReadRules, view: View = View.RECORDS) -> Iterator[pa.RecordBatch]:
    """Read a slice in the order of offsets.

    Offsets that cannot be read raise ``DataLostError`` if ``fail_on_data_loss``, and are skipped otherwise. In the view
    ``problems`` they are the rows.
    """
    schema = arrow_schema(view, rules.columns, rules.include_headers)
    with closing(_found(piece, rules, view)) as found:
        match view:
            case View.RECORDS:
                yield from record_batches(found, piece, rules, schema, _judge(piece, rules))
            case View.BATCHES:
                yield from batch_rows(found, piece, schema, _judge(piece, rules))
            case View.RANGES:
                yield from range_rows(found, piece, schema, _judge(piece, rules))
            case View.PROBLEMS:
                yield from _problem_rows(found, piece, rules, schema)


def _found(piece: Slice, rules: ReadRules, view: View) -> Generator[Found]:
    check_crcs = view in (View.RECORDS, View.PROBLEMS)
    if piece.path is None:
        return prefetched(SliceFetch(piece, rules, check_crcs=check_crcs))
    return found_in_segments(piece, rules, view)


def _judge(piece: Slice, rules: ReadRules) -> OnProblem:
    def judge(problem: Problem) -> None:
        if rules.fail_on_data_loss:
            raise loss(piece, problem)
        _log.warning("%s-%d: skipped %s: %s", piece.topic, piece.partition, problem.offsets, problem.message)

    return judge


def _problem_rows(
    found: Iterable[Found], piece: Slice, rules: ReadRules, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Read everything, and return only the problems."""
    place = PartitionColumns(piece.topic, piece.partition)
    noted: list[Problem] = []
    for _ in record_rows(found, piece, rules, Depth.HEADERS, noted.append):
        while len(noted) >= ROWS_MAX:
            yield _problem_batch(noted[:ROWS_MAX], place, schema)
            del noted[:ROWS_MAX]
    for begin in range(0, len(noted), ROWS_MAX):
        yield _problem_batch(noted[begin : begin + ROWS_MAX], place, schema)


def _problem_batch(problems: list[Problem], place: PartitionColumns, schema: pa.Schema) -> pa.RecordBatch:
    columns = {
        **place.columns(len(problems)),
        "startOffset": pa.array([problem.start_offset for problem in problems], pa.int64()),
        "endOffset": pa.array([problem.end_offset for problem in problems], pa.int64()),
        "kind": pa.array([problem.kind.value for problem in problems], pa.string()),
        "message": pa.array([problem.message for problem in problems], pa.string()),
        "file": pa.array([problem.file for problem in problems], pa.string()),
        "position": pa.array([problem.position for problem in problems], pa.int64()),
        "sizeBytes": pa.array([problem.size_bytes for problem in problems], pa.int64()),
    }
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)
