"""The tasks of the source: each reads its slices one after the other."""

import gc
from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import InputPartition

from chronik.spark.options.options import SourceOptions
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.planning.tasks import bundles
from chronik.spark.source.reading import read_slice

_frozen: list[bool] = []


def rules_of(options: SourceOptions, columns: tuple[str, ...], time_from_ms: int | None = None) -> ReadRules:
    """Return the reading rules of the options."""
    return ReadRules(
        bootstrap=options.bootstrap,
        client_options=options.client_options,
        columns=columns,
        include_headers=options.include_headers,
        read_committed=options.read_committed,
        fail_on_data_loss=options.fail_on_data_loss and options.view is not View.PROBLEMS,
        poll_timeout_ms=options.poll_timeout_ms,
        retries=options.retries,
        retry_interval_ms=options.retry_interval_ms,
        timestamp_from_ms=time_from_ms,
    )


def tasks_of(pieces: Sequence[Slice], options: SourceOptions) -> list[InputPartition]:
    """Group small slices into tasks, unless the options set the number or the size of tasks."""
    if options.tasks_min is not None or options.task_records_max is not None:
        return [InputPartition((piece,)) for piece in pieces]
    return [InputPartition(bundle) for bundle in bundles(pieces, tasks_aimed_at=options.tasks_aimed_at)]


def read_partition(partition: InputPartition, rules: ReadRules, view: View) -> Iterator[pa.RecordBatch]:
    """Read the slices of a task; where no task was planned, Spark makes a partition without slices."""
    _freeze_once()
    for piece in getattr(partition, "value", None) or ():
        yield from read_slice(piece, rules, view)


def _freeze_once() -> None:
    """Exclude imported modules from garbage collection, which otherwise costs time in every task of this worker."""
    if not _frozen:
        gc.collect()
        gc.freeze()
        _frozen.append(True)
