"""Producers of three libraries, at a steady pace; each message carries an id of its own."""

import asyncio
import itertools
import threading
from collections.abc import Iterator

from aiokafka import AIOKafkaProducer  # type: ignore[import-untyped]
from confluent_kafka import KafkaError, Message, Producer
from kafka import KafkaProducer  # type: ignore[import-untyped]

from soak.events import Acknowledged, Refused
from soak.journal import Journal, now
from soak.plan import MESSAGES_PER_SECOND_EACH, PARTITIONS, Client, Library

VALUE_BYTES = 200
ID_STEP = 10**9
PAUSE_SECONDS = 1 / MESSAGES_PER_SECOND_EACH
FLUSH_SECONDS_MAX = 30


def value_of(message: int) -> bytes:
    """The bytes of a message."""
    return b"%d|" % message + bytes(VALUE_BYTES)


def id_in(value: bytes | None) -> int:
    """The id of a message that was read."""
    assert value is not None, "every message of a soak has a value"
    return int(value.partition(b"|")[0])


class Sending:
    """What the producers of all libraries do: number messages, spread them, write down what becomes of them."""

    def __init__(self, client: Client, bootstrap: str, journal: Journal, ending: threading.Event) -> None:
        self.client = client
        self.bootstrap = bootstrap
        self.ending = ending
        self._journal = journal

    def messages(self) -> Iterator[tuple[int, int]]:
        """Give ids with their partitions, until it is time to end."""
        first = (int(self.client.name.removeprefix("p")) + 1) * ID_STEP
        for number in itertools.count():
            if self.ending.is_set():
                return
            yield first + number, number % PARTITIONS

    def acknowledged(self, message: int, partition: int, offset: int) -> None:
        """Write down where a message lies."""
        self._journal.write(Acknowledged(now(), self.client.name, self.client.topic, partition, offset, message))

    def refused(self, message: int, reason: object) -> None:
        """Write down that a message was not acknowledged."""
        self._journal.write(Refused(now(), self.client.name, message, str(reason)))


def produce(client: Client, bootstrap: str, journal: Journal, ending: threading.Event) -> None:
    """Send until told to end, and wait for the outcome of everything."""
    sending = Sending(client, bootstrap, journal, ending)
    match client.library:
        case Library.CONFLUENT:
            _produce_confluent(sending)
        case Library.KAFKA_PYTHON:
            _produce_kafka_python(sending)
        case Library.AIOKAFKA:
            asyncio.run(_produce_aiokafka(sending))


def _produce_confluent(sending: Sending) -> None:
    settings = {"bootstrap.servers": sending.bootstrap, "client.id": sending.client.name, "enable.idempotence": True}
    producer = Producer(settings)

    def on_outcome(error: KafkaError | None, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        if error is not None or partition is None or offset is None:
            sending.refused(id_in(message.value()), error)
        else:
            sending.acknowledged(id_in(message.value()), partition, offset)

    for message, partition in sending.messages():
        producer.produce(sending.client.topic, value_of(message), partition=partition, on_delivery=on_outcome)
        # Served while it waits: poll returns at the first outcome.
        due = now() + PAUSE_SECONDS
        while (left := due - now()) > 0:
            producer.poll(left)
    producer.flush(FLUSH_SECONDS_MAX)


def _produce_kafka_python(sending: Sending) -> None:
    producer = KafkaProducer(bootstrap_servers=sending.bootstrap, client_id=sending.client.name, linger_ms=5)
    for message, partition in sending.messages():
        future = producer.send(sending.client.topic, value_of(message), partition=partition)
        future.add_callback(
            lambda stored, message=message: sending.acknowledged(message, stored.partition, stored.offset)
        )
        future.add_errback(lambda error, message=message: sending.refused(message, error))
        sending.ending.wait(PAUSE_SECONDS)
    producer.flush(FLUSH_SECONDS_MAX)
    producer.close(FLUSH_SECONDS_MAX)


async def _produce_aiokafka(sending: Sending) -> None:
    producer = AIOKafkaProducer(
        bootstrap_servers=sending.bootstrap, client_id=sending.client.name, enable_idempotence=True, acks="all"
    )
    await producer.start()
    try:
        for message, partition in sending.messages():
            stored = await producer.send_and_wait(sending.client.topic, value_of(message), partition=partition)
            sending.acknowledged(message, stored.partition, stored.offset)
            await asyncio.sleep(PAUSE_SECONDS)
    finally:
        await producer.stop()
