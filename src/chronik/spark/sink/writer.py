"""The sink: rows of batch and streaming queries written to topics, at least once.

A micro-batch whose commit was lost is written again after a restart. With ``replayHeaders`` every record names its
query, its micro-batch and its place there, so that readers can drop duplicates.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import uuid4

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import (
    DataSourceArrowWriter,
    DataSourceStreamArrowWriter,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from chronik.spark.options.options import OptionsRefusedError, SinkOptions
from chronik.spark.sink.replays import ReplayMarks
from chronik.spark.sink.rows import check_schema
from chronik.spark.sink.sending import check_target, send_all


@dataclass
class Written(WriterCommitMessage):
    """How many records a task has written, all of them acknowledged."""

    records: int


class BatchSink(DataSourceArrowWriter):
    """Writes the rows of a batch query."""

    def __init__(self, options: SinkOptions, schema: StructType, *, overwrite: bool) -> None:
        if overwrite:
            raise OptionsRefusedError("format('chronik'): a topic cannot be overwritten; use mode('append')")
        _check(options, schema)
        self._options = options
        self._write_id = str(uuid4())

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        marks = ReplayMarks(self._write_id, "0", _task_number()) if self._options.replay_headers else None
        return Written(send_all(iterator, self._options, marks))


class StreamSink(DataSourceStreamArrowWriter):
    """Writes the rows of a streaming query, micro-batch by micro-batch; a complete result is appended each time."""

    def __init__(self, options: SinkOptions, schema: StructType) -> None:
        _check(options, schema)
        self._options = options

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        return Written(send_all(iterator, self._options, self._marks()))

    def _marks(self) -> ReplayMarks | None:
        if not self._options.replay_headers:
            return None
        query, batch = _property("sql.streaming.queryId"), _property("streaming.sql.batchId")
        return ReplayMarks(query, batch, _task_number())


def _check(options: SinkOptions, schema: StructType) -> None:
    check_schema(schema, options.topic)
    check_target(options)


def _task_number() -> int:
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def _property(name: str) -> str:
    context = TaskContext.get()
    return (context and context.getLocalProperty(name)) or ""
