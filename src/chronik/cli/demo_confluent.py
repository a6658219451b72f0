"""The demonstration's messages, sent and read with confluent-kafka."""

import time
from collections.abc import Sequence
from typing import Any, Protocol

from confluent_kafka import Consumer, Producer, TopicPartition

from chronik.cli.exits import Failure


class Account(Protocol):
    """Who counts the messages."""

    sent: Any
    acknowledged: Any
    read: Any

    def add_read(self, partition: int, message: bytes) -> None:
        """Count one message that was read."""


def exchange(
    bootstrap: str, topic: str, messages: Sequence[bytes], partitions: int, account: Account, read_s_max: float
) -> None:
    """Send the messages, then read every partition from its start to its end."""
    _send(bootstrap, topic, messages, partitions, account)
    _read(bootstrap, topic, partitions, account, read_s_max)


def _send(bootstrap: str, topic: str, messages: Sequence[bytes], partitions: int, account: Account) -> None:
    producer = Producer(
        {"bootstrap.servers": bootstrap, "acks": "1", "queue.buffering.max.messages": len(messages) + 1000}
    )

    def delivered(error: Any, record: Any) -> None:
        if error is None:
            account.acknowledged[record.partition()] += 1

    for index, message in enumerate(messages):
        partition = index % partitions
        producer.produce(topic, message, partition=partition, on_delivery=delivered)
        account.sent[partition] += 1
        producer.poll(0)
    left = producer.flush(60)
    if left:
        raise Failure(f"{left} messages were not delivered within 60 s")


def _read(bootstrap: str, topic: str, partitions: int, account: Account, read_s_max: float) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "chronik-demo",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    ended: set[int] = set()
    deadline = time.monotonic() + read_s_max
    # The end of a partition is where followers have what the leader has acknowledged: it may still move.
    while len(ended) < partitions or account.read.total() < account.acknowledged.total():
        if time.monotonic() > deadline:
            break
        records: list[Any] = consumer.consume(500, timeout=0.5)
        for record in records:
            if record.error() is None:
                account.add_read(record.partition(), record.value() or b"")
            elif record.error().name() == "_PARTITION_EOF":
                ended.add(record.partition())
    consumer.close()
