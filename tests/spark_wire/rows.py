"""Records as they were sent, as another client reads them, and as slices give them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa
from confluent_kafka import Consumer, Producer, TopicPartition

from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.reading import read_slice
from chronik.spark.source.schemas import arrow_schema

READ_SECONDS_MAX = 30.0


class Row(NamedTuple):
    """A record as both sides know it; times in milliseconds."""

    offset: int
    timestamp_ms: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


def produce(bootstrap: str, topic: str, values: Sequence[bytes | None], **settings: Any) -> None:
    """Send records to partition 0: some without keys, some with headers."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 20, **settings})
    for number, value in enumerate(values):
        headers = [("number", b"%d" % number), ("null", None)] if number % 3 == 0 else None
        key = None if number % 4 == 0 else b"k%d" % number
        producer.produce(topic, value, key, partition=0, headers=headers)
    assert producer.flush(READ_SECONDS_MAX) == 0


def consumed(bootstrap: str, topic: str, start: int, end: int, isolation: str = "read_uncommitted") -> list[Row]:
    """Read ``[start, end)`` of partition 0 with librdkafka, which gives no row for markers and aborted records."""
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "judge",
            "isolation.level": isolation,
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, 0, start)])
    rows: list[Row] = []
    while (message := consumer.poll(READ_SECONDS_MAX)) is not None and message.error() is None:
        if message.offset() >= end:
            break
        headers = tuple(message.headers() or ())
        rows.append(Row(message.offset(), message.timestamp()[1], message.key(), message.value(), headers))
    assert message is not None, "the judge has read nothing for a long time"
    consumer.close()
    return rows


def sliced(piece: Slice, bootstrap: str = "", **rules: Any) -> list[Row]:
    """Read a slice record by record."""
    table = table_of(piece, bootstrap, **rules)
    columns = table.set_column(5, "timestamp", table["timestamp"].cast(pa.int64())).to_pylist()
    return [
        Row(
            row["offset"],
            row["timestamp"] // 1000,
            row["key"],
            row["value"],
            tuple((header["key"], header["value"]) for header in row["headers"] or ()),
        )
        for row in columns
    ]


def table_of(piece: Slice, bootstrap: str = "", view: View = View.RECORDS, **rules: Any) -> pa.Table:
    """Read a slice as a table."""
    batches = read_slice(piece, ReadRules(bootstrap, include_headers=True, **rules), view)
    return pa.Table.from_batches(batches, arrow_schema(view, include_headers=True))
