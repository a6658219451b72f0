"""The reader of streaming queries. It lives on the driver; only `read` runs in tasks, on a pickled copy."""

import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)

from chronik.spark.options.bounds import OffsetJson, Offsets, from_json, to_json
from chronik.spark.options.options import SourceOptions
from chronik.spark.planning.lookup import HeldLookup
from chronik.spark.planning.stream_plan import StreamPlan
from chronik.spark.source.progress import LOST_KEY
from chronik.spark.source.task import read_partition, rules_of, tasks_of


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Offsets have the JSON form of Spark's Kafka source. Only the driver looks offsets up."""

    def __init__(self, options: SourceOptions, columns: tuple[str, ...]) -> None:
        self.options = options
        self.columns = columns
        self._lookup = HeldLookup(options)
        self._target: Offsets | None = None
        self._lost: Offsets = {}
        self._last_batch_s: float | None = None

    def initialOffset(self) -> OffsetJson:
        with self._lookup.ask() as lookup:
            return to_json(StreamPlan(self.options, lookup).first_offsets())

    def getDefaultReadLimit(self) -> ReadLimit:
        if self.options.trigger_offsets_max is not None:
            return ReadMaxRows(self.options.trigger_offsets_max)
        if self.options.trigger_offsets_min is not None:
            return ReadMinRows(self.options.trigger_offsets_min)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        with self._lookup.ask() as lookup:
            self._target = StreamPlan(self.options, lookup).latest_offsets()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> OffsetJson:
        """Return the end of the next micro-batch; the offsets of its start mean that there is none."""
        starts = from_json(start)
        with self._lookup.ask() as lookup:
            plan = StreamPlan(self.options, lookup)
            latest = self._target if self._target is not None else plan.latest_offsets(starts)
            is_limited = not isinstance(limit, ReadAllAvailable)
            ends = plan.batch_ends(starts, latest, self._waited_ms()) if is_limited else latest
            if ends != starts:
                self._last_batch_s = time.monotonic()
                self._count_losses(plan, starts, ends)
        return to_json(ends)

    def _count_losses(self, plan: StreamPlan, starts: Offsets, ends: Offsets) -> None:
        """Count losses here: Spark asks for the report before it asks for the slices."""
        if self.options.fail_on_data_loss:
            return
        for loss in plan.losses(starts, ends):
            self._lost[loss.at] = self._lost.get(loss.at, 0) + loss.end - loss.start

    def _waited_ms(self) -> int | None:
        """Return the time since the last micro-batch; None before the first, and with ``availableNow``."""
        if self._last_batch_s is None or self._target is not None:
            return None
        return int((time.monotonic() - self._last_batch_s) * 1000)

    def reportLatestOffset(self) -> dict[str, Any]:
        """Return the latest offsets for the query's progress, and the losses since its start."""
        with self._lookup.ask() as lookup:
            latest = StreamPlan(self.options, lookup).latest_offsets()
        return {**to_json(latest), **({LOST_KEY: to_json(self._lost)} if self._lost else {})}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        with self._lookup.ask() as lookup:
            pieces = StreamPlan(self.options, lookup).slices(from_json(start), from_json(end))
        return tasks_of(pieces, self.options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return read_partition(partition, rules_of(self.options, self.columns), self.options.view)

    def stop(self) -> None:
        self._lookup.close()
