"""The three clients, each as one function: send messages, then read them back as a group."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

READ_S_MAX = 60.0
Sent = dict[bytes, tuple[int, int]]
Program = Callable[[str, str, str, Sequence[bytes]], tuple[Sent, list[bytes]]]


def with_confluent(bootstrap: str, topic: str, group: str, values: Sequence[bytes]) -> tuple[Sent, list[bytes]]:
    """Send and read with librdkafka's client."""
    from confluent_kafka import Consumer, Producer

    acks: Sent = {}

    def note(error: object, message: Any) -> None:
        assert error is None, error
        acks[message.value()] = (message.partition(), message.offset())

    producer = Producer({"bootstrap.servers": bootstrap, "acks": 1})
    for value in values:
        producer.produce(topic, value, key=value, on_delivery=note)
    producer.flush(READ_S_MAX)
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    got: list[bytes] = []
    deadline = time.monotonic() + READ_S_MAX
    while len(got) < len(values) and time.monotonic() < deadline:
        got += [message.value() or b"" for message in consumer.consume(500, 0.5) if message.error() is None]
    consumer.close()
    return acks, got


def with_kafka_python(bootstrap: str, topic: str, group: str, values: Sequence[bytes]) -> tuple[Sent, list[bytes]]:
    """Send and read with kafka-python."""
    from kafka import KafkaConsumer, KafkaProducer  # type: ignore[import-untyped]

    servers = bootstrap.split(",")
    producer = KafkaProducer(bootstrap_servers=servers, acks=1, enable_idempotence=False)
    futures = {value: producer.send(topic, value, key=value) for value in values}
    producer.flush(READ_S_MAX)
    acks = {value: (future.value.partition, future.value.offset) for value, future in futures.items()}
    producer.close()
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=servers,
        group_id=group,
        auto_offset_reset="earliest",
        consumer_timeout_ms=int(READ_S_MAX * 1000),
    )
    # Before it joins: it may never take up an assignment that it got before it knew of the partitions.
    consumer.topics()
    got: list[bytes] = []
    for record in consumer:
        got.append(record.value)
        if len(got) >= len(values):
            break
    consumer.close()
    return acks, got


def with_aiokafka(bootstrap: str, topic: str, group: str, values: Sequence[bytes]) -> tuple[Sent, list[bytes]]:
    """Send and read with aiokafka."""
    return asyncio.run(_with_aiokafka(bootstrap, topic, group, values))


async def _with_aiokafka(bootstrap: str, topic: str, group: str, values: Sequence[bytes]) -> tuple[Sent, list[bytes]]:
    from aiokafka import AIOKafkaConsumer, AIOKafkaProducer  # type: ignore[import-untyped]

    async with AIOKafkaProducer(bootstrap_servers=bootstrap, acks=1) as producer:
        results = await asyncio.gather(*[await producer.send(topic, value, key=value) for value in values])
    got: list[bytes] = []
    deadline = time.monotonic() + READ_S_MAX
    consumer = AIOKafkaConsumer(topic, bootstrap_servers=bootstrap, group_id=group, auto_offset_reset="earliest")
    async with consumer:
        while len(got) < len(values) and time.monotonic() < deadline:
            for records in (await consumer.getmany(timeout_ms=500)).values():
                got += [record.value for record in records]
    acks = {value: (one.partition, one.offset) for value, one in zip(values, results, strict=True)}
    return acks, got


PROGRAMS: dict[str, Program] = {
    "confluent": with_confluent,
    "kafka-python": with_kafka_python,
    "aiokafka": with_aiokafka,
}
