"""Batches by chance, decoded here and by aiokafka, so that the two can be compared."""

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from aiokafka.record.memory_records import MemoryRecords

from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.spark.decode.batch_table import read_table
from chronik.spark.decode.transactions import visibility_of
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.problems import Problem
from chronik.spark.source.record_view import record_batches
from chronik.spark.source.schemas import arrow_schema
from chronik.spark.wire.chunks import Chunk

TOPIC = "orders"
PARTITION = 7
EVERYTHING = Slice(TOPIC, "", PARTITION, 0, 2**62)
NOW_MS = 1_700_000_000_000
SIZES = (0, 1, 5, 62, 63, 64, 65, 100, 127, 128, 8190, 8191, 8192, 8200)
TIMES = (0, 1, 63, 64, -64, -65, 8191, 8192, 2**20, -(2**20), 2**27, 2**34, -(2**34), 2**40)


class Row(NamedTuple):
    """A record as both decoders know it."""

    offset: int
    timestamp_ms: int
    timestamp_type: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def arrow_of(
    data: bytes, columns: tuple[str, ...] = (), piece: Slice = EVERYTHING, problems: list[Problem] | None = None
) -> Iterator[pa.RecordBatch]:
    """Decode the whole batches of a buffer."""
    noted: list[Problem] = [] if problems is None else problems
    rules = ReadRules("", columns=columns, include_headers=True)
    table = read_table(np.frombuffer(data, np.uint8))
    chunk = Chunk(table, visibility_of(table, ()))
    assert chunk.table.wrong_crcs() == []
    schema = arrow_schema(View.RECORDS, columns, include_headers=True)
    yield from record_batches([chunk], piece, rules, schema, noted.append)
    assert problems is not None or noted == []


def rows_of_arrow(batches: Iterable[pa.RecordBatch]) -> list[Row]:
    """Read Arrow batches record by record."""
    rows = []
    for batch in batches:
        batch.validate(full=True)
        columns = batch.set_column(5, "timestamp", batch["timestamp"].cast(pa.int64())).to_pylist()
        for row in columns:
            headers = tuple((header["key"], header["value"]) for header in row["headers"] or ())
            assert row["headers"] is None or headers, "no headers are null, not an empty list"
            assert (row["topic"], row["partition"]) == (TOPIC, PARTITION)
            rows.append(
                Row(row["offset"], row["timestamp"] // 1000, row["timestampType"], row["key"], row["value"], headers)
            )
    return rows


def judged(data: bytes) -> list[Row]:
    """Decode with aiokafka; markers are not records."""
    rows = []
    batches = MemoryRecords(data)
    while batches.has_next():
        batch = batches.next_batch()
        assert batch.validate_crc()
        if batch.is_control_batch:
            continue
        rows += [
            Row(r.offset, r.timestamp, r.timestamp_type, r.key, r.value, tuple(tuple(pair) for pair in r.headers))
            for r in batch
        ]
    return rows


def some_bytes(chance: Random, sizes: tuple[int, ...] = SIZES) -> bytes | None:
    """Null, nothing, zeros, or bytes by chance."""
    kind = chance.random()
    if kind < 0.1:
        return None
    size = chance.choice(sizes)
    return bytes(size) if kind < 0.3 else chance.randbytes(size)


def some_record(chance: Random, sizes: tuple[int, ...] = SIZES) -> Record:
    """A record with whatever a record may have."""
    headers = [
        (chance.choice(["", "h", "name" * 20, "ähm"]), some_bytes(chance, (0, 1, 70)))
        for _ in range(chance.choice([0, 0, 0, 0, 1, 2, 9]))
    ]
    return Record(some_bytes(chance, sizes), some_bytes(chance, sizes), headers, NOW_MS + chance.choice(TIMES))


def some_log(chance: Random, batch_count: int, *, start_offset: int = 0, sizes: tuple[int, ...] = SIZES) -> bytes:
    """Batches in a row: all codecs, both kinds of time, markers, and holes where compaction took records."""
    log = bytearray()
    offset = start_offset
    for _ in range(batch_count):
        if chance.random() < 0.1:
            log += marker(offset, producer_id=9)
            offset += 1
            continue
        records = [some_record(chance, sizes) for _ in range(chance.choice([1, 2, 3, 40, 120]))]
        if chance.random() < 0.3:
            deltas = sorted(chance.sample(range(3 * len(records)), len(records)))
            records = [record._replace(offset_delta=delta) for record, delta in zip(records, deltas, strict=True)]
        append_time_ms = NOW_MS + 5 if chance.random() < 0.2 else None
        codec = chance.choice(list(Codec))
        log += build_batch(records, codec=codec, base_offset=offset, append_time_ms=append_time_ms)
        offset += (records[-1].offset_delta or len(records) - 1) + 1
        offset += chance.choice([0, 0, 0, 5])
    return bytes(log)


def marker(offset: int, producer_id: int, *, commits: bool = False) -> bytes:
    """The batch that ends a transaction."""
    record = Record(bytes([0, 0, 0, int(commits)]), bytes(6), timestamp=NOW_MS)
    return build_batch(
        [record],
        base_offset=offset,
        producer_id=producer_id,
        producer_epoch=0,
        is_transactional=True,
        is_control=True,
    )
