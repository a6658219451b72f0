"""Sending and reading through confluent-kafka, by assigned partition: what comes back is compared by identity."""

import time
from collections import Counter
from collections.abc import Iterable
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

READ_SECONDS_MAX = 60.0
NO_OFFSET = -1
"""What acks=0 tells."""


def send_all(
    bootstrap: str, topic: str, values: Iterable[bytes], *, partition: int = 0, **settings: Any
) -> dict[bytes, int]:
    """Send values, all of which must be acknowledged, and give the offset of each."""
    producer = Producer(producer_settings(bootstrap, settings))
    offsets: dict[bytes, int] = {}
    failed: list[str] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        value, offset = message.value(), message.offset()
        if error is not None or value is None:
            failed.append(str(error))
        else:
            offsets[value] = NO_OFFSET if offset is None else offset

    for value in values:
        _produce(producer, topic, value, partition, delivered)
    assert producer.flush(READ_SECONDS_MAX) == 0
    assert failed == []
    return offsets


def producer_settings(bootstrap: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Spell ``linger_ms=5`` as librdkafka does."""
    return {"bootstrap.servers": bootstrap, **{name.replace("_", "."): value for name, value in settings.items()}}


def _produce(producer: Producer, topic: str, value: bytes, partition: int, delivered: Any) -> None:
    while True:
        try:
            producer.produce(topic, value, partition=partition, on_delivery=delivered)
            producer.poll(0)
            return
        except BufferError:
            producer.poll(0.1)


def consumer_of(bootstrap: str, **settings: Any) -> Consumer:
    """A consumer that assigns its partitions itself and checks every CRC."""
    return Consumer(
        {
            "group.id": "none",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "check.crcs": True,
            **producer_settings(bootstrap, settings),
        }
    )


def read_partition(bootstrap: str, topic: str, partition: int = 0, offset: int = 0, **settings: Any) -> list[Message]:
    """Read one partition from an offset to its end."""
    consumer = consumer_of(bootstrap, **settings)
    try:
        consumer.assign([TopicPartition(topic, partition, offset)])
        return _until_end(consumer)
    finally:
        consumer.close()


def _until_end(consumer: Consumer) -> list[Message]:
    messages: list[Message] = []
    deadline = time.monotonic() + READ_SECONDS_MAX
    while time.monotonic() < deadline:
        for message in consumer.consume(5_000, timeout=1.0):
            error = message.error()
            if error is None:
                messages.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                return messages
            else:
                raise KafkaException(error)
    raise AssertionError(f"no end of the partition within {READ_SECONDS_MAX} s, after {len(messages)} messages")


def values_read(messages: Iterable[Message]) -> Counter[bytes | None]:
    """The multiset of what was read: a count alone would hide that one came twice and another not at all."""
    return Counter(message.value() for message in messages)


def numbered(count: int, prefix: str = "id", pad_bytes: int = 0) -> list[bytes]:
    """Values that are all different."""
    return [f"{prefix}-{index}".encode().ljust(pad_bytes, b".") for index in range(count)]
