"""The audit's two passes as Spark jobs. Tasks return summaries, and the rows of pass 2 packed as bytes."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from chronik.audit.judge.balance.entries import (
    ID_KINDS,
    POSITION_KINDS,
    SUMMARY_ROWS,
    EntryKey,
    Summary,
    from_rows,
    to_rows,
)
from chronik.audit.judge.balance.reconcile import Unbalanced, condense
from chronik.audit.judge.balance.selection import STORED_IN_PASS_2, select, split_reordered
from chronik.audit.judge.balance.splits import Side, Split
from chronik.audit.judge.balance.zone_map import Rereading, add_split
from chronik.audit.judge.classify.classifier import Classified, KeyOffsets, classify, classify_reordered
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.judge.classify.retention import latest_deletions, latest_keys, merge_latest
from chronik.audit.tables import schemas
from chronik.audit.tables.bitmaps import BUCKET_BITS
from chronik.audit.tables.columns import Ints, integers

Batches = Iterator[pa.RecordBatch]
TASKS_PER_CORE: Final = 2
"""Tasks get like shares, so that there need not be many: each costs some 50 ms."""
REORDERED_ONLY: Final = 3
"""Stands beside the sides for records that are only in the wrong order."""

_KEYED_ROWS: Final = SUMMARY_ROWS.append(pa.field("part", pa.int64()))
_PARCELS: Final = pa.schema([("part", pa.int64()), ("side", pa.int8()), ("rows", pa.binary())])
_CLASSIFIED: Final = pa.schema([("messages", pa.binary()), ("counts", pa.binary())])
_COUNTS: Final = pa.schema(
    [("group", pa.string()), ("name", pa.string()), ("count", pa.int64()), ("allowed", pa.int64())]
)
_KEYS: Final = pa.schema([("partition", pa.int64()), ("key_hash", pa.int64()), ("offset", pa.int64())])
_SIDE_SCHEMAS: Final = {
    Side.SENT: schemas.SENDS,
    Side.STORED: STORED_IN_PASS_2,
    Side.DELIVERED: schemas.DELIVERED,
    REORDERED_ONLY: STORED_IN_PASS_2,
}


class Jobs:
    """Runs the passes on one session."""

    def __init__(self, spark: SparkSession, splits: Sequence[Split], parts: int) -> None:
        self._spark = spark
        self._splits = splits
        self._parts = parts

    def summed_up(self, beforehand: Summary, context: AuditContext) -> Summary:
        """Pass 1: sum up in tasks, merge by a shuffle, condense where the merged cells are."""
        known = self._spark.createDataFrame(_keyed(beforehand))
        rows = self._over(len(self._splits), _summing(self._splits, context), _KEYED_ROWS).unionByName(known)
        merged = rows.repartition(self._parts, "part").mapInArrow(_merging(context), _spark_schema(SUMMARY_ROWS))
        return from_rows(merged.toArrow().to_batches())

    def latest_keys(self, readings: Sequence[Rereading], context: AuditContext) -> KeyOffsets:
        """Find the last offset of every key that is stored, or whose deletion mark compaction may have removed."""
        found = self._over(len(readings), _keying(readings, context), _KEYS).toArrow()
        columns = (found.column(one).to_pylist() for one in _KEYS.names)
        latest: KeyOffsets = {}
        for partition, key, offset in zip(*columns, strict=True):
            latest[partition, key] = max(latest.get((partition, key), -1), offset)
        return latest

    def classified(
        self,
        readings: Sequence[Rereading],
        unbalanced: Unbalanced,
        unreported: pa.Table,
        context: AuditContext,
        keys: KeyOffsets,
        *,
        strict: bool,
    ) -> list[Classified]:
        """Pass 2: take out what does not balance, bring the sides of each bucket together, and name."""
        parcels = self._over(len(readings), _selecting(readings, unbalanced, context, self._parts), _PARCELS)
        known = pa.Table.from_batches(_parcels(Side.SENT, unreported, self._parts), _PARCELS)
        together = parcels.unionByName(self._spark.createDataFrame(known)).repartition(self._parts, "part")
        rows = together.mapInArrow(_classifying(context, keys, strict), _spark_schema(_CLASSIFIED)).toArrow()
        pairs = zip(rows.column("messages").to_pylist(), rows.column("counts").to_pylist(), strict=True)
        return [_unpacked(messages, counts) for messages, counts in pairs]

    def _over(self, count: int, work: Callable[[Iterable[int]], Batches], schema: pa.Schema) -> DataFrame:
        """Run work over the numbers of so many things. They are dealt out in turns: neighbours cost about the same."""
        tasks = max(1, min(count, self._parts * TASKS_PER_CORE))

        def share(batches: Batches) -> Batches:
            for batch in batches:
                for task in batch.column("id").to_pylist():
                    yield from work(range(task, count, tasks))

        return self._spark.range(0, tasks, 1, tasks).mapInArrow(share, _spark_schema(schema))


def _spark_schema(schema: pa.Schema) -> Any:
    return from_arrow_schema(schema)


# -- pass 1 ----------------------------------------------------------------------------------------------------------


def _summing(splits: Sequence[Split], context: AuditContext) -> Callable[[Iterable[int]], Batches]:
    def work(numbers: Iterable[int]) -> Batches:
        summary = Summary()
        for number in numbers:
            add_split(summary, number, splits[number], context)
        yield from _keyed(summary).to_batches()

    return work


def _merging(context: AuditContext) -> Callable[[Batches], Batches]:
    def work(rows: Batches) -> Batches:
        yield to_rows(condense(from_rows(batch.drop_columns(["part"]) for batch in rows), context))

    return work


def _keyed(summary: Summary) -> pa.Table:
    rows = to_rows(summary)
    parts = pa.array([_part_of(at) for at in sorted(summary.entries)], pa.int64())
    return pa.Table.from_batches([rows]).append_column(_KEYED_ROWS.field("part"), parts)


def _part_of(at: EntryKey) -> int:
    """Return which cells must come together: all kinds of ids of a bucket, all kinds of offsets of a bucket."""
    kind = 0 if at.kind in ID_KINDS else 1 if at.kind in POSITION_KINDS else 2
    return zlib.crc32(f"{kind} {at.key} {at.bucket}".encode())


def _keying(readings: Sequence[Rereading], context: AuditContext) -> Callable[[Iterable[int]], Batches]:
    def work(numbers: Iterable[int]) -> Batches:
        found: KeyOffsets = {}
        for reading in (readings[number] for number in numbers):
            if reading.side is Side.DELIVERED:
                continue
            for rows in reading.tables():
                own = latest_keys(rows) if reading.side is Side.STORED else latest_deletions(rows, context)
                found = merge_latest(found, own)
        rows = [{"partition": at[0], "key_hash": at[1], "offset": offset} for at, offset in found.items()]
        yield pa.RecordBatch.from_pylist(rows, _KEYS)

    return work


# -- pass 2 ----------------------------------------------------------------------------------------------------------


def _selecting(
    readings: Sequence[Rereading], unbalanced: Unbalanced, context: AuditContext, parts: int
) -> Callable[[Iterable[int]], Batches]:
    def work(numbers: Iterable[int]) -> Batches:
        for reading in (readings[number] for number in numbers):
            for rows in reading.tables():
                for side, chosen in _selected(reading.side, rows, unbalanced, context):
                    yield from _parcels(side, chosen, parts)

    return work


def _selected(
    side: Side, rows: pa.Table, unbalanced: Unbalanced, context: AuditContext
) -> Iterable[tuple[int, pa.Table]]:
    chosen = select(side, rows, unbalanced, context)
    if side is not Side.STORED:
        yield side, chosen
        return
    in_question, others = split_reordered(chosen, unbalanced)
    yield side, in_question
    yield REORDERED_ONLY, others


def _parcels(side: int, rows: pa.Table, parts: int) -> Iterator[pa.RecordBatch]:
    """Send rows to the part of their bucket, and unreadable ones to all: only one part has the message."""
    if not rows.num_rows:
        return
    targets = _parts_of(integers(rows, "producer"), integers(rows, "sequence") >> BUCKET_BITS, parts)
    everywhere = np.zeros(rows.num_rows, np.bool_)
    if "is_ours" in rows.column_names:
        everywhere = ~rows.column("is_ours").to_numpy()
    for part in range(parts):
        chosen = rows.filter(pa.array((targets == part) | everywhere))
        if chosen.num_rows:
            yield pa.RecordBatch.from_pylist([{"part": part, "side": side, "rows": _packed(chosen)}], _PARCELS)


def _parts_of(producers: Ints, buckets: Ints, parts: int) -> Ints:
    return (producers * 1_000_003 + buckets) % parts


def _classifying(context: AuditContext, keys: KeyOffsets, strict: bool) -> Callable[[Batches], Batches]:
    def work(parcels: Batches) -> Batches:
        by_part: dict[int, dict[int, list[bytes]]] = {}
        for batch in parcels:
            for row in batch.to_pylist():
                by_part.setdefault(row["part"], {}).setdefault(row["side"], []).append(row["rows"])
        for part in sorted(by_part):
            tables = {side: _joined(by_part[part].get(side, []), schema) for side, schema in _SIDE_SCHEMAS.items()}
            yield _classified_row(
                classify(tables[Side.SENT], tables[Side.STORED], tables[Side.DELIVERED], context, keys, strict=strict)
            )
            yield _classified_row(classify_reordered(tables[REORDERED_ONLY], context, strict=strict))

    return work


def _classified_row(classified: Classified) -> pa.RecordBatch:
    counts = [
        {"group": group, "name": what, "count": count, "allowed": classified.allowed[group, what]}
        for (group, what), count in classified.counts.items()
    ]
    row = {"messages": _packed(classified.messages), "counts": _packed(pa.Table.from_pylist(counts, _COUNTS))}
    return pa.RecordBatch.from_pylist([row], _CLASSIFIED)


def _unpacked(messages: bytes, counts: bytes) -> Classified:
    classified = Classified(pa.ipc.open_stream(messages).read_all())
    for row in pa.ipc.open_stream(counts).read_all().to_pylist():
        classified.counts[row["group"], row["name"]] += row["count"]
        classified.allowed[row["group"], row["name"]] += row["allowed"]
    return classified


# -- both ------------------------------------------------------------------------------------------------------------


def _packed(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())


def _joined(parcels: Iterable[bytes], schema: pa.Schema) -> pa.Table:
    tables = [pa.ipc.open_stream(parcel).read_all().cast(schema) for parcel in parcels]
    return pa.concat_tables([schema.empty_table(), *tables]).unify_dictionaries()
