"""The watched topic's log, as tasks of a continuous audit read it: rows of STORED, and the headers of their batches."""

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from chronik.audit.judge.balance.summaries import ROWS_AT_ONCE
from chronik.audit.tables.schemas import STORED
from chronik.records.batch import BatchHeader
from chronik.spark.audit.log_reading import rows_of_item
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.wire.chunks import Chunk, Found
from chronik.spark.wire.fetching import SliceFetch
from chronik.spark.wire.prefetch import prefetched

_TASKS_PER_CORE: Final = 2
_RESULTS: Final = pa.schema([("number", pa.int64()), ("result", pa.binary())])


@dataclass(frozen=True, slots=True)
class WireShare:
    """A part of one partition, read from its leader."""

    part: Slice
    rules: ReadRules

    @property
    def partition(self) -> int:
        return self.part.partition

    @property
    def end_offset(self) -> int:
        return self.part.end_offset

    def parts(self) -> Iterator[tuple[Sequence[BatchHeader], pa.Table]]:
        """Read it, in chunks that are the same each time."""
        headers: list[BatchHeader] = []
        held: list[pa.RecordBatch] = []
        with closing(prefetched(SliceFetch(self.part, self.rules))) as found:
            for item in found:
                if headers and not isinstance(item, Chunk):
                    # The unreadable part lies behind these batches, and before the next ones.
                    yield headers, pa.Table.from_batches(held, STORED)
                    headers, held = [], []
                headers += _headers(item, self.part)
                held += rows_of_item(item, self.part)
                if not headers or sum(batch.num_rows for batch in held) >= ROWS_AT_ONCE:
                    yield headers, pa.Table.from_batches(held, STORED)
                    headers, held = [], []
        if held:
            yield headers, pa.Table.from_batches(held, STORED)


def _headers(item: Found, part: Slice) -> list[BatchHeader]:
    """Return the headers of the batches that begin in the slice."""
    if not isinstance(item, Chunk):
        return []
    begins_here = (item.table.base_offsets >= part.start_offset) & (item.table.base_offsets < part.end_offset)
    return [BatchHeader._make(fields) for fields in item.table.headers[begins_here].tolist()]


@dataclass(frozen=True, slots=True)
class WireLog:
    """A topic on its cluster, up to the last stable offset: so aborted records are known."""

    topic: str
    rules: ReadRules

    def share(self, partition: int, start_offset: int, end_offset: int) -> WireShare:
        """Return a part of a partition to read."""
        return WireShare(Slice(self.topic, "", partition, start_offset, end_offset), self.rules)


def tasks_on(spark: SparkSession) -> Callable[[Sequence[Callable[[], Any]]], list[Any]]:
    """Return the function that runs the audit's tasks on a session; what they give travels as it is."""

    def run(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        if not tasks:
            return []
        parts = min(len(tasks), _TASKS_PER_CORE * max(1, spark.sparkContext.defaultParallelism))
        numbers = spark.range(0, len(tasks), 1, parts)
        rows = numbers.mapInArrow(_working(list(tasks)), from_arrow_schema(_RESULTS)).collect()
        results = {row.number: pickle.loads(row.result) for row in rows}
        return [results[number] for number in range(len(tasks))]

    return run


def _working(
    tasks: list[Callable[[], Any]],
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def work(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in numbers:
            for number in batch.column("id").to_pylist():
                result = pickle.dumps(tasks[number](), pickle.HIGHEST_PROTOCOL)
                yield pa.RecordBatch.from_pylist([{"number": number, "result": result}], _RESULTS)

    return work
