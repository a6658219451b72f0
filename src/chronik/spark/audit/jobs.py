"""The audit's two passes as Spark jobs. Tasks ship summaries and what is to be named; rows never enter the JVM."""

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from chronik.audit.judge.balance.cells import (
    ID_KINDS,
    POSITION_KINDS,
    SUMMARY_ROWS,
    CellKey,
    Summary,
    from_rows,
    to_rows,
)
from chronik.audit.judge.balance.reconcile import Wanted, condense
from chronik.audit.judge.balance.selection import STORED_IN_PASS_2, select, split_reordered
from chronik.audit.judge.balance.splits import Piece, Side
from chronik.audit.judge.balance.zone_map import Rereading, add_piece
from chronik.audit.judge.classify.classifier import KeyOffsets, Named, name, name_reordered
from chronik.audit.judge.classify.context import Surroundings
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
_NAMED: Final = pa.schema([("messages", pa.binary()), ("counts", pa.binary())])
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

    def __init__(self, spark: SparkSession, pieces: Sequence[Piece], parts: int) -> None:
        self._spark = spark
        self._pieces = pieces
        self._parts = parts

    def summed_up(self, beforehand: Summary, around: Surroundings) -> Summary:
        """Pass 1: sum up in tasks, merge by a shuffle, condense where the merged cells are."""
        known = self._spark.createDataFrame(_keyed(beforehand))
        rows = self._over(len(self._pieces), _summing(self._pieces, around), _KEYED_ROWS).unionByName(known)
        merged = rows.repartition(self._parts, "part").mapInArrow(_merging(around), _spark_schema(SUMMARY_ROWS))
        return from_rows(merged.toArrow().to_batches())

    def latest_keys(self, readings: Sequence[Rereading], around: Surroundings) -> KeyOffsets:
        """Find the last offset of every key that is stored, or whose deletion mark compaction may have removed."""
        found = self._over(len(readings), _keying(readings, around), _KEYS).toArrow()
        columns = (found.column(one).to_pylist() for one in _KEYS.names)
        latest: KeyOffsets = {}
        for partition, key, offset in zip(*columns, strict=True):
            latest[partition, key] = max(latest.get((partition, key), -1), offset)
        return latest

    def named(
        self,
        readings: Sequence[Rereading],
        wanted: Wanted,
        unreported: pa.Table,
        around: Surroundings,
        keys: KeyOffsets,
        *,
        strict: bool,
    ) -> list[Named]:
        """Pass 2: take out what does not balance, bring the sides of each bucket together, and name."""
        parcels = self._over(len(readings), _selecting(readings, wanted, around, self._parts), _PARCELS)
        known = pa.Table.from_batches(_parcels(Side.SENT, unreported, self._parts), _PARCELS)
        together = parcels.unionByName(self._spark.createDataFrame(known)).repartition(self._parts, "part")
        rows = together.mapInArrow(_naming(around, keys, strict), _spark_schema(_NAMED)).toArrow()
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


def _summing(pieces: Sequence[Piece], around: Surroundings) -> Callable[[Iterable[int]], Batches]:
    def work(numbers: Iterable[int]) -> Batches:
        summary = Summary()
        for number in numbers:
            add_piece(summary, number, pieces[number], around)
        yield from _keyed(summary).to_batches()

    return work


def _merging(around: Surroundings) -> Callable[[Batches], Batches]:
    def work(rows: Batches) -> Batches:
        yield to_rows(condense(from_rows(batch.drop_columns(["part"]) for batch in rows), around))

    return work


def _keyed(summary: Summary) -> pa.Table:
    rows = to_rows(summary)
    parts = pa.array([_part_of(at) for at in sorted(summary.cells)], pa.int64())
    return pa.Table.from_batches([rows]).append_column(_KEYED_ROWS.field("part"), parts)


def _part_of(at: CellKey) -> int:
    """Say which cells must come together: all kinds of ids of a bucket, all kinds of offsets of a bucket."""
    kind = 0 if at.kind in ID_KINDS else 1 if at.kind in POSITION_KINDS else 2
    return zlib.crc32(f"{kind} {at.key} {at.block}".encode())


def _keying(readings: Sequence[Rereading], around: Surroundings) -> Callable[[Iterable[int]], Batches]:
    def work(numbers: Iterable[int]) -> Batches:
        found: KeyOffsets = {}
        for reading in (readings[number] for number in numbers):
            if reading.side is Side.DELIVERED:
                continue
            for rows in reading.tables():
                own = latest_keys(rows) if reading.side is Side.STORED else latest_deletions(rows, around)
                found = merge_latest(found, own)
        rows = [{"partition": at[0], "key_hash": at[1], "offset": offset} for at, offset in found.items()]
        yield pa.RecordBatch.from_pylist(rows, _KEYS)

    return work


# -- pass 2 ----------------------------------------------------------------------------------------------------------


def _selecting(
    readings: Sequence[Rereading], wanted: Wanted, around: Surroundings, parts: int
) -> Callable[[Iterable[int]], Batches]:
    def work(numbers: Iterable[int]) -> Batches:
        for reading in (readings[number] for number in numbers):
            for rows in reading.tables():
                for side, chosen in _selected(reading.side, rows, wanted, around):
                    yield from _parcels(side, chosen, parts)

    return work


def _selected(side: Side, rows: pa.Table, wanted: Wanted, around: Surroundings) -> Iterable[tuple[int, pa.Table]]:
    chosen = select(side, rows, wanted, around)
    if side is not Side.STORED:
        yield side, chosen
        return
    in_question, others = split_reordered(chosen, wanted)
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


def _parts_of(producers: Ints, blocks: Ints, parts: int) -> Ints:
    return (producers * 1_000_003 + blocks) % parts


def _naming(around: Surroundings, keys: KeyOffsets, strict: bool) -> Callable[[Batches], Batches]:
    def work(parcels: Batches) -> Batches:
        by_part: dict[int, dict[int, list[bytes]]] = {}
        for batch in parcels:
            for row in batch.to_pylist():
                by_part.setdefault(row["part"], {}).setdefault(row["side"], []).append(row["rows"])
        for part in sorted(by_part):
            tables = {side: _joined(by_part[part].get(side, []), schema) for side, schema in _SIDE_SCHEMAS.items()}
            yield _named_row(
                name(tables[Side.SENT], tables[Side.STORED], tables[Side.DELIVERED], around, keys, strict=strict)
            )
            yield _named_row(name_reordered(tables[REORDERED_ONLY], around, strict=strict))

    return work


def _named_row(named: Named) -> pa.RecordBatch:
    counts = [
        {"group": group, "name": what, "count": count, "allowed": named.allowed[group, what]}
        for (group, what), count in named.counts.items()
    ]
    row = {"messages": _packed(named.messages), "counts": _packed(pa.Table.from_pylist(counts, _COUNTS))}
    return pa.RecordBatch.from_pylist([row], _NAMED)


def _unpacked(messages: bytes, counts: bytes) -> Named:
    named = Named(pa.ipc.open_stream(messages).read_all())
    for row in pa.ipc.open_stream(counts).read_all().to_pylist():
        named.counts[row["group"], row["name"]] += row["count"]
        named.allowed[row["group"], row["name"]] += row["allowed"]
    return named


# -- both ------------------------------------------------------------------------------------------------------------


def _packed(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())


def _joined(parcels: Iterable[bytes], schema: pa.Schema) -> pa.Table:
    tables = [pa.ipc.open_stream(parcel).read_all().cast(schema) for parcel in parcels]
    return pa.concat_tables([schema.empty_table(), *tables]).unify_dictionaries()
