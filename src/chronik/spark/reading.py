"""One slice as Arrow batches: what a task of the source or of the archive does."""

import asyncio
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa

from chronik.client.cluster import Cluster
from chronik.client.consumer import Consumer, FromOffset
from chronik.client.settings import client_settings
from chronik.model.ids import TopicPartition
from chronik.records.batch import walk
from chronik.records.iterate import StoredRecord, records_of
from chronik.spark.schemas import arrow_schema
from chronik.spark.slices import ReadRules, Slice, View

ROWS_MAX: Final = 10_000


def read_slice(piece: Slice, rules: ReadRules, view: View = View.RECORDS) -> Iterator[pa.RecordBatch]:
    """Read a slice in the order of offsets; at most 10,000 rows or 16 MB to a batch, one record always passes."""
    schema = arrow_schema(view, rules.columns, rules.include_headers)
    rows = [_row(piece, record) for record in asyncio.run(_records(piece, rules))] if view is View.RECORDS else []
    for begin in range(0, len(rows), ROWS_MAX):
        some = rows[begin : begin + ROWS_MAX]
        yield pa.RecordBatch.from_pylist([{name: row[name] for name in schema.names} for row in some], schema)


async def _records(piece: Slice, rules: ReadRules) -> list[StoredRecord]:
    at = TopicPartition(piece.topic, piece.partition)
    found: list[StoredRecord] = []
    async with (
        Cluster(rules.bootstrap, client_settings(dict(rules.client_options))) as cluster,
        Consumer(cluster, {at: FromOffset(piece.start_offset)}) as consumer,
    ):
        async for fetched in consumer:
            for position, header in walk(fetched.data):
                if not header.is_control:
                    found += records_of(fetched.data[position : position + header.size_bytes])
    return [record for record in found if piece.start_offset <= record.offset < piece.end_offset]


def _row(piece: Slice, record: StoredRecord) -> dict[str, Any]:
    headers = [{"key": key, "value": value} for key, value in record.headers] or None
    return {
        "key": record.key,
        "value": record.value,
        "topic": piece.topic,
        "partition": piece.partition,
        "offset": record.offset,
        "timestamp": record.timestamp * 1000,
        "timestampType": 0,
        "headers": headers,
    }
